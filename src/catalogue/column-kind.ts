/**
 * A kind defines the format of a value on the wire, the columns it becomes, and the conversion. A
 * kind never gets empty text: it is this interface's null and becomes NULL in every column.
 */
export type SqlType =
  | 'VARCHAR'
  | 'VARCHAR[]'
  | 'BIGINT'
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
  /** A record with a text that does not match is broken. */
  readonly pattern: RegExp;
  /** Equal cells of the first column have equal cells in the others. */
  readonly columns: readonly ColumnShape[];
  readonly usual: UsualSpelling;
  /**
   * One cell per column. Throws a RangeError, with the reason, for text that matches the pattern
   * but that its columns cannot hold exactly.
   */
  decode(text: string): readonly Cell[];
  /** The first cell of `decode`, from which the others follow. */
  firstCell(text: string): Cell;
  /** The canonical spelling, which is stored, compared and served. */
  canonical(text: string): string;
}

const MAX_BIGINT = 2n ** 63n - 1n;
const MAX_DECIMAL = 10n ** 38n;

const same = (text: string): string => text;
const lower = (text: string): string => text.toLowerCase();

function plain(
  name: string,
  type: SqlType,
  pattern: RegExp,
  usual: readonly [pattern: string, sql: (text: string) => string],
  canonical: (text: string) => string,
  decode: (text: string) => Cell,
): Kind {
  const columns = [{ suffix: '', type }];
  return {
    name,
    wire: 'string',
    pattern,
    columns,
    canonical,
    usual: { pattern: usual[0], sql: (sqlText) => [usual[1](sqlText)] },
    decode: (wireText) => [decode(wireText)],
    firstCell: decode,
  };
}

const sameSql = (sql: string): string => sql;
const lowerSql = (sql: string): string => `lower(${sql})`;
const bigintSql = (sql: string): string => `CAST(${sql} AS BIGINT)`;

/** Printable ASCII that JSON does not escape: lower-casing it is the same everywhere. */
const PLAIN = '[!#-\\[\\]-~]';
/** The same without commas. */
const PLAIN_PART = '[!#-+\\--\\[\\]-~]';

function wholeNumber(text: string): bigint {
  const value = BigInt(text);
  if (value > MAX_BIGINT) throw new RangeError(`${text} does not fit a 64-bit integer`);
  return value;
}

/** `0x` and hex digits, lower-cased. */
export const hash = plain(
  'hash',
  'VARCHAR',
  /^0x[0-9a-fA-F]+$/,
  ['0x[0-9a-fA-F]+', lowerSql],
  lower,
  lower,
);

/**
 * One address, or several separated by commas. The columns are the text in lower case and, under
 * the plural name, the list of its addresses.
 */
export const party: Kind = {
  name: 'party',
  wire: 'string',
  pattern: /^\s*[^\s,]+\s*(,\s*[^\s,]+\s*)*$/,
  columns: [
    { suffix: '', type: 'VARCHAR' },
    { suffix: 'es', type: 'VARCHAR[]' },
  ],
  usual: {
    pattern: `${PLAIN_PART}+(?:,${PLAIN_PART}+)*`,
    sql: (text) => [
      lowerSql(text),
      `CASE WHEN contains(${text}, ',') THEN string_split(lower(${text}), ',')` +
        ` WHEN ${text} IS NOT NULL THEN [lower(${text})] END`,
    ],
  },
  canonical: lower,
  decode: (text) => [lower(text), addressesIn(text)],
  firstCell: lower,
};

/** One address, lower-cased. */
export const address = plain('address', 'VARCHAR', /^\S+$/, [`${PLAIN}+`, lowerSql], lower, lower);

/** A decimal block number. */
export const height = plain(
  'height',
  'BIGINT',
  /^[0-9]+$/,
  ['[0-9]{1,15}', bigintSql],
  same,
  wholeNumber,
);

/** A whole number below 2^63. */
export const count = plain(
  'count',
  'BIGINT',
  /^[0-9]+$/,
  ['[0-9]{1,18}', bigintSql],
  same,
  wholeNumber,
);

/** A whole number below 10^38: gas prices in wei, difficulties. */
export const quantity = plain(
  'quantity',
  'DECIMAL(38,0)',
  /^[0-9]+$/,
  // The direct cast of a text is a hundred times as slow.
  ['[0-9]{1,37}', (sql) => `CAST(CAST(${sql} AS HUGEINT) AS DECIMAL(38,0))`],
  same,
  (text) => {
    const value = BigInt(text);
    if (value >= MAX_DECIMAL) throw new RangeError(`${text} does not fit DECIMAL(38,0)`);
    return value;
  },
);

/** A whole number of any size, as text: raw amounts reach 78 digits. None has a sign. */
export const integer = plain('integer', 'VARCHAR', /^[0-9]+$/, ['[0-9]+', sameSql], same, same);

/** Times of blocks lie between these [ms]. Seconds that are read as milliseconds are from 1970. */
export const EARLIEST_MS = Date.UTC(2015, 0, 1);
export const LATEST_MS = Date.UTC(2100, 0, 1);

/** Milliseconds since the Unix epoch, stored as a UTC timestamp. */
export const time = plain(
  'time',
  'TIMESTAMPTZ',
  /^[0-9]{1,15}$/,
  ['[0-9]{1,15}', (sql) => `make_timestamptz(CAST(${sql} AS BIGINT) * 1000)`],
  same,
  (text) => BigInt(text) * 1000n,
);

/**
 * A decimal amount of any size, without a sign: the ledger adds one by the direction. The columns
 * are the exact text and the number, which is NULL if it has more than 20 digits before the point
 * or 18 after it.
 */
export const amount: Kind = {
  name: 'amount',
  wire: 'string',
  pattern: /^[0-9]+(\.[0-9]+)?$/,
  columns: [
    { suffix: '_text', type: 'VARCHAR' },
    { suffix: '', type: 'DECIMAL(38,18)' },
  ],
  usual: {
    // Casting would round further digits.
    pattern: '(?:0|[1-9][0-9]*)(?:\\.[0-9]{1,18})?',
    sql: (text) => [text, scaled18Sql(text)],
  },
  canonical: same,
  decode: (text) => [text, scaled18(text)],
  firstCell: same,
};

/** True or false, as JSON booleans. */
export const flag: Kind = {
  name: 'flag',
  wire: 'boolean',
  pattern: /^(true|false)$/,
  columns: [{ suffix: '', type: 'BOOLEAN' }],
  usual: { pattern: '(?:true|false)', sql: (text) => [`${text} = 'true'`] },
  canonical: same,
  decode: (text) => [text === 'true'],
  firstCell: (text) => text === 'true',
};

/** Any text (symbols, names, states, types), kept as served. */
export const text = plain(
  'text',
  'VARCHAR',
  /^[\s\S]*$/,
  // A JSON string without \u escapes: those of half characters have no UTF-8.
  ['[^"\\\\\\x00-\\x1f]*(?:\\\\["\\\\/bfnrt][^"\\\\\\x00-\\x1f]*)*', sameSql],
  same,
  same,
);

/** The addresses in a party's text, lower-cased, in the given order. */
export function addressesIn(text: string): string[] {
  const lowered = text.toLowerCase();
  if (!lowered.includes(',')) {
    const only = lowered.trim();
    return only === '' ? [] : [only];
  }
  const parts = lowered.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
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
  const value = BigInt(whole + digits.padEnd(18, '0'));
  return value < MAX_DECIMAL ? value : null;
}
