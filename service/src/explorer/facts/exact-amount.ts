/** Exact amounts as whole numbers of 10^-255, the finest fraction that tokens may have. */

const DIGITS = 255;
const AMOUNT = /^(-?)([0-9]+)(?:\.([0-9]{1,255}))?$/;

/** Throws for text that is not an amount. */
export function unitsOf(amountText: string): bigint {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(amountText) ?? [];
  if (whole === undefined) throw new Error(`${JSON.stringify(amountText)} is not an amount`);
  const units = BigInt(whole + fraction.padEnd(DIGITS, '0'));
  return sign === '-' ? -units : units;
}

/** The amount without needless zeros. */
export function amountTextOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(DIGITS + 1, '0');
  const whole = digits.slice(0, -DIGITS);
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
