import type { Endpoint } from '../catalogue/entry.ts';
import type { Densities, WalkTotals } from '../coverage/density.ts';
import { listKey } from '../coverage/list.ts';
import { blocksIn, type Interval, intersection } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { findsFor } from './finders.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import type { ProbedKeys, ProbedList, ProbeResult } from './probe-result.ts';
import { leastRequests, naturalRows } from './routes.ts';

export interface Price {
  /** The expected number; a lower bound without a known density. */
  readonly requests: number;
  /** undefined without a known density. */
  readonly rows: number | undefined;
  readonly bytes: number | undefined;
}

/** The slices of a request, counted. */
export interface SliceCounts {
  readonly slices: number;
  /** Those above the safe height. */
  readonly provisional: number;
  /** Keys times blocks, of those that lists can return. */
  readonly keyBlocks: number;
  /** Intervals that no list can return, with the reason. */
  readonly unreachable: readonly (Interval & { readonly reason: string })[];
}

interface CountedRequest extends PlannedRequest {
  readonly counts: SliceCounts;
}

export interface PricedRequest extends CountedRequest {
  readonly price: Price;
}

export interface Estimate {
  readonly requests: readonly PricedRequest[];
  readonly total: Price;
  /** At the given rate; ignores that the rate starts lower. */
  readonly minutes: number;
  /** The basis of the price of lists without commits; absent without a probe. */
  readonly probed?: ProbeResult;
}

/**
 * The price of a plan. The price of a list comes from its past walks, per slice and per key and
 * block; without past walks, from a probe; without a probe, it is the lower bound. `aside` is the
 * number of requests for heads and anchors.
 */
export function estimate(
  plan: Plan,
  densities: Densities,
  perSecond: number,
  aside: number,
  probed?: ProbeResult,
): Estimate {
  const given = new Map<PlannedRequest, Price>();
  for (const planned of plan.requests) {
    if (!planned.isFound) given.set(planned, priceOf(planned, densities, probed?.lists));
  }
  const counted = plan.requests.map((planned) => {
    return { planned, ...planned, counts: countsOf(planned.slices) };
  });
  const requests = counted.map(({ planned, ...request }) => {
    const keys = probed?.found.get(planned);
    const price =
      given.get(planned) ??
      (keys === undefined
        ? foundPrice(request, counted, densities)
        : probedKeysPrice(planned, keys, given));
    return { ...request, price };
  });
  return estimateOf(requests, perSecond, aside, probed);
}

function countsOf(slices: readonly Slice[]): SliceCounts {
  return {
    slices: slices.length,
    provisional: slices.filter(({ provisional }) => provisional).length,
    keyBlocks: keyBlocksOf(slices.filter(isReachable)),
    unreachable: slices.flatMap(({ interval, unreachable: reason }) => {
      return reason === undefined ? [] : [{ ...interval, reason }];
    }),
  };
}

/** Sums the prices of requests. */
export function estimateOf(
  requests: readonly PricedRequest[],
  perSecond: number,
  aside: number,
  probed?: ProbeResult,
): Estimate {
  const total = {
    requests: requests.reduce((sum, each) => sum + each.price.requests, aside),
    rows: summed(requests.map((each) => each.price.rows)),
    bytes: summed(requests.map((each) => each.price.bytes)),
  };
  const minutes = total.requests / perSecond / 60;
  return { requests, total, minutes, ...(probed === undefined ? {} : { probed }) };
}

const NOTHING: Price = { requests: 0, rows: 0, bytes: 0 };

function priceOf(
  planned: PlannedRequest,
  densities: Densities,
  probed: ProbeResult['lists'] | undefined,
): Price {
  const slices = planned.slices.filter(isReachable);
  if (slices.length === 0) return NOTHING;
  const density = densities.get(listKey(planned.list));
  if (density === undefined || density.keyBlocks === 0) {
    const list = probed?.get(planned);
    return list === undefined
      ? firstPrice(planned, slices)
      : probedPrice(planned, slices.length, list);
  }
  const { rows, keyBlocks, bytesPerRow, walked } = density;
  const wanted = keyBlocksOf(slices);
  const expected = (rows / keyBlocks) * wanted;
  const pages = expected / planned.pageSize;
  const requests =
    walked.slices === 0
      ? pagesOf(slices, rows / keyBlocks, planned.pageSize)
      : Math.round(slices.length * besidePages(walked, rows / planned.pageSize) + pages);
  return {
    requests,
    rows: Math.round(expected),
    bytes: Math.round(expected * bytesPerRow),
  };
}

/**
 * Requests for the pages of the slices at this density, including the pages that are read twice.
 */
function pagesOf(slices: readonly Slice[], perKeyBlock: number, pageSize: number): number {
  let requests = 0;
  for (const { keys, interval } of slices) {
    const pages = Math.ceil((perKeyBlock * keys.length * blocksIn(interval)) / pageSize);
    requests += Math.max(1, pages) + Math.min(2, Math.max(0, pages - 1));
  }
  return requests;
}

/**
 * Mean requests of a past walk beyond the pages its rows fill: the last partial page, pages that
 * are read twice, the search for the start of the slice, walks that were split.
 */
function besidePages({ slices, requests }: WalkTotals, pages: number): number {
  return Math.max(0, requests - pages) / slices;
}

/** The price of a number of slices at the mean price of the probed slices. */
function probedPrice(
  { list, pageSize }: PlannedRequest,
  slices: number,
  { records }: ProbedList,
): Price {
  const { entry } = list;
  const each = slices / records.length;
  const requests = records.map((count) => walkRequests(entry, count, pageSize));
  return {
    requests: Math.round(each * sumOf(requests)),
    rows: Math.round(each * sumOf(records)),
    bytes: undefined,
  };
}

/** The price of look-ups whose keys come from rows of other requests, from the prices of those. */
function probedKeysPrice(
  planned: PlannedRequest,
  { keysPerRecord, keysPerSlice, records }: ProbedKeys,
  prices: ReadonlyMap<PlannedRequest, Price>,
): Price {
  let named = 0;
  for (const [finder, { rows }] of prices) {
    if (!findsFor(planned, finder)) continue;
    if (rows === undefined) return firstPrice(planned, planned.slices);
    named += rows * shareOf(finder, planned.interval);
  }
  const slices = Math.max(planned.slices.length, (named * keysPerRecord) / keysPerSlice);
  return probedPrice(planned, slices, { records });
}

/** The share of a request's keys x blocks in an interval. */
function shareOf({ slices }: PlannedRequest, interval: Interval | undefined): number {
  const within = slices.flatMap((slice) => {
    const common = interval && intersection(slice.interval, interval);
    return common === undefined ? [] : [{ ...slice, interval: common }];
  });
  return slices.length === 0 ? 0 : keyBlocksOf(within) / keyBlocksOf(slices);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The lower bound for slices of a list without a known density. */
function firstPrice({ list, pageSize }: PlannedRequest, slices: readonly Slice[]): Price {
  const { entry } = list;
  let requests = 0;
  let rows: number | undefined = 0;
  for (const { interval } of slices) {
    const natural = naturalRows(entry, blocksIn(interval));
    const pages = Math.ceil((natural ?? 0) / pageSize);
    requests += Math.max(leastRequests(entry), pages);
    rows = natural === undefined || rows === undefined ? undefined : rows + natural;
  }
  return { requests, rows, bytes: undefined };
}

/**
 * The price of look-ups whose keys are not known yet: proportional to the keys x blocks that the
 * finding requests still have to walk, as in the past.
 */
export function foundPrice(
  planned: CountedRequest,
  all: readonly CountedRequest[],
  densities: Densities,
): Price {
  const { slices } = planned.counts;
  const finders = all.filter((other) => !other.isFound && findsFor(planned, other));
  const wanted = sumOf(finders.map(({ counts }) => counts.keyBlocks));
  if (wanted === 0 && slices === 0) return NOTHING;
  if (wanted === 0) return { requests: slices, rows: undefined, bytes: undefined };
  const spent = densities.get(listKey(planned.list));
  const walked = [...new Set(finders.map(({ list }) => listKey(list)))].reduce(
    (sum, key) => sum + (densities.get(key)?.walked.keyBlocks ?? 0),
    0,
  );
  if (spent === undefined || walked === 0) {
    return { requests: slices, rows: undefined, bytes: undefined };
  }
  const share = wanted / walked;
  const rows = Math.round(spent.rows * share);
  return {
    requests: Math.round(slices + spent.walked.requests * share),
    rows,
    bytes: Math.round(rows * spent.bytesPerRow),
  };
}

/** False for slices without requests. */
function isReachable({ unreachable }: Slice): boolean {
  return unreachable === undefined;
}

function keyBlocksOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { keys, interval }) => sum + keys.length * blocksIn(interval), 0);
}

export function summed(values: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

/** Pages of a moving list or a ranking that are read again: the first and the last one. */
const FENCE_PAGES = 2;

/**
 * Requests of the walk of one slice, from the number of its records. This function must follow
 * changes in how walks read.
 */
export function walkRequests(endpoint: Endpoint, records: number, pageSize: number): number {
  const least = leastRequests(endpoint);
  const pages = Math.ceil(records / pageSize);
  if (pages < 2) return least;
  return pages + Math.max(least - 1, pagesAgain(endpoint, pages));
}

/** Pages of a list of several pages that are read a second time. */
function pagesAgain({ list }: Endpoint, pages: number): number {
  // The next page repeats only the records of one height.
  if (list === 'ranged') return 0;
  // A second reading in another page size has to agree with the first.
  if (list === 'by-key') return pages;
  return Math.min(FENCE_PAGES, pages - 1);
}
