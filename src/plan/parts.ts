import { grouped } from '../coverage/grouped.ts';
import { blocksIn, type Interval, windowsOf } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import type { PricedRequest } from './estimate.ts';
import type { PlanInput } from './plan.ts';

/**
 * A part of a plan that another process plans again by itself: the slices of one request for some
 * of its keys and heights. Parts of a plan have no key and height in common.
 */
export interface PlanPart {
  /** Position of the request in the pipeline. */
  readonly request: number;
  /** Positions of the keys in their key set; absent where the request has none, or finds them. */
  readonly keys?: Interval;
  readonly interval: Interval;
}

/** A part has at least this many expected requests by default, unless its keys have no more. */
const PART_REQUESTS = 1000;
/** Keys of a part, unless so many keys have too few requests. */
const PART_KEYS = 200;

export interface PartOptions {
  /** The requests whose keys are found in landed rows, or the others. */
  readonly isFound: boolean;
  readonly leastRequests?: number | undefined;
}

interface Share {
  readonly slice: Slice;
  /** Expected requests for the keys of one group. */
  readonly requests: number;
}

/**
 * The parts of the requests whose keys are given, or found, in the order of fetching. Slices above
 * the safe height, snapshots and slices without requests belong to no part: they are few, and the
 * run that follows has them.
 */
export function planParts(
  pipeline: Pipeline,
  priced: readonly PricedRequest[],
  keys: PlanInput['keys'],
  { isFound, leastRequests = PART_REQUESTS }: PartOptions,
): PlanPart[] {
  const parts = pipeline.requests.flatMap((request, position) => {
    const isWanted = (request.foundIn !== undefined) === isFound;
    const planned = isWanted ? priced.filter((candidate) => candidate.request === request) : [];
    const ownKeys = givenKeysOf(request, keys);
    const groups = groupsOf(planned, ownKeys, groupKeys(planned, ownKeys, pipeline, leastRequests));
    return groups.flatMap(({ shares, ...group }) => {
      return bandsOf(shares, leastRequests).map((interval) => ({
        request: position,
        ...group,
        interval,
      }));
    });
  });
  const sign = pipeline.order === 'newest-first' ? -1 : 1;
  return parts.sort((a, b) => sign * (a.interval.from - b.interval.from));
}

/** The keys that are given to a request; undefined where it has none, or finds them. */
export function givenKeysOf(
  { keySet, foundIn }: PipelineRequest,
  keys: PlanInput['keys'],
): readonly string[] | undefined {
  return keySet === undefined || foundIn !== undefined ? undefined : (keys[keySet] ?? []);
}

/** The number of keys whose requests are enough for a part, a multiple of those of a request. */
function groupKeys(
  planned: readonly PricedRequest[],
  keys: readonly string[] = [],
  { groupSize }: Pipeline,
  leastRequests: number,
): number {
  const requests = planned.reduce((sum, { price }) => sum + price.requests, 0);
  const enough = (leastRequests * keys.length) / Math.max(1, requests);
  return groupSize * Math.ceil(Math.max(PART_KEYS, enough) / groupSize);
}

interface KeyGroup extends Pick<PlanPart, 'keys'> {
  readonly shares: Share[];
}

/** The slices by groups of keys that are next to each other in their key set. */
function groupsOf(
  planned: readonly PricedRequest[],
  keys: readonly string[] | undefined,
  size: number,
): KeyGroup[] {
  const positions = new Map(keys?.map((key, position) => [key, position]));
  const groups = new Map<number, KeyGroup>();
  const groupAt = (number: number): KeyGroup => {
    const from = number * size;
    const range = { from, to: Math.min(from + size, positions.size) - 1 };
    const group = groups.get(number) ?? { ...(keys && { keys: range }), shares: [] };
    groups.set(number, group);
    return group;
  };
  for (const { slices, price, list } of planned) {
    if (list.entry.list === 'snapshot') continue;
    const mean = Math.max(1, price.requests / Math.max(1, slices.length));
    for (const slice of slices) {
      if (slice.provisional || slice.unreachable !== undefined) continue;
      const groupOf = (key: string) => Math.floor((positions.get(key) ?? 0) / size);
      for (const [number, groupKeys] of grouped(slice.keys, groupOf)) {
        const requests = (mean * groupKeys.length) / slice.keys.length;
        groupAt(number).shares.push({ slice, requests });
      }
    }
  }
  return [...groups.values()];
}

/**
 * Ranges of heights that cut no slice, each with enough requests. All look-ups of a wide window
 * have its heights, so it is cut: each range has the keys whose blocks lie in it. Other lists have
 * requests for every key in each range.
 */
function bandsOf(shares: readonly Share[], leastRequests: number): Interval[] {
  const sorted = [...shares].sort((a, b) => a.slice.interval.from - b.slice.interval.from);
  const bands: Interval[] = [];
  let requests = 0;
  let from: number | undefined;
  let to = Number.NEGATIVE_INFINITY;
  for (const [i, share] of sorted.entries()) {
    const { interval, list } = share.slice;
    from ??= interval.from;
    to = Math.max(to, interval.to);
    requests += share.requests;
    const next = sorted[i + 1]?.slice.interval.from;
    if (next !== undefined && (requests < leastRequests || next <= to)) continue;
    const cuts = list.entry.list === 'by-key' ? Math.floor(requests / leastRequests) : 1;
    const size = cuts < 2 ? Number.POSITIVE_INFINITY : Math.ceil(blocksIn({ from, to }) / cuts);
    bands.push(...windowsOf({ from, to }, size));
    from = undefined;
    requests = 0;
  }
  return bands;
}
