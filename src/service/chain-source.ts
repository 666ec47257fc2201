import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed } from '../catalogue/index.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import type { Chunks } from './chunks.ts';
import { chunksOf } from './chunks.ts';
import type { RecordIndex } from './record-index.ts';
import { createPager, newestIn } from './record-index.ts';
import { isSnapshot, snapshotIndex } from './snapshots.ts';
import type { Selection, Source } from './source.ts';
import { MOST_REORGANISED_BLOCKS } from './source.ts';

/** A simulated chain as a source. */
export interface ChainSource extends Required<Omit<Source, 'lacksBlocks' | 'lacks' | 'steady'>> {
  /**
   * The chain as it is at any moment: its forks and blocks become others with a reorganisation.
   * Who keeps anything of it must look at its forks to know whether that still holds.
   */
  readonly chain: SimulatedChain;
  /**
   * The newest height served of the primary chain from now on, with what the zone chain has by
   * then; a RangeError for a lower one than before.
   */
  growTo(head: number): void;
}

export interface ChainSourceOptions {
  /**
   * How many blocks the primary chain grows with every request, and the zone chain with it. May be
   * a part of one: the zone chain grows in smaller steps. Default 0.
   */
  readonly advancePerRequest?: number;
}

/**
 * Answers from the chain and its zone chain, up to a head that may grow. What was computed is kept:
 * about 700 bytes a record, but for the blocks of the zone.
 */
export function chainSource(first: SimulatedChain, options: ChainSourceOptions = {}): ChainSource {
  const { advancePerRequest = 0 } = options;
  let present = first;
  const chain = livingChain(first, () => present);
  const axes = axesOf(chain);
  let page = createPager();
  let holders = rankingAt(chain);
  const growth = growthOf(chain);
  const { head } = growth;
  /** The newest heights whose internal transactions are not listed yet. */
  let unlistedBlocks = 0;
  // A chunk holds whole heights beyond the head; they are not there yet for a reader.
  const upToHead = <S extends Selection>(asked: S): S => {
    const { from, to } = asked.interval;
    const { axis } = datasetNamed(asked.dataset);
    const unlisted = asked.dataset === LATE_DATASET ? unlistedBlocks : 0;
    return { ...asked, interval: { from, to: Math.min(to, head(axis) - unlisted) } };
  };
  const parts = (asked: Selection): Iterable<RecordIndex> => {
    const dataset = datasetNamed(asked.dataset);
    return isSnapshot(dataset)
      ? [holders(dataset.name, head('primary'))]
      : axes[dataset.axis].parts(asked);
  };

  return {
    chain,
    names: {
      primary: { shortName: chain.shortName, fullName: chain.fullName },
      zone: { shortName: chain.zone.shortName, fullName: chain.zone.fullName },
    },
    head,
    requested: () => growth.advance(advancePerRequest),
    growTo: growth.growTo,
    reorganise: (depth) => {
      assertBlocks(depth, 1, Math.min(MOST_REORGANISED_BLOCKS, head('primary') + 1));
      const from = head('primary') - depth + 1;
      // No two blocks have the same hash, so what replaces a block is never what was there before.
      present = present.forked({ from, salt: present.executedAt(from).place.hash });
      axes.primary.forget(from);
      page = createPager();
      holders = rankingAt(chain);
    },
    delayInternal: (blocks) => {
      assertBlocks(blocks, 0, Number.MAX_SAFE_INTEGER);
      unlistedBlocks = blocks;
    },
    find: (query) => {
      const asked = upToHead(query);
      const { axis } = datasetNamed(query.dataset);
      return axes[axis].dense(asked) ?? page(asked, () => [...parts(asked)]);
    },
    newest: (query) => {
      const asked = upToHead(query);
      return newestIn(parts(asked), asked);
    },
  };
}

/** How far the chain is, between two blocks of the primary chain. */
interface Growth {
  head(axis: Axis): number;
  /** Grows by so many blocks, or by a part of one. */
  advance(blocks: number): void;
  /** A RangeError for a lower head than before. */
  growTo(head: number): void;
}

function growthOf({ head: first, zone }: SimulatedChain): Growth {
  let position = first;
  return {
    head: (axis) => {
      const block = Math.floor(position);
      if (axis === 'primary') return block;
      const least = zone.headAt(block);
      return least + Math.floor((zone.headAt(block + 1) - least) * (position - block));
    },
    advance: (blocks) => {
      position += blocks;
    },
    growTo: (head) => {
      if (!Number.isSafeInteger(head) || head < position) {
        throw new RangeError(`the head is ${Math.floor(position)} and cannot become ${head}`);
      }
      position = head;
    },
  };
}

/** What a service that indexes blocks gets to last. */
const LATE_DATASET = 'internal_transactions';

function assertBlocks(blocks: number, least: number, most: number): void {
  if (Number.isSafeInteger(blocks) && blocks >= least && blocks <= most) return;
  throw new RangeError(`${blocks} is not a number of blocks from ${least} to ${most}`);
}

/** A chain whose blocks are those of the present one whenever it is asked. */
function livingChain(chain: SimulatedChain, present: () => SimulatedChain): SimulatedChain {
  return {
    ...chain,
    get forks() {
      return present().forks;
    },
    forked: (fork) => present().forked(fork),
    recordsAt: (height) => present().recordsAt(height),
    executedAt: (height) => present().executedAt(height),
    balancesAt: (height) => present().balancesAt(height),
    holdersAt: (height) => present().holdersAt(height),
  };
}

/**
 * A height of the primary chain costs some 80 us, one of the zone chain 5 us. Hashes of
 * transactions stand in one height of their own chain; those of the primary chain name one crossing
 * on the zone chain.
 */
function axesOf(chain: SimulatedChain): Readonly<Record<Axis, Chunks>> {
  return {
    primary: chunksOf({
      recordsAt: chain.recordsAt,
      chunkBlocks: 1000,
      dense: 'blocks',
      keepsDense: true,
      located: new Set(['tx_hash']),
    }),
    zone: chunksOf({
      recordsAt: chain.zone.recordsAt,
      chunkBlocks: 10_000,
      dense: 'zone_blocks',
      keepsDense: false,
      located: new Set(['tx_hash', 'zone_tx_hash', 'main_tx_hash']),
    }),
  };
}

/** The ranking at a height. Only that of the newest height asked is kept. */
function rankingAt(chain: SimulatedChain): (dataset: string, height: number) => RecordIndex {
  let known: { readonly height: number; readonly index: RecordIndex } | undefined;
  return (dataset, height) => {
    if (known?.height !== height) {
      known = { height, index: snapshotIndex(dataset, chain.holdersAt(height)) };
    }
    return known.index;
  };
}
