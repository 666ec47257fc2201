import { decimalOf, decimalText } from './decimal.ts';

/**
 * A kind defines the format of a value on the wire, the columns it becomes, and the conversion. A
 * kind never gets empty text: it is this interface's null and becomes NULL in every column.
 */
export type SqlType =
  | 'VARCHAR'
  | 'VARCHAR[]'
  | 'BIGINT'
  | 'DECIMAL(20,0)'
  | 'DECIMAL(38,0)'
  | 'DECIMAL(38,18)'
  | 'TIMESTAMPTZ'
  | 'BOOLEAN'
  // Of curated tables alone: no kind decodes into them.
  | 'DOUBLE'
  | 'DATE';

/**
 * A typed value on its way into a column. Decimals are scaled integers (by 10^18 for
 * `DECIMAL(38,18)`), timestamps are microseconds since the Unix epoch.
 */
export type Cell = string | bigint | boolean | readonly string[] | null;

interface ColumnShape {
  /** Appended to the column's name; '' for the plain column. */
  readonly suffix: string;
  readonly type: SqlType;
}

/**
 * The spelling of nearly all values. DuckDB decodes it from the text of a record, where other
 * spellings take the slower way over `decode`. Both must give equal values.
 */
export interface UsualSpelling {
  /** A part of the texts that match `pattern`, as the source of a regular expression. */
  readonly pattern: string;
  /** SQL for one value per column, of the SQL for a text that matches or is NULL. */
  sql(text: string): readonly string[];
}

export interface Kind {
  readonly name: string;
  /** The JSON type: text for all kinds but the contract flags. */
  readonly wire: 'string' | 'boolean';
  /** Canonical texts match it. */
  readonly pattern: RegExp;
  /** Equal cells of the first column have equal cells in the others. */
  readonly columns: readonly ColumnShape[];
  readonly usual: UsualSpelling;
  /**
   * The canonical spelling, which is stored, compared and served; undefined for an *odd* text: one
   * that is not a value of the kind, or that its columns cannot hold exactly. Blanks and invisible
   * characters around a value are not part of it, but for the kind `text`.
   */
  canonical(text: string): string | undefined;
  /** One cell per column; undefined for an odd text. */
  decode(text: string): readonly Cell[] | undefined;
  /** The first cell of `decode`, from which the others follow; null for an odd text. */
  firstCell(text: string): Cell;
}

interface KindParts extends Pick<Kind, 'name' | 'pattern' | 'usual'> {
  readonly wire?: Kind['wire'];
  readonly columns: readonly [ColumnShape, ColumnShape?];
  /** The canonical spelling of a text without padding; undefined, or no match, for an odd one. */
  readonly spelled: (text: string) => string | undefined;
  /** Cells of a canonical text: of the first column and, if there is one, of the second. */
  readonly cells: readonly [(text: string) => Cell, ((text: string) => Cell)?];
}

function kind({ wire = 'string', columns, spelled, cells, ...rest }: KindParts): Kind {
  const [first, second] = cells;
  const canonical = (wireText: string): string | undefined => {
    const value = spelled(wireText);
    return value !== undefined && rest.pattern.test(value) ? value : undefined;
  };
  return {
    ...rest,
    wire,
    columns: columns.filter((shape) => shape !== undefined),
    canonical,
    decode: (wireText) => {
      const value = canonical(wireText);
      if (value === undefined) return undefined;
      return second === undefined ? [first(value)] : [first(value), second(value)];
    },
    firstCell: (wireText) => {
      const value = canonical(wireText);
      return value === undefined ? null : first(value);
    },
  };
}

const same = (value: string): string => value;
const lowerSql = (sql: string): string => `lower(${sql})`;
const bigintSql = (sql: string): string => `CAST(${sql} AS BIGINT)`;
const only = (type: SqlType): readonly [ColumnShape] => [{ suffix: '', type }];
const spelledWhole = (value: string) => spelledNumber(value)?.replace(/\.0+$/, '');

function usual(pattern: string, ...columns: ((sql: string) => string)[]): UsualSpelling {
  return { pattern, sql: (sqlText) => columns.map((column) => column(sqlText)) };
}

const PADDING = /^[\s\p{Cc}\p{Cf}]$/u;

/** The text without the blanks and invisible characters around it. */
function unpadded(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && PADDING.test(value[start] ?? '')) start += 1;
  while (end > start && PADDING.test(value[end - 1] ?? '')) end -= 1;
  return value.slice(start, end);
}

/** Hex in lower case; other names as served, without padding. */
function spelledName(value: string): string {
  const name = unpadded(value);
  return /^0x/i.test(name) ? name.toLowerCase() : name;
}

/** Digits as served; other decimal numbers, as in `1.5E-7`, `.5` or `5.`, in plain digits. */
function spelledNumber(value: string): string | undefined {
  const number = unpadded(value);
  if (/^[0-9]+(\.[0-9]+)?$/.test(number)) return number;
  const decimal = decimalOf(number);
  return decimal && decimalText(decimal);
}

function wholeNumber(name: string, type: SqlType, most: number, usualSql: UsualSpelling): Kind {
  return kind({
    name,
    pattern: new RegExp(`^0*[0-9]{1,${most}}$`),
    columns: only(type),
    usual: usualSql,
    spelled: spelledWhole,
    cells: [BigInt],
  });
}

/** `0x` and hex digits, lower-cased, or the name of a record without a hash: `GENESIS_0x...`. */
export const hash = kind({
  name: 'hash',
  pattern: /^(0x[0-9a-fA-F]+|[A-Za-z]+_0x[0-9a-fA-F]{40})$/,
  columns: only('VARCHAR'),
  usual: usual('0x[0-9a-fA-F]+', lowerSql),
  spelled: spelledName,
  cells: [same],
});

/** `0x` and 40 hex digits, or a name in capitals, such as GENESIS. */
const ADDRESS = '(?:0x[0-9a-fA-F]{40}|[A-Z][A-Z_]+)';
const USUAL_ADDRESS = '0x[0-9a-fA-F]{40}';

/**
 * One address, or several separated by commas. The columns are the text in lower case, without
 * blanks, and, under the plural name, the list of its addresses. Names in capitals stay so.
 */
export const party: Kind = kind({
  name: 'party',
  pattern: new RegExp(`^${ADDRESS}(?:,${ADDRESS})*$`),
  columns: [
    { suffix: '', type: 'VARCHAR' },
    { suffix: 'es', type: 'VARCHAR[]' },
  ],
  usual: usual(
    `${USUAL_ADDRESS}(?:,${USUAL_ADDRESS})*`,
    lowerSql,
    (sql) =>
      `CASE WHEN contains(${sql}, ',') THEN string_split(lower(${sql}), ',')` +
      ` WHEN ${sql} IS NOT NULL THEN [lower(${sql})] END`,
  ),
  spelled: (value) => value.split(',').map(spelledName).join(),
  cells: [same, (value) => value.split(',')],
});

/** One address, as `party` has them. */
export const address = kind({
  name: 'address',
  pattern: new RegExp(`^${ADDRESS}$`),
  columns: only('VARCHAR'),
  usual: usual(USUAL_ADDRESS, lowerSql),
  spelled: spelledName,
  cells: [same],
});

/** A decimal block number, exact as a number of JavaScript. */
export const height = wholeNumber('height', 'BIGINT', 15, usual('[0-9]{1,15}', bigintSql));

/** A number of things, below 10^18. */
export const count = wholeNumber('count', 'BIGINT', 18, usual('[0-9]{1,18}', bigintSql));

/** An unsigned number of 64 bits, or of 20 digits: gas, nonces. */
export const unsigned = wholeNumber(
  'unsigned',
  'DECIMAL(20,0)',
  20,
  usual('[0-9]{1,18}', (sql) => `CAST(${bigintSql(sql)} AS DECIMAL(20,0))`),
);

/** A whole number below 10^38: prices in wei, difficulties. */
export const quantity = wholeNumber(
  'quantity',
  'DECIMAL(38,0)',
  38,
  // The direct cast of a text is a hundred times as slow.
  usual('[0-9]{1,18}', (sql) => `CAST(${bigintSql(sql)} AS DECIMAL(38,0))`),
);

/** A whole number of any size, as text: raw amounts reach 78 digits. None has a sign. */
export const integer = kind({
  name: 'integer',
  pattern: /^[0-9]+$/,
  columns: only('VARCHAR'),
  usual: usual('[0-9]+', same),
  spelled: spelledWhole,
  cells: [same],
});

/** Milliseconds since the Unix epoch, stored as a UTC timestamp. */
export const time = kind({
  name: 'time',
  pattern: /^[0-9]{1,15}$/,
  columns: only('TIMESTAMPTZ'),
  usual: usual('[0-9]{1,15}', (sql) => `make_timestamptz(${bigintSql(sql)} * 1000)`),
  spelled: spelledWhole,
  cells: [(value) => BigInt(value) * 1000n],
});

/**
 * A decimal amount of any size, without a sign: the ledger adds one by the direction. The columns
 * are the exact text and the number, which is NULL if it has more than 20 digits before the point
 * or 18 after it.
 */
export const amount: Kind = kind({
  name: 'amount',
  pattern: /^[0-9]+(\.[0-9]+)?$/,
  columns: [
    { suffix: '_text', type: 'VARCHAR' },
    { suffix: '', type: 'DECIMAL(38,18)' },
  ],
  // Casting would round further digits.
  usual: usual('(?:0|[1-9][0-9]*)(?:\\.[0-9]{1,18})?', same, scaled18Sql),
  spelled: spelledNumber,
  cells: [same, scaled18],
});

/** True or false, as JSON booleans. */
export const flag: Kind = kind({
  name: 'flag',
  wire: 'boolean',
  pattern: /^(true|false)$/,
  columns: only('BOOLEAN'),
  usual: usual('(?:true|false)', (sql) => `${sql} = 'true'`),
  spelled: unpadded,
  cells: [(value) => value === 'true'],
});

/** Any text (symbols, names, states, types), kept as served. */
export const text = kind({
  name: 'text',
  pattern: /^[\s\S]*$/,
  columns: only('VARCHAR'),
  // A JSON string without \u escapes: those of half characters have no UTF-8.
  usual: usual('[^"\\\\\\x00-\\x1f]*(?:\\\\["\\\\/bfnrt][^"\\\\\\x00-\\x1f]*)*', same),
  spelled: same,
  cells: [same],
});

/** The addresses in a party's text, in the spelling of its cells, in the given order. */
export function addressesIn(value: string): string[] {
  return value.split(',').map(spelledName).filter(Boolean);
}

/**
 * The direct cast of a text takes 20 times as long. Whole numbers are cast fast, so the digits are
 * cast without the point and with 18 places, and the factor moves the point back, exactly.
 */
function scaled18Sql(text: string): string {
  const point = `strpos(${text}, '.')`;
  const zeros = `substr('${'0'.repeat(18)}', length(${text}) - ${point} + 1)`;
  const digits = `replace(${text}, '.', '') || ${zeros}`;
  return (
    `CASE WHEN ${point} > 21 OR (${point} = 0 AND length(${text}) > 20) THEN NULL` +
    ` WHEN ${point} = 0 THEN CAST(CAST(${text} AS HUGEINT) AS DECIMAL(38,18))` +
    ` ELSE CAST(CAST(${digits} AS HUGEINT) AS DECIMAL(38,0)) * ${SMALLEST} END`
  );
}

const SMALLEST = `CAST('0.${'0'.repeat(17)}1' AS DECIMAL(18,18))`;

function scaled18(text: string): bigint | null {
  const point = text.indexOf('.');
  const whole = text.slice(0, point < 0 ? text.length : point);
  let end = point < 0 ? 0 : text.length;
  while (text[end - 1] === '0') end -= 1;
  const digits = point < 0 ? '' : text.slice(point + 1, end);
  if (digits.length > 18) return null;
  return /^0*[0-9]{0,20}$/.test(whole) ? BigInt(whole + digits.padEnd(18, '0')) : null;
}
