/** Amounts of the native token are exact: whole wei inside, decimal text of up to 18 places out. */

const PLACES = 18;

/** An amount of wei as decimal text without trailing zeros: `1050000000000000000` is `1.05`. */
export function nativeText(wei: bigint): string {
  if (wei === 0n) return '0';
  const digits = wei.toString().padStart(PLACES + 1, '0');
  let end = digits.length;
  const point = digits.length - PLACES;
  while (end > point && digits.charCodeAt(end - 1) === 48) end -= 1;
  return end === point
    ? digits.slice(0, point)
    : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}
