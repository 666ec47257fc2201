/** Exact amounts: whole smallest units inside, decimal text outside. */

/** Decimal places of the native token: its smallest unit is a wei. */
export const NATIVE_PLACES = 18;

/** An amount of wei as decimal text without trailing zeros: `1050000000000000000` is `1.05`. */
export function nativeText(wei: bigint): string {
  return decimalOfUnits(wei, NATIVE_PLACES);
}

/**
 * Decimal text of `raw` smallest units, 0 or more, with at most `places` decimal places and no
 * trailing zeros.
 */
export function decimalOfUnits(raw: bigint, places: number): string {
  if (raw === 0n) return '0';
  const digits = raw.toString().padStart(places + 1, '0');
  let end = digits.length;
  const point = digits.length - places;
  while (end > point && digits.charCodeAt(end - 1) === 48) end -= 1;
  return end === point
    ? digits.slice(0, point)
    : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}
