import type { ExecutedBlock } from './blocks.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { Crossing } from './bridge/crossing.ts';
import { totalRaw } from './bridge/crossing.ts';
import { TOKEN_PLACES } from './primary/movements.ts';
import type { Executed } from './primary/transactions.ts';

/**
 * Sums of net movements since the first block. Sums may be negative, and addresses with a sum of 0
 * stay in the maps. Minted tokens come from the zero address, so its sums are negative.
 */
export interface Balances {
  /**
   * Wei by address: values, fees and internal values, including deposits to the bridge and its
   * payments. A failed transaction moves its fee only. Fees have no recipient.
   */
  readonly native: ReadonlyMap<string, bigint>;
  /**
   * Units of 10^-18 of the amounts that records show, whatever the token, by
   * `address|token_address|token_id`; the last part is empty for tokens without ids.
   */
  readonly tokens: ReadonlyMap<string, bigint>;
  /**
   * Balances on the zone chain from crossings, with the same keys and units, and the native token
   * under its conventional address. A deposit adds to its targets and a withdrawal subtracts from
   * its source, at the height of the zone leg. Refused withdrawals move nothing.
   */
  readonly zone: ReadonlyMap<string, bigint>;
}

/** The mutable form of `Balances`. */
export interface Moved {
  readonly native: Map<string, bigint>;
  readonly tokens: Map<string, bigint>;
}

interface Sums extends Moved {
  readonly zone: Map<string, bigint>;
  /** The height of the sums. */
  height: number;
  /** Crossings up to this height whose zone leg is later. */
  coming: Crossing[];
  /** Crossings are known up to this height of the primary chain. */
  crossingsTo: number;
}

/** Balances by height. It keeps the sums of the last height and continues from them. */
export interface BalanceBook {
  at(height: number): Balances;
  /**
   * The book of a chain with other blocks from a height on. It reuses the sums below the height.
   */
  forked(from: number, blockAt: (height: number) => ExecutedBlock): BalanceBook;
}

/** Blocks between two saved copies of the sums. The older copy is below a fork of 300 blocks. */
const MARK_BLOCKS = 320;
const KEPT_MARKS = 2;

/** The book of these blocks. `marks` are known sums, in order of height. */
export function balanceBook(
  blockAt: (height: number) => ExecutedBlock,
  bridge: Bridge,
  marks: readonly Sums[] = [],
): BalanceBook {
  let sums = nothing();
  let kept = marks;
  let copied: { readonly height: number; readonly balances: Balances } | undefined;
  const count = (to: number): void => {
    const known = to < sums.height ? nothing() : sums;
    const mark = kept.findLast(({ height }) => height <= to && height > known.height);
    sums = mark === undefined ? known : copyOf(mark);
    while (sums.height < to) {
      sums.height += 1;
      for (const each of blockAt(sums.height).executed) settle(sums, each);
      const isNear = to - sums.height < MARK_BLOCKS * KEPT_MARKS;
      if (!isNear || sums.height % MARK_BLOCKS !== 0) continue;
      const lower = kept.filter(({ height }) => height < sums.height);
      kept = [...lower, copyOf(sums)].slice(-KEPT_MARKS);
    }
  };
  return {
    at: (height) => {
      if (copied?.height === height) return copied.balances;
      count(height);
      settleZone(sums, bridge);
      const { native, tokens, zone } = copyOf(sums);
      copied = { height, balances: { native, tokens, zone } };
      return copied.balances;
    },
    forked: (from, otherBlockAt) => {
      const lower = kept.filter(({ height }) => height < from);
      return balanceBook(otherBlockAt, bridge, lower);
    },
  };
}

function copyOf(sums: Sums): Sums {
  return {
    ...sums,
    native: new Map(sums.native),
    tokens: new Map(sums.tokens),
    zone: new Map(sums.zone),
    coming: [...sums.coming],
  };
}

function nothing(): Sums {
  return {
    native: new Map(),
    tokens: new Map(),
    zone: new Map(),
    height: -1,
    coming: [],
    crossingsTo: -1,
  };
}

function add(to: Map<string, bigint>, key: string, amount: bigint): void {
  to.set(key, (to.get(key) ?? 0n) + amount);
}

/** Adds the movements of a transaction on the primary chain. */
export function settle({ native, tokens }: Moved, executed: Executed): void {
  const { sender, to, amountWei, feeWei } = executed;
  add(native, sender, -feeWei);
  if (executed.failed) return;
  if (to !== null && amountWei > 0n) {
    add(native, sender, -amountWei);
    add(native, to, amountWei);
  }
  for (const call of executed.internal) {
    if (call.movedWei === 0n) continue;
    add(native, call.from, -call.movedWei);
    add(native, call.to, call.movedWei);
  }
  for (const move of executed.transfers) {
    const held = `${move.tokenAddress}|${move.tokenId}`;
    add(tokens, `${move.from}|${held}`, -move.units);
    add(tokens, `${move.to}|${held}`, move.units);
  }
}

/** Settles the crossings whose zone leg the zone's head has reached. */
function settleZone(sums: Sums, bridge: Bridge): void {
  const head = bridge.clock.headAt(sums.height);
  if (head < 0) return;
  // Up to the zone's head, nothing is paid above the primary one.
  while (sums.crossingsTo < sums.height) {
    sums.crossingsTo += 1;
    sums.coming.push(...bridge.crossingsOf(sums.crossingsTo));
  }
  for (const crossing of sums.coming) {
    if (crossing.zoneHeight <= head) settleCrossing(sums.zone, crossing);
  }
  sums.coming = sums.coming.filter(({ zoneHeight }) => zoneHeight > head);
}

function settleCrossing(zone: Map<string, bigint>, crossing: Crossing): void {
  const { asset, source, payouts, type } = crossing;
  if (crossing.refused) return;
  const held = `${asset.tokenAddress}|${crossing.tokenId ?? ''}`;
  const unitsOfRaw = 10n ** BigInt(TOKEN_PLACES - asset.places);
  if (type !== 'Deposit') {
    add(zone, `${source}|${held}`, -totalRaw(crossing) * unitsOfRaw);
    return;
  }
  for (const { target, raw } of payouts) add(zone, `${target}|${held}`, raw * unitsOfRaw);
}
