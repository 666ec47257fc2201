/** A decimal number of any size, exact: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** undefined for text that is no decimal number. */
export function decimalOf(text: string): Decimal | undefined {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  return { digits: BigInt(sign + whole + fraction), scale: fraction.length };
}

/** Negative, zero or positive, as `a` is below, equal to or above `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = digitsAt(a, scale) - digitsAt(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The number that is `steps` units of the last of `decimals` places away. */
export function stepped(from: Decimal, steps: bigint, decimals: number): Decimal {
  const scale = Math.max(from.scale, decimals);
  return { digits: digitsAt(from, scale) + steps * 10n ** BigInt(scale - decimals), scale };
}

/** Plain digits, without an exponent and without zeros at the end of a fraction. */
export function plainDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

function digitsAt(of: Decimal, scale: number): bigint {
  return of.digits * 10n ** BigInt(scale - of.scale);
}
