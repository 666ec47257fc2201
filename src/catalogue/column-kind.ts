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

export interface Kind {
  readonly name: string;
  /** The JSON type: text for all kinds but the contract flags. */
  readonly wire: 'string' | 'boolean';
  /** A record with a text that does not match is broken. */
  readonly pattern: RegExp;
  readonly columns: readonly ColumnShape[];
  /**
   * One cell per column. Throws a RangeError, with the reason, for text that matches the pattern
   * but that its columns cannot hold exactly.
   */
  decode(text: string): readonly Cell[];
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
  canonical: (text: string) => string,
  decode: (text: string) => Cell,
): Kind {
  const columns = [{ suffix: '', type }];
  return { name, wire: 'string', pattern, columns, canonical, decode: (text) => [decode(text)] };
}

function wholeNumber(text: string): bigint {
  const value = BigInt(text);
  if (value > MAX_BIGINT) throw new RangeError(`${text} does not fit a 64-bit integer`);
  return value;
}

/** `0x` and hex digits, lower-cased. */
export const hash = plain('hash', 'VARCHAR', /^0x[0-9a-fA-F]+$/, lower, lower);

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
  canonical: lower,
  decode: (text) => [text.toLowerCase(), addressesIn(text)],
};

/** One address, lower-cased. */
export const address = plain('address', 'VARCHAR', /^\S+$/, lower, lower);

/** A decimal block number. */
export const height = plain('height', 'BIGINT', /^[0-9]+$/, same, wholeNumber);

/** A whole number below 2^63. */
export const count = plain('count', 'BIGINT', /^[0-9]+$/, same, wholeNumber);

/** A whole number below 10^38: gas prices in wei, difficulties. */
export const quantity = plain('quantity', 'DECIMAL(38,0)', /^[0-9]+$/, same, (text) => {
  const value = BigInt(text);
  if (value >= MAX_DECIMAL) throw new RangeError(`${text} does not fit DECIMAL(38,0)`);
  return value;
});

/** A whole number of any size and sign, as text: raw amounts reach 78 digits. */
export const integer = plain('integer', 'VARCHAR', /^-?[0-9]+$/, same, same);

/** Milliseconds since the Unix epoch, stored as a UTC timestamp. */
export const time = plain('time', 'TIMESTAMPTZ', /^[0-9]{1,15}$/, same, (text) => {
  return BigInt(text) * 1000n;
});

/**
 * A decimal amount of any size. The columns are the exact text and the number, which is NULL if it
 * has more than 20 digits before the point or 18 after it.
 */
export const amount: Kind = {
  name: 'amount',
  wire: 'string',
  pattern: /^-?[0-9]+(\.[0-9]+)?$/,
  columns: [
    { suffix: '_text', type: 'VARCHAR' },
    { suffix: '', type: 'DECIMAL(38,18)' },
  ],
  canonical: same,
  decode: (text) => [text, scaled18(text)],
};

/** True or false, as JSON booleans. */
export const flag: Kind = {
  name: 'flag',
  wire: 'boolean',
  pattern: /^(true|false)$/,
  columns: [{ suffix: '', type: 'BOOLEAN' }],
  canonical: same,
  decode: (text) => [text === 'true'],
};

/** Any text (symbols, names, states, types), kept as served. */
export const text = plain('text', 'VARCHAR', /^[\s\S]*$/, same, same);

/** The addresses in a party's text, lower-cased, in the given order. */
export function addressesIn(text: string): string[] {
  const lowered = text.toLowerCase();
  const parts = lowered.includes(',') ? lowered.split(',') : [lowered];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function scaled18(text: string): bigint | null {
  const negative = text.startsWith('-');
  const start = negative ? 1 : 0;
  const point = text.indexOf('.');
  const whole = text.slice(start, point < 0 ? text.length : point);
  let end = point < 0 ? 0 : text.length;
  while (text[end - 1] === '0') end -= 1;
  const digits = point < 0 ? '' : text.slice(point + 1, end);
  if (digits.length > 18) return null;
  const value = BigInt(whole + digits.padEnd(18, '0'));
  if (value >= MAX_DECIMAL) return null;
  return negative ? -value : value;
}
