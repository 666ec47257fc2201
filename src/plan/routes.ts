import type { Endpoint } from '../catalogue/entry.ts';
import { datasetNamed, paramOf } from '../catalogue/index.ts';
import type { Densities } from '../coverage/density.ts';
import { type List, listKey } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import { blocksIn } from '../coverage/ranges.ts';
import type { Route } from '../pipeline/requests.ts';

/** How one endpoint can be asked: what its requests hold, how far they reach, what they cost. */

export interface Shape {
  /** Largest interval of one slice; Infinity where the interface sets no limit. */
  readonly blocks: number;
  /** Most keys of one slice. */
  readonly keys: number;
}

/** One list as it can be asked now. */
export interface Way {
  readonly list: List;
  readonly pageSize: number;
  readonly shape: Shape;
  /** The lowest height it lists. */
  readonly reach: number;
}

/** A list that moves is cut into pieces of this size, so that none has to be held whole. */
const POSITIONAL_BLOCKS = 100_000;

interface Limits {
  readonly windowBlocks: number;
  readonly groupSize: number;
}

interface Heights {
  readonly head: number;
  readonly horizon?: number;
}

/** The way of a route's list under the pipeline's own limits. */
export function wayOf(route: Route, list: List, limits: Limits, heads: Heights): Way {
  return {
    list,
    pageSize: route.pageSize ?? Number.POSITIVE_INFINITY,
    shape: shapeOf(list.entry, limits),
    reach: reachOf(list.entry, heads),
  };
}

function shapeOf(endpoint: Endpoint, limits: Limits): Shape {
  const asked = paramOf(endpoint, 'keys');
  const keys = Math.min(limits.groupSize, asked?.max ?? 1);
  const { blockSpan } = endpoint.limits;
  if (endpoint.list === 'by-key') return { blocks: 1, keys };
  // A list of one key ends where that key's records end, and bisection would cost more.
  if (endpoint.list === 'positional' && asked === undefined) {
    return { blocks: POSITIONAL_BLOCKS, keys };
  }
  if (blockSpan === undefined) return { blocks: Number.POSITIVE_INFINITY, keys };
  return { blocks: Math.min(limits.windowBlocks, blockSpan), keys };
}

function reachOf(endpoint: Endpoint, { head, horizon = head + 1 }: Heights): number {
  const { depthBlocks, depthYears } = endpoint.limits;
  if (depthBlocks !== undefined) return Math.max(0, head - depthBlocks + 1);
  return depthYears === undefined ? 0 : horizon;
}

/** Why a height below the reach cannot be listed, in words. */
export function depthReason({ list, reach }: Way): string {
  return `the list reaches no further back than height ${reach} (${list.endpoint})`;
}

/**
 * Requests of a walk that finds nothing: where neither a page count nor a total says that a list is
 * empty, it takes a second look with a known answer in between.
 */
export function leastRequests(endpoint: Endpoint): number {
  const isOpenEnded = endpoint.reply.shape === 'bare' && paramOf(endpoint, 'page') !== undefined;
  return isOpenEnded ? 3 : 1;
}

/** Rows of a slice that may be expected without ever having seen any; undefined for most lists. */
export function naturalRows(endpoint: Endpoint, blocks: number): number | undefined {
  if (endpoint.limits.depthRecords !== undefined) return endpoint.limits.depthRecords;
  const { isOnePerHeight } = datasetNamed(endpoint.dataset);
  return isOnePerHeight === true ? blocks : undefined;
}

/** Requests it takes to read an interval for so many keys, as far as one can know. */
export function costOf(way: Way, interval: Interval, keys: number, densities: Densities): number {
  const { list, shape, pageSize } = way;
  const windows = Math.max(1, Math.ceil(blocksIn(interval) / shape.blocks));
  const walks = windows * Math.ceil(keys / shape.keys);
  const density = densities.get(listKey(list));
  const perKeyBlock =
    density === undefined || density.keyBlocks === 0 ? 0 : density.rows / density.keyBlocks;
  const rows =
    perKeyBlock === 0
      ? (naturalRows(list.entry, blocksIn(interval)) ?? 0)
      : perKeyBlock * keys * blocksIn(interval);
  return walks * leastRequests(list.entry) + rows / pageSize;
}
