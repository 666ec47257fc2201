import type { Endpoint } from '../catalogue/entry.ts';
import { datasetNamed, paramOf } from '../catalogue/index.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { Densities } from '../coverage/density.ts';
import { type List, listKey } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import { blocksIn } from '../coverage/ranges.ts';
import type { Route } from '../pipeline/requests.ts';

/** The shape of a list's slices, its depth limit, and its price in requests. */

export interface Shape {
  /** Most blocks of one slice; Infinity if the interface sets no limit. */
  readonly blocks: number;
  /** Most keys of one slice. */
  readonly keys: number;
}

/** A list with the bounds of its requests. */
export interface Way {
  readonly list: List;
  readonly pageSize: number;
  readonly shape: Shape;
  /** The lowest height that the list can return. */
  readonly depthLimit: number;
}

/** Blocks of one slice of a positional list without keys, to limit memory. */
const POSITIONAL_BLOCKS = 100_000;

interface Limits {
  readonly windowBlocks: number;
  readonly groupSize: number;
}

interface Heights {
  readonly head: number;
  readonly depthLimit?: number;
}

/**
 * The way of a route's list under the pipeline's own limits. If the coverage says that ranges of
 * the list exclude their first block, its lowest height is 1.
 */
export function wayOf(
  route: Route,
  list: List,
  limits: Limits,
  heads: Heights,
  coverage?: Coverage,
): Way {
  const limit = depthLimitOf(list.entry, heads);
  const reason = depthReason(list, 1);
  const openKeys = [...(coverage?.keysOf(list).openKeys() ?? [])];
  const isStartHidden = openKeys.some((key) => coverage?.get(list, key)[0]?.reason === reason);
  return {
    list,
    pageSize: route.pageSize ?? Number.POSITIVE_INFINITY,
    shape: shapeOf(list.entry, limits),
    depthLimit: isStartHidden ? Math.max(1, limit) : limit,
  };
}

function shapeOf(endpoint: Endpoint, limits: Limits): Shape {
  const param = paramOf(endpoint, 'keys');
  const keys = Math.min(limits.groupSize, param?.max ?? 1);
  const { blockSpan } = endpoint.limits;
  if (endpoint.list === 'by-key') return { blocks: 1, keys };
  // A positional list of one key stays whole: finding the start of each slice would cost more.
  if (endpoint.list === 'positional' && param === undefined) {
    return { blocks: POSITIONAL_BLOCKS, keys };
  }
  if (blockSpan === undefined) return { blocks: Number.POSITIVE_INFINITY, keys };
  return { blocks: Math.min(limits.windowBlocks, blockSpan), keys };
}

function depthLimitOf(endpoint: Endpoint, { head, depthLimit = head + 1 }: Heights): number {
  const { depthBlocks, depthYears } = endpoint.limits;
  if (depthBlocks !== undefined) return Math.max(0, head - depthBlocks + 1);
  return depthYears === undefined ? 0 : depthLimit;
}

/** The coverage reason of heights below the depth limit. */
export function depthReason({ endpoint }: List, depthLimit: number): string {
  return `the list reaches no further back than height ${depthLimit} (${endpoint})`;
}

/**
 * Requests of a walk without records. A list without a page count or a total takes three: an empty
 * page, a request with a known answer, and the empty page again.
 */
export function leastRequests(endpoint: Endpoint): number {
  const isOpenEnded = endpoint.reply.shape === 'bare' && paramOf(endpoint, 'page') !== undefined;
  return isOpenEnded ? 3 : 1;
}

/** Expected rows of a slice from the definition of its list; undefined for most lists. */
export function naturalRows(endpoint: Endpoint, blocks: number): number | undefined {
  if (endpoint.limits.depthRecords !== undefined) return endpoint.limits.depthRecords;
  const { isOnePerHeight } = datasetNamed(endpoint.dataset);
  return isOnePerHeight === true ? blocks : undefined;
}

/** Estimated requests to read an interval for a number of keys. */
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
