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
  return scale < 0 ? { digits: digits * tenTo(-scale), scale: 0 } : { digits, scale };
}

/** Plain digits, without an exponent and without zeros at the end of a fraction. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

/** Compares decimal texts of any size exactly: below 0, 0 or above 0. Other texts count as 0. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [decimalOf(a) ?? ZERO, decimalOf(b) ?? ZERO];
  const difference = left.digits * tenTo(right.scale) - right.digits * tenTo(left.scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

const ZERO: Decimal = { digits: 0n, scale: 0 };

function tenTo(power: number): bigint {
  return 10n ** BigInt(power);
}
