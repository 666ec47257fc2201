import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { nativeText } from './primitives/native.ts';

/** The balance of the initial addresses before the first block: a billion native tokens. */
export const NATIVE_ALLOCATION_WEI = 10n ** 27n;
/** Number of ranks. Smaller balances have no rank. */
export const MOST_HOLDERS = 10_000;

/** The allocation of every address in the list. */
export function allocationOf(addresses: readonly string[]): ReadonlyMap<string, bigint> {
  return new Map(addresses.map((address) => [address, NATIVE_ALLOCATION_WEI]));
}

interface Holder {
  readonly address: string;
  readonly wei: bigint;
  /** The balance as a double: fast to compare, in the order of the exact balances. */
  readonly rounded: number;
}

/** Records per step. */
const RECORDS_AT_ONCE = 500;

/**
 * The ranking of positive balances (allocation and movements), the largest first. There may be
 * hundreds of thousands of balances, so each step reads about 10,000 of them.
 */
export function* holderRecords(
  height: number,
  allocations: ReadonlyMap<string, bigint>,
  moved: ReadonlyMap<string, bigint>,
): Generator<undefined, CanonicalRecord[]> {
  let holders: Holder[] = [];
  let mostHolders = 2 * MOST_HOLDERS;
  for (const holder of holdersOf(allocations, moved)) {
    holders.push(holder);
    if (holders.length < mostHolders) continue;
    holders = withRank(holders);
    // Many equal balances may remain, so the selection is not repeated for each of them.
    mostHolders = holders.length + MOST_HOLDERS;
    yield;
  }
  const ranked = withRank(holders).sort(inRankingOrder).slice(0, MOST_HOLDERS);
  const records: CanonicalRecord[] = [];
  for (const { address, wei } of ranked) {
    if (records.length % RECORDS_AT_ONCE === 0) yield;
    records.push({
      as_of_block: String(height),
      holder_rank: String(records.length + 1),
      symbol: 'NATIVE',
      holder_address: address,
      amount: doubleText(nativeText(wei)),
    });
  }
  return records;
}

function* holdersOf(
  allocations: ReadonlyMap<string, bigint>,
  moved: ReadonlyMap<string, bigint>,
): Generator<Holder> {
  for (const [address, allocated] of allocations) {
    const wei = allocated + (moved.get(address) ?? 0n);
    if (wei > 0n) yield { address, wei, rounded: Number(wei) };
  }
  for (const [address, wei] of moved) {
    if (wei > 0n && !allocations.has(address)) yield { address, wei, rounded: Number(wei) };
  }
}

/** The balances that are large enough for a rank, as doubles. Keeps all equal ones. */
function withRank(holders: readonly Holder[]): Holder[] {
  const sorted = Float64Array.from(holders, ({ rounded }) => rounded).sort();
  const least = sorted.at(-MOST_HOLDERS) ?? Number.NEGATIVE_INFINITY;
  return holders.filter(({ rounded }) => rounded >= least);
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
