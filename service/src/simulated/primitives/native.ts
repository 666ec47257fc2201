/** Conversion of exact amounts from smallest units to decimal text. */

/** Places after the point of the native token: its smallest unit is a wei. */
export const NATIVE_PLACES = 18;

/** An amount of wei as decimal text without trailing zeros: `1050000000000000000` is `1.05`. */
export function nativeText(wei: bigint): string {
  return decimalOfUnits(wei, NATIVE_PLACES);
}

/** `raw` smallest units, 0 or more, of a token with this many places, without trailing zeros. */
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
