import type { TimeSlices } from '../protocol/time-slices.ts';
import { type Moved, settle } from './balances.ts';
import type { SimulatedChain } from './chain.ts';
import { firstDifference } from './primary/forks.ts';

/**
 * Balances and transaction counts of all addresses after every block. Each block is counted once,
 * unless a reorganisation replaces it.
 */
export interface BalanceLedger {
  /** Resolves when the blocks up to `height` are counted; other requests run in the meantime. */
  reach(height: number): Promise<void>;
  /** The highest height that is counted; -1 before the first one. */
  reached(): number;
  /** Wei, including the allocation; 0 for an unknown address. The height must have been reached. */
  nativeAt(address: string, height: number): bigint;
  /** Wei by address that all blocks up to a height have moved, without the allocation. */
  movedAt(height: number): ReadonlyMap<string, bigint>;
  /**
   * The balance of a token, including its allocation, in units of 10^-18 of shown amounts; of all
   * ids together if `tokenId` is absent. Negative if an address without an allocation sent tokens.
   */
  tokensAt(address: string, token: string, height: number, tokenId?: string): bigint;
  /** The sum of all balances of a token, in the same units; negative balances count as 0. */
  supplyAt(token: string, height: number): bigint;
  /** The last receiver of the token with this id; undefined if it was never moved. */
  ownerAt(token: string, tokenId: string, height: number): string | undefined;
  /** How many transactions the address had sent. */
  sentAt(address: string, height: number): number;
}

/** Higher blocks are not counted, because that takes minutes and hundreds of megabytes. */
export const MOST_LEDGER_BLOCKS = 300_000;

/** Heights of changes, never decreasing, and the value from each of them on. */
interface History<T> {
  readonly heights: number[];
  readonly values: T[];
}

/** The ledger of a chain, empty before the first call of `reach`. */
export function ledgerOf(chain: SimulatedChain, slices: TimeSlices): BalanceLedger {
  const native = new Map<string, History<bigint>>();
  const tokens = new Map<string, History<bigint>>();
  const supplies = new Map<string, History<bigint>>();
  const owners = new Map<string, History<string>>();
  const sent = new Map<string, History<number>>();
  let counted = -1;
  let { forks } = chain;

  const tokenAllocation = (address: string, token: string): bigint =>
    chain.allocations.has(address) ? (chain.tokenAllocations.get(token) ?? 0n) : 0n;
  /** The counted height, without blocks that were replaced since. */
  const reached = (): number => {
    if (chain.forks === forks) return counted;
    const from = firstDifference(forks, chain.forks);
    forks = chain.forks;
    if (from > counted) return counted;
    for (const histories of [native, tokens, supplies, owners, sent]) cutFrom(histories, from);
    counted = from - 1;
    return counted;
  };
  const count = (height: number): void => {
    const moved: Moved = { native: new Map(), tokens: new Map() };
    for (const execution of chain.executedAt(height).executed) {
      settle(moved, execution);
      for (const { tokenAddress, tokenId, to } of execution.transfers) {
        if (tokenId !== '') append(owners, `${tokenAddress}|${tokenId}`, height, to);
      }
      append(sent, execution.sender, height, (sent.get(execution.sender)?.values.at(-1) ?? 0) + 1);
    }
    for (const [address, wei] of moved.native) addTo(native, address, height, wei);
    for (const [key, units] of moved.tokens) {
      addTo(tokens, key, height, units);
      const [address = '', token = ''] = key.split('|');
      const moved = tokens.get(`${address}|${token}`)?.values.at(-1) ?? 0n;
      const held = tokenAllocation(address, token) + moved;
      addTo(tokens, `${address}|${token}`, height, units);
      addTo(supplies, token, height, supplyMoved(held, units));
    }
    counted = height;
  };
  // Concurrent calls continue from the height that others have counted.
  const countTo = async (height: number): Promise<void> => {
    while (reached() < height) {
      if (slices.isOver()) await slices.next();
      else count(counted + 1);
    }
  };
  /** A counted height may have been replaced since, as may a few hundred heights below it. */
  const countAgain = (height: number): void => {
    while (reached() < height) count(counted + 1);
  };

  return {
    reach: countTo,
    reached,
    nativeAt: (address, height) => {
      countAgain(height);
      return chain.allocationWei(address) + (valueAt(native.get(address), height) ?? 0n);
    },
    movedAt: (height) => {
      countAgain(height);
      const sums = [...native].map(([key, sum]) => [key, valueAt(sum, height) ?? 0n] as const);
      return new Map(sums);
    },
    tokensAt: (address, token, height, tokenId) => {
      countAgain(height);
      const key = tokenId === undefined ? `${address}|${token}` : `${address}|${token}|${tokenId}`;
      return tokenAllocation(address, token) + (valueAt(tokens.get(key), height) ?? 0n);
    },
    supplyAt: (token, height) => {
      countAgain(height);
      const allocated = (chain.tokenAllocations.get(token) ?? 0n) * BigInt(chain.allocations.size);
      return allocated + (valueAt(supplies.get(token), height) ?? 0n);
    },
    ownerAt: (token, tokenId, height) => {
      countAgain(height);
      return valueAt(owners.get(`${token}|${tokenId}`), height);
    },
    sentAt: (address, height) => {
      countAgain(height);
      return valueAt(sent.get(address), height) ?? 0;
    },
  };
}

/** The change of a token's supply by one movement, where negative balances count as 0. */
export function supplyMoved(held: bigint, units: bigint): bigint {
  const most = (value: bigint): bigint => (value > 0n ? value : 0n);
  return most(held + units) - most(held);
}

/** Removes the changes at `from` and above. */
function cutFrom(histories: ReadonlyMap<string, History<unknown>>, from: number): void {
  for (const { heights, values } of histories.values()) {
    while ((heights.at(-1) ?? -1) >= from) {
      heights.pop();
      values.pop();
    }
  }
}

function addTo(
  histories: Map<string, History<bigint>>,
  key: string,
  height: number,
  amount: bigint,
): void {
  append(histories, key, height, (histories.get(key)?.values.at(-1) ?? 0n) + amount);
}

function append<T>(histories: Map<string, History<T>>, key: string, height: number, value: T) {
  const history = histories.get(key) ?? { heights: [], values: [] };
  histories.set(key, history);
  history.heights.push(height);
  history.values.push(value);
}

/** The value after block `height`; undefined before the first change. */
function valueAt<T>(history: History<T> | undefined, height: number): T | undefined {
  if (history === undefined) return undefined;
  const { heights, values } = history;
  let low = 0;
  let high = heights.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((heights[middle] ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return values[low - 1];
}
