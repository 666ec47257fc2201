import type { CanonicalRecord } from '../catalogue/record.ts';
import { nativeText } from './primitives/native.ts';

/** What everyone known from the start owns before the first block: a billion native tokens. */
export const NATIVE_ALLOCATION_WEI = 10n ** 27n;
/** Smaller balances hold no rank. */
export const MOST_HOLDERS = 10_000;

/** The allocation of every address in the list. */
export function allocationOf(addresses: readonly string[]): ReadonlyMap<string, bigint> {
  return new Map(addresses.map((address) => [address, NATIVE_ALLOCATION_WEI]));
}

/** The ranking of those who own anything: allocation and movements, the largest first. */
export function holderRecords(
  height: number,
  allocations: ReadonlyMap<string, bigint>,
  moved: ReadonlyMap<string, bigint>,
): CanonicalRecord[] {
  const balances = new Map(allocations);
  for (const [address, wei] of moved) balances.set(address, (balances.get(address) ?? 0n) + wei);
  const least = leastRanked([...balances.values()]);
  return [...balances]
    .filter(([, wei]) => wei > 0n && Number(wei) >= least)
    .sort(([a, weiOfA], [b, weiOfB]) => {
      if (weiOfA !== weiOfB) return weiOfA > weiOfB ? -1 : 1;
      return a < b ? -1 : 1;
    })
    .slice(0, MOST_HOLDERS)
    .map(([address, wei], index) => ({
      as_of_block: String(height),
      holder_rank: String(index + 1),
      symbol: 'NATIVE',
      holder_address: address,
      amount: doubleText(nativeText(wei)),
    }));
}

/**
 * What every balance that holds a rank is at least, as a double. Doubles are sorted a hundred times
 * faster than exact balances, of which there may be hundreds of thousands; they keep the order, so
 * no ranked balance lies below.
 */
function leastRanked(balances: readonly bigint[]): number {
  const sorted = Float64Array.from(balances, Number).sort();
  return sorted.at(-MOST_HOLDERS) ?? Number.NEGATIVE_INFINITY;
}

/**
 * A decimal text after a pass through a double, as the ranking states amounts: the shortest digits
 * that name the nearest double, written without an exponent. 15 to 17 digits of the exact amount
 * survive: `1000000012.345678901234567890` becomes `1000000012.3456789`.
 */
export function doubleText(text: string): string {
  const [mantissa = '', exponent] = String(Number(text)).split('e');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
