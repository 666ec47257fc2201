import type { Axis } from '../../../src/catalogue/entry.ts';
import { datasetNamed } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { MOST_REORGANISED_BLOCKS, type Selection, type Source } from '../protocol/source.ts';
import { ENDLESS_SLICE, type TimeSlices } from '../protocol/time-slices.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import { holderRecords } from '../simulated/holders.ts';
import { type BalanceLedger, ledgerOf } from '../simulated/ledger.ts';
import { Chunks } from './chunks.ts';
import { computedOnce, Recent } from './recent.ts';
import { pageIn, type RecordIndex } from './record-index.ts';
import { isSnapshot, snapshotIndex } from './snapshots.ts';

/** A simulated chain as a source. */
export interface ChainSource
  extends Required<Omit<Source, 'lacksBlocks' | 'lacks' | 'steady' | 'pending' | 'requested'>> {
  /**
   * The present chain: its forks and blocks change with a reorganisation. Code that caches parts of
   * it must compare its forks before using them.
   */
  readonly chain: SimulatedChain;
  /** Balances after the blocks of the present chain. */
  readonly ledger: BalanceLedger;
}

export interface ChainSourceOptions {
  /**
   * The slices of long computations. If a slice rejects, the computation and its question fail.
   * Default: other requests wait for the whole computation.
   */
  readonly slices?: TimeSlices;
  /** Computes the ranking in the background after the first answer. Default: on its first use. */
  readonly ranksAhead?: boolean;
}

/**
 * Answers from the chain and its zone chain, up to a head that may grow. Keeps the records of
 * 100,000 heights of the primary chain and of 500,000 of the zone chain; whole histories of longer
 * chains are computed again for each question. Tables of a database take more time instead
 * (docs/benchmarks.md), and would have to fork.
 */
export function chainSource(first: SimulatedChain, options: ChainSourceOptions = {}): ChainSource {
  const { slices = ENDLESS_SLICE } = options;
  let { ranksAhead = false } = options;
  let present = first;
  const chain = livingChain(first, () => present);
  let primary = new Chunks({ ...PRIMARY, recordsAt: first.recordsAt }, slices);
  const zone = new Chunks({ ...ZONE, recordsAt: first.zone.recordsAt }, slices);
  const ledger = ledgerOf(chain, slices);
  let ranking = rankingOf(chain, ledger);
  let newestBlock = first.head;
  const head = (axis: Axis): number =>
    axis === 'primary' ? newestBlock : chain.zone.headAt(newestBlock);
  /** Number of newest heights whose internal transactions are not listed yet. */
  let unlistedBlocks = 0;
  // A chunk holds whole heights beyond the head, which readers must not see yet.
  const upToHead = <S extends Selection>(selection: S): S => {
    const { from, to } = selection.interval;
    const { axis } = datasetNamed(selection.dataset);
    const unlisted = selection.dataset === LATE_DATASET ? unlistedBlocks : 0;
    return { ...selection, interval: { from, to: Math.min(to, head(axis) - unlisted) } };
  };
  const chunksAt = (dataset: string): Chunks =>
    datasetNamed(dataset).axis === 'primary' ? primary : zone;
  const rankingAt = (dataset: string): Promise<RecordIndex> => ranking(dataset, head('primary'));

  return {
    chain,
    ledger,
    names: {
      primary: { shortName: chain.shortName, fullName: chain.fullName },
      zone: { shortName: chain.zone.shortName, fullName: chain.zone.fullName },
    },
    head,
    growTo: (height) => {
      if (!Number.isSafeInteger(height) || height < newestBlock) {
        throw new RangeError(`the head is ${newestBlock} and cannot become ${height}`);
      }
      newestBlock = height;
    },
    // Questions in progress continue with the old chain.
    reorganise: (depth) => {
      assertBlocks(depth, 1, Math.min(MOST_REORGANISED_BLOCKS, head('primary') + 1));
      const from = head('primary') - depth + 1;
      // No two blocks have the same hash, so a replacement never equals an earlier block.
      present = present.forked({ from, salt: present.executedAt(from).place.hash });
      primary = primary.forked(from, present.recordsAt);
      ranking = rankingOf(chain, ledger);
    },
    delayInternal: (blocks) => {
      assertBlocks(blocks, 0, Number.MAX_SAFE_INTEGER);
      unlistedBlocks = blocks;
    },
    find: async (query) => {
      const view = upToHead(query);
      if (isSnapshot(datasetNamed(query.dataset))) {
        return pageIn(await rankingAt(query.dataset), view);
      }
      const newestHeight = head('primary');
      const page = await chunksAt(query.dataset).find(view);
      if (ranksAhead) void rankingAt(RANKING).catch(() => undefined);
      ranksAhead = false;
      if (query.dataset !== PRIMARY.dense) return page;
      return { ...page, records: page.records.map((block) => asOf(newestHeight, block)) };
    },
    newest: async (query) => {
      const view = upToHead(query);
      if (isSnapshot(datasetNamed(query.dataset))) {
        return pageIn(await rankingAt(query.dataset), { ...view, offset: 0, count: 1 }).records[0];
      }
      const newestHeight = head('primary');
      const record = await chunksAt(query.dataset).newest(view);
      const isBlock = record !== undefined && query.dataset === PRIMARY.dense;
      return isBlock ? asOf(newestHeight, record) : record;
    },
  };
}

/**
 * A block as it appears at this head: the newest block is pending, and each block above another
 * confirms it.
 */
function asOf(head: number, block: CanonicalRecord): CanonicalRecord {
  const confirmations = head - Number(block['block_number']);
  return {
    ...block,
    confirmations: String(confirmations),
    block_state: confirmations === 0 ? 'pending' : 'done',
  };
}

const RANKING = 'native_holders';
/** The dataset that indexing services list last. */
const LATE_DATASET = 'internal_transactions';

function assertBlocks(blocks: number, least: number, most: number): void {
  if (Number.isSafeInteger(blocks) && blocks >= least && blocks <= most) return;
  throw new RangeError(`${blocks} is not a number of blocks from ${least} to ${most}`);
}

/** A chain whose blocks are always those of the present chain. */
function livingChain(chain: SimulatedChain, present: () => SimulatedChain): SimulatedChain {
  return {
    ...chain,
    get forks() {
      return present().forks;
    },
    forked: (fork) => present().forked(fork),
    recordsAt: (height) => present().recordsAt(height),
    executedAt: (height) => present().executedAt(height),
  };
}

/**
 * Computing a height takes about 100 us on the primary chain and 10 us on the zone chain. A
 * transaction hash belongs to one height of its own chain. On the zone chain, a hash of the primary
 * chain names one crossing.
 */
const PRIMARY = { chunkBlocks: 250, mostChunks: 400, dense: 'blocks', located: ['tx_hash'] };
const ZONE = {
  chunkBlocks: 2500,
  mostChunks: 200,
  dense: 'zone_blocks',
  located: ['tx_hash', 'zone_tx_hash', 'main_tx_hash'],
};

/** The ranking at a height. Only the most recent ranking is kept. */
function rankingOf(chain: SimulatedChain, ledger: BalanceLedger) {
  const kept = new Recent<Promise<RecordIndex>>(1);
  return (dataset: string, height: number): Promise<RecordIndex> =>
    computedOnce(kept, String(height), async () => {
      await ledger.reach(height);
      const ranked = holderRecords(height, chain.allocations, ledger.movedAt(height));
      return snapshotIndex(dataset, ranked);
    });
}
