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

export interface Kind {
  readonly name: string;
  /** The JSON type: text for all kinds but the contract flags. */
  readonly wire: 'string' | 'boolean';
  /** Canonical texts match it. */
  readonly pattern: RegExp;
  /** Equal cells of the first column have equal cells in the others. */
  readonly columns: readonly ColumnShape[];
  /**
   * The usual spelling, as the source of a regular expression. It is canonical but for the case of
   * hex digits.
   */
  readonly usual: string;
  /** The usual spelling may have hex digits in capitals; the canonical one is in lower case. */
  readonly isHex: boolean;
  /** SQL for one value per column, of the SQL for a canonical text or NULL. */
  sql(text: string): readonly string[];
  /**
   * The canonical spelling, which is stored, compared and served; undefined for an *odd* text: one
   * that is not a value of the kind, or that its columns cannot hold exactly. Blanks and invisible
   * characters around a value are not part of it, but for the kind `text`.
   */
  canonical(text: string): string | undefined;
  /** One cell per column; undefined for an odd text. */
  decode(text: string): readonly Cell[] | undefined;
}

interface KindParts extends Pick<Kind, 'name' | 'pattern' | 'usual'> {
  readonly wire?: Kind['wire'];
  readonly isHex?: true;
  readonly columns: readonly [ColumnShape, ColumnShape?];
  /** The canonical spelling of a text without padding; undefined, or no match, for an odd one. */
  readonly spelled: (text: string) => string | undefined;
  /** Cells of a canonical text: of the first column and, if there is one, of the second. */
  readonly cells: readonly [(text: string) => Cell, ((text: string) => Cell)?];
  /** SQL for the cells, of the SQL for a canonical text; the text itself where it is absent. */
  readonly sql?: readonly [(sql: string) => string, ((sql: string) => string)?];
}

function kind({ wire = 'string', isHex, columns, spelled, cells, sql, ...rest }: KindParts): Kind {
  const [first, second] = cells;
  const canonical = (wireText: string): string | undefined => {
    const value = spelled(wireText);
    return value !== undefined && rest.pattern.test(value) ? value : undefined;
  };
  return {
    ...rest,
    wire,
    isHex: isHex === true,
    columns: columns.filter((shape) => shape !== undefined),
    sql: (text) => (sql ?? [same]).map((cell) => cell?.(text) ?? 'NULL'),
    canonical,
    decode: (wireText) => {
      const value = canonical(wireText);
      if (value === undefined) return undefined;
      return second === undefined ? [first(value)] : [first(value), second(value)];
    },
  };
}

const same = (value: string): string => value;
const only = (type: SqlType): readonly [ColumnShape] => [{ suffix: '', type }];
const spelledWhole = (value: string) => spelledNumber(value)?.replace(/\.0+$/, '');
const withoutZeros = (digits: string | undefined) => digits?.replace(/^0+(?=[0-9])/, '');

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

/** A whole number with at most this many digits, without zeros before them. */
function wholeNumber(name: string, type: SqlType, most: number): Kind {
  const integer = type === 'BIGINT' ? type : 'HUGEINT';
  return kind({
    name,
    pattern: new RegExp(`^[0-9]{1,${most}}$`),
    columns: only(type),
    usual: `(?:0|[1-9][0-9]{0,${most - 1}})`,
    spelled: (value) => withoutZeros(spelledWhole(value)),
    cells: [BigInt],
    // The direct cast of a text to a decimal is a hundred times as slow.
    sql: [(sql) => `CAST(CAST(${sql} AS ${integer}) AS ${type})`],
  });
}

/** `0x` and hex digits, lower-cased, or the name of a record without a hash: `GENESIS_0x...`. */
export const hash = kind({
  name: 'hash',
  pattern: /^(0x[0-9a-fA-F]+|[A-Za-z]+_0x[0-9a-fA-F]{40})$/,
  columns: only('VARCHAR'),
  usual: '0x[0-9a-fA-F]+',
  isHex: true,
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
  usual: `${USUAL_ADDRESS}(?:,${USUAL_ADDRESS})*`,
  isHex: true,
  spelled: (value) => value.split(',').map(spelledName).join(),
  cells: [same, (value) => value.split(',')],
  sql: [
    same,
    (sql) =>
      `CASE WHEN contains(${sql}, ',') THEN string_split(${sql}, ',')` +
      ` WHEN ${sql} IS NOT NULL THEN [${sql}] END`,
  ],
});

/** One address, as `party` has them. */
export const address = kind({
  name: 'address',
  pattern: new RegExp(`^${ADDRESS}$`),
  columns: only('VARCHAR'),
  usual: USUAL_ADDRESS,
  isHex: true,
  spelled: spelledName,
  cells: [same],
});

/** A decimal block number, exact as a number of JavaScript. */
export const height = wholeNumber('height', 'BIGINT', 15);

/** A number of things, below 10^18. */
export const count = wholeNumber('count', 'BIGINT', 18);

/** An unsigned number of 64 bits, or of 20 digits: gas, nonces. */
export const unsigned = wholeNumber('unsigned', 'DECIMAL(20,0)', 20);

/** A whole number below 10^38: prices in wei, difficulties. */
export const quantity = wholeNumber('quantity', 'DECIMAL(38,0)', 38);

/** A whole number of any size, as text: raw amounts reach 78 digits. None has a sign. */
export const integer = kind({
  name: 'integer',
  pattern: /^[0-9]+$/,
  columns: only('VARCHAR'),
  usual: '[0-9]+',
  spelled: spelledWhole,
  cells: [same],
});

/** Milliseconds since the Unix epoch, stored as a UTC timestamp. */
export const time = kind({
  name: 'time',
  pattern: /^[0-9]{1,15}$/,
  columns: only('TIMESTAMPTZ'),
  usual: '(?:0|[1-9][0-9]{0,14})',
  spelled: (value) => {
    const digits = spelledWhole(value) ?? '';
    return digits.length > 15 ? undefined : withoutZeros(digits);
  },
  cells: [(value) => BigInt(value) * 1000n],
  sql: [(sql) => `make_timestamptz(CAST(${sql} AS BIGINT) * 1000)`],
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
  usual: '(?:0|[1-9][0-9]*)(?:\\.[0-9]{1,18})?',
  spelled: spelledNumber,
  cells: [same, scaled18],
  sql: [same, scaled18Sql],
});

/** True or false, as JSON booleans. */
export const flag: Kind = kind({
  name: 'flag',
  wire: 'boolean',
  pattern: /^(true|false)$/,
  columns: only('BOOLEAN'),
  usual: 'true|false',
  spelled: unpadded,
  cells: [(value) => value === 'true'],
  sql: [(sql) => `${sql} = 'true'`],
});

/** Any text (symbols, names, states, types), kept as served. */
export const text = kind({
  name: 'text',
  pattern: /^[\s\S]*$/,
  columns: only('VARCHAR'),
  // A JSON string without \u escapes: those of half characters have no UTF-8.
  usual: '[^"\\\\\\x00-\\x1f]*(?:\\\\["\\\\/bfnrt][^"\\\\\\x00-\\x1f]*)*',
  // Half characters have no UTF-8.
  spelled: (value) => Buffer.from(value).toString(),
  cells: [same],
});

/** The addresses in a party's text, in the spelling of its cells, in the given order. */
export function addressesIn(value: string): string[] {
  return value.split(',').map(spelledName).filter(Boolean);
}

/**
 * The direct cast of a text takes 20 times as long. Whole numbers are cast fast, so the digits are
 * cast without the point and with 18 places, and the factor moves the point back, exactly. Longer
 * numbers fit if zeros make them so long; the cast would round others.
 */
function scaled18Sql(text: string): string {
  const point = `strpos(${text}, '.')`;
  const places = `length(${text}) - ${point}`;
  const digits = `replace(${text}, '.', '') || substr('${'0'.repeat(18)}', ${places} + 1)`;
  const fitting = '0*[0-9]{1,20}([.][0-9]{1,18}0*)?';
  return (
    `CASE WHEN ${point} = 0 AND length(${text}) <= 20` +
    ` THEN CAST(CAST(${text} AS HUGEINT) AS DECIMAL(38,18))` +
    ` WHEN ${point} BETWEEN 1 AND 21 AND ${places} <= 18` +
    ` THEN CAST(CAST(${digits} AS HUGEINT) AS DECIMAL(38,0)) * ${SMALLEST}` +
    ` WHEN regexp_full_match(${text}, '${fitting}') THEN CAST(${text} AS DECIMAL(38,18)) END`
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
