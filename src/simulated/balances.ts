import type { ExecutedBlock } from './blocks.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { Crossing } from './bridge/crossing.ts';
import { totalRaw } from './bridge/crossing.ts';
import { TOKEN_PLACES } from './primary/movements.ts';
import type { Executed } from './primary/transactions.ts';

/**
 * Sums of movements since the first block. A sum may be negative; an address that gave away
 * everything it received stays with 0. Minted tokens come from the zero address, whose sums are
 * therefore negative.
 */
export interface Balances {
  /**
   * Wei by address: values, fees, internal values, and the deposits and payments of the bridge.
   * Failed transactions cost their fee only. Fees leave the sums, because no address receives them.
   */
  readonly native: ReadonlyMap<string, bigint>;
  /**
   * By `address|token_address|token_id`, with an empty last part for tokens without ids. All tokens
   * use units of 10^-18 of the amounts that records show.
   */
  readonly tokens: ReadonlyMap<string, bigint>;
  /**
   * Movements to and from the zone chain, with the same keys and units; the native token has its
   * conventional address. A deposit adds to its targets and a withdrawal takes from its source,
   * each at the height of the zone leg. Refused withdrawals move nothing.
   */
  readonly zone: ReadonlyMap<string, bigint>;
}

/** Sums under construction; see `Balances`. */
export interface Moved {
  readonly native: Map<string, bigint>;
  readonly tokens: Map<string, bigint>;
}

interface Sums extends Moved {
  readonly zone: Map<string, bigint>;
  /** The height of the sums. */
  height: number;
  /** Crossings of the counted primary heights whose zone leg lies above the zone's head. */
  coming: Crossing[];
  /** The primary height up to which crossings are known. */
  crossingsTo: number;
}

/** Balances by height. The sums of the most recent height are kept and continued. */
export interface BalanceBook {
  at(height: number): Balances;
  /**
   * The book of a chain with other blocks from a height on. It reuses all sums below that height.
   */
  forked(from: number, blockAt: (height: number) => ExecutedBlock): BalanceBook;
}

/** Distance of the saved sums in blocks: older ones lie below a fork that is 300 blocks deep. */
const MARK_BLOCKS = 320;
const KEPT_MARKS = 2;

/** The book of these blocks; `marks` are known sums of some heights, in ascending order. */
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
  // Payments up to the zone's head lie at or below the primary height.
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
