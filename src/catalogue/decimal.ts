/** A decimal number of any size, exact: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/**
 * undefined for text that is not a decimal number. It may end or begin with the point, and have a
 * sign and an exponent below 1,000, as in `+1.5E-7`.
 */
export function decimalOf(text: string): Decimal | undefined {
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?0*[0-9]{1,3}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (whole + fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Plain digits, without an exponent and without zeros at the end of a fraction. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

/**
 * Compares two decimal texts of any size exactly: below 0, 0 or above 0, as for sorting. Zeros
 * before and behind the digits make no difference, and neither does the sign of zero.
 */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left.sign !== right.sign) return left.sign - right.sign;
  return left.sign < 0 ? compareSizes(right, left) : compareSizes(left, right);
}

interface Parts {
  readonly sign: -1 | 0 | 1;
  /** Digits before the point, without leading zeros. */
  readonly whole: string;
  /** Digits behind the point, without trailing zeros. */
  readonly fraction: string;
}

function partsOf(text: string): Parts {
  const isNegative = text.startsWith('-');
  const point = text.indexOf('.');
  const end = point < 0 ? text.length : point;
  const whole = withoutLeadingZeros(text.slice(isNegative ? 1 : 0, end));
  const fraction = withoutTrailingZeros(text.slice(end + 1));
  if (whole === '' && fraction === '') return { sign: 0, whole, fraction };
  return { sign: isNegative ? -1 : 1, whole, fraction };
}

function compareSizes(a: Parts, b: Parts): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  return compareTexts(a.whole, b.whole) || compareTexts(a.fraction, b.fraction);
}

/** Digits of one length, or behind a point, stand in the order of their texts. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === '0') start += 1;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
