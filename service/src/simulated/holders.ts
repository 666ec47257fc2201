import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { TOKEN_PLACES } from './primary/movements.ts';
import type { Token } from './primary/population.ts';
import { nativeText } from './primitives/native.ts';

/** The balance of the initial addresses before the first block: a billion native tokens. */
export const NATIVE_ALLOCATION_WEI = 10n ** 27n;
/** Whole tokens of each initial address before the first block; of each id, if there are ids. */
const TOKEN_ALLOCATION = 10n ** 18n;
/** Balance before block 0 of tokens without decimals, whose transfers have up to 72 digits. */
const RAW_ALLOCATION = 10n ** 73n;
/** Number of ranks. Smaller balances have no rank. */
export const MOST_HOLDERS = 10_000;

/** The allocation of every address in the list. */
export function allocationOf(addresses: readonly string[]): ReadonlyMap<string, bigint> {
  return new Map(addresses.map((address) => [address, NATIVE_ALLOCATION_WEI]));
}

/** Units of 10^-18 of shown amounts that every initial address has of a token, by its address. */
export function tokenAllocationsOf(tokens: readonly Token[]): ReadonlyMap<string, bigint> {
  const units = 10n ** BigInt(TOKEN_PLACES);
  return new Map(
    tokens.map(({ address, decimals }) => {
      return [address, units * (decimals === undefined ? RAW_ALLOCATION : TOKEN_ALLOCATION)];
    }),
  );
}

interface Holder {
  readonly address: string;
  readonly wei: bigint;
  /** The balance as a double: fast to compare, in the order of the exact balances. */
  readonly rounded: number;
}

/**
 * The ranking of positive balances (allocation and movements), the largest first. 100,000 balances
 * take a tenth of a second.
 */
export function holderRecords(
  height: number,
  allocations: ReadonlyMap<string, bigint>,
  moved: ReadonlyMap<string, bigint>,
): CanonicalRecord[] {
  const addresses = new Set([...allocations.keys(), ...moved.keys()]);
  const holders = [...addresses].flatMap((address): Holder[] => {
    const wei = (allocations.get(address) ?? 0n) + (moved.get(address) ?? 0n);
    return wei > 0n ? [{ address, wei, rounded: Number(wei) }] : [];
  });
  const ranked = holders.sort(inRankingOrder).slice(0, MOST_HOLDERS);
  return ranked.map(({ address, wei }, nth) => ({
    as_of_block: String(height),
    holder_rank: String(nth + 1),
    symbol: 'NATIVE',
    holder_address: address,
    amount: doubleText(nativeText(wei)),
  }));
}

function inRankingOrder(a: Holder, b: Holder): number {
  if (a.rounded !== b.rounded) return b.rounded - a.rounded;
  if (a.wei !== b.wei) return a.wei > b.wei ? -1 : 1;
  return a.address < b.address ? -1 : 1;
}

/**
 * A decimal text rounded to a double, as the ranking has its amounts: the shortest digits of the
 * nearest double, without an exponent. Keeps 15 to 17 digits of the exact amount:
 * `1000000012.345678901234567890` becomes `1000000012.3456789`.
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
