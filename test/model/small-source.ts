import { pageIn, type RecordIndex, recordIndex } from '../../service/src/memory/record-index.ts';
import { snapshotIndex } from '../../service/src/memory/snapshots.ts';
import {
  DEFAULT_NAMES,
  type Found,
  type Query,
  type Selection,
  type Source,
} from '../../service/src/protocol/source.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { replicaOrder } from './replica-order.ts';
import type { SmallChain } from './small-chain.ts';

/** Datasets with one record at every height, which is computed when it is asked for. */
const DENSE: ReadonlySet<string> = new Set(['blocks', 'zone_blocks']);

interface Indexed {
  readonly version: number;
  readonly index: RecordIndex;
}

/** How a service may misunderstand what it is asked. */
export interface Bent {
  /** So many blocks more than asked for, before and after. */
  readonly widerBy?: number;
  /** Records of this key too. */
  readonly stranger?: string;
  /** Lists that are closed by heights or hashes begin with the oldest record. */
  readonly isReversed?: boolean;
  /**
   * The back end that answers; each has an order of its own among records of one height. Not of
   * lists that grow in front: docs/trust-model.md promises nothing of those.
   */
  readonly replica?: number;
}

export interface SmallSourceOptions {
  readonly requested: () => void;
  readonly bent: () => Bent;
}

/** What the service answers from: the chain as it is seen at the moment of each request. */
export function smallSource(chain: SmallChain, { requested, bent }: SmallSourceOptions): Source {
  const indexed = new Map<string, Indexed>();
  const indexOf = ({ dataset }: Selection): RecordIndex => {
    const cached = indexed.get(dataset);
    if (cached?.version === chain.version) return cached.index;
    const index = newIndex(chain, dataset);
    indexed.set(dataset, { version: chain.version, index });
    return index;
  };
  return {
    names: DEFAULT_NAMES,
    head: (axis) => chain.heads[axis],
    find: (query: Query) => {
      const index = indexOf(query);
      const how = bent();
      const question = bentQuery(query, how);
      const page = (offset: number, count: number): Found =>
        pageIn(index, { ...question, offset, count });
      const find = isClosed(query) ? replicaOrder(query.dataset, how.replica ?? 0, page) : page;
      return how.isReversed === true && isClosed(query)
        ? reversed(query, find)
        : find(query.offset, query.count);
    },
    newest: (query) => pageIn(indexOf(query), { ...query, offset: 0, count: 1 }).records[0],
    requested,
  };
}

function newIndex(chain: SmallChain, dataset: string): RecordIndex {
  if (DENSE.has(dataset)) return denseIndex(chain, dataset);
  if (dataset === 'native_holders') return snapshotIndex(dataset, chain.rankings.at(-1) ?? []);
  return recordIndex(dataset, chain.seen(dataset));
}

function denseIndex(chain: SmallChain, dataset: string): RecordIndex {
  const head = chain.heads[dataset === 'blocks' ? 'primary' : 'zone'];
  return {
    newest: head,
    record: (height): CanonicalRecord => chain.blockAt(dataset, height),
    match: ({ interval }) => {
      const from = Math.max(0, interval.from);
      const to = Math.min(head, interval.to);
      return { length: Math.max(0, to - from + 1), at: (index) => from + index };
    },
  };
}

/** Whether the order of a list is the service's own affair; lists that grow in front are not. */
function isClosed({ dataset, keys }: Query): boolean {
  const isOfToken = keys?.columns.includes('token_address') === true;
  return !DENSE.has(dataset) && dataset !== 'native_holders' && !isOfToken;
}

function reversed({ offset, count }: Query, find: (offset: number, count: number) => Found): Found {
  const { total } = find(0, 0);
  const end = Math.max(0, total - offset);
  const start = Math.max(0, end - count);
  return { total, records: find(start, end - start).records.toReversed() };
}

function bentQuery(query: Query, { widerBy = 0, stranger }: Bent): Query {
  const { interval, keys } = query;
  const values = keys?.values ?? [];
  const isStrange = stranger !== undefined && keys !== undefined && !values.includes(stranger);
  return {
    ...query,
    interval: { from: interval.from - widerBy, to: interval.to + widerBy },
    ...(isStrange ? { keys: { ...keys, values: [...values, stranger] } } : {}),
  };
}
