import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed } from '../catalogue/index.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import type { Chunks } from './chunks.ts';
import { chunksOf } from './chunks.ts';
import type { RecordIndex } from './record-index.ts';
import { createPager, newestIn } from './record-index.ts';
import { isSnapshot, snapshotIndex } from './snapshots.ts';
import type { Selection, Source } from './source.ts';

/** A simulated chain as a source. */
export interface ChainSource extends Source {
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
export function chainSource(chain: SimulatedChain, options: ChainSourceOptions = {}): ChainSource {
  const { advancePerRequest = 0 } = options;
  const axes = axesOf(chain);
  const page = createPager();
  const holders = rankingAt(chain);
  /** Where between two blocks the primary chain is. */
  let position = chain.head;
  const head = (axis: Axis): number => {
    const block = Math.floor(position);
    if (axis === 'primary') return block;
    const least = chain.zone.headAt(block);
    return least + Math.floor((chain.zone.headAt(block + 1) - least) * (position - block));
  };
  // A chunk holds whole heights beyond the head; they are not there yet for a reader.
  const upToHead = <S extends Selection>(asked: S): S => {
    const { from, to } = asked.interval;
    const { axis } = datasetNamed(asked.dataset);
    return { ...asked, interval: { from, to: Math.min(to, head(axis)) } };
  };
  const parts = (asked: Selection): Iterable<RecordIndex> => {
    const dataset = datasetNamed(asked.dataset);
    return isSnapshot(dataset)
      ? [holders(dataset.name, head('primary'))]
      : axes[dataset.axis].parts(asked);
  };

  return {
    names: {
      primary: { shortName: chain.shortName, fullName: chain.fullName },
      zone: { shortName: chain.zone.shortName, fullName: chain.zone.fullName },
    },
    head,
    requested: () => {
      position += advancePerRequest;
    },
    growTo: (newHead) => {
      if (!Number.isSafeInteger(newHead) || newHead < position) {
        throw new RangeError(`the head is ${head('primary')} and cannot become ${newHead}`);
      }
      position = newHead;
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
