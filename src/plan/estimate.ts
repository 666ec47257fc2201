import type { Endpoint } from '../catalogue/entry.ts';
import type { Densities } from '../coverage/density.ts';
import { listKey } from '../coverage/list.ts';
import { blocksIn, type Interval, intersection } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { findsFor } from './finders.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import type { ProbedKeys, ProbeResult } from './probe-result.ts';
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
  const prices = new Map<PlannedRequest, Price>();
  for (const planned of plan.requests) {
    if (!planned.isFound) prices.set(planned, priceOf(planned, densities, probed?.lists));
  }
  const counted = plan.requests.map((planned) => {
    return { planned, ...planned, counts: countsOf(planned.slices) };
  });
  const requests = counted.map(({ planned, ...request }) => {
    const keys = probed?.keys.get(planned);
    const price =
      prices.get(planned) ??
      (keys === undefined
        ? foundPrice(request, counted, densities)
        : probedKeysPrice(planned, keys, prices));
    return { ...request, price };
  });
  return estimateOf(requests, perSecond, aside, probed);
}

function countsOf(slices: readonly Slice[]): SliceCounts {
  return {
    slices: slices.length,
    provisional: slices.filter(({ provisional }) => provisional).length,
    keyBlocks: keyBlocksOf(slices),
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
    requests: sumOf([aside, ...requests.map(({ price }) => price.requests)]),
    rows: summed(requests.map((request) => request.price.rows)),
    bytes: summed(requests.map((request) => request.price.bytes)),
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
  if (density === undefined || density.walked.slices === 0) {
    const list = probed?.get(planned);
    return list === undefined
      ? firstPrice(planned, slices)
      : probedPrice(planned, slices.length, list);
  }
  const { rows, keyBlocks, bytesPerRow, walked } = density;
  const expected = (rows / keyBlocks) * keyBlocksOf(slices);
  // Requests of a past walk beyond the pages that its rows fill: the last partial page, pages that
  // are read twice, the search for the start of the slice, walks that were split.
  const beside = Math.max(0, walked.requests - rows / planned.pageSize) / walked.slices;
  return {
    requests: Math.round(slices.length * beside + expected / planned.pageSize),
    rows: Math.round(expected),
    bytes: Math.round(expected * bytesPerRow),
  };
}

/** The price of a number of slices at the mean price of the probed slices. */
function probedPrice(
  { list, pageSize }: PlannedRequest,
  slices: number,
  records: readonly number[],
): Price {
  const { entry } = list;
  const factor = slices / records.length;
  const requests = records.map((count) => walkRequests(entry, count, pageSize));
  return {
    requests: Math.round(factor * sumOf(requests)),
    rows: Math.round(factor * sumOf(records)),
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
    const share = keyBlocksOf(finder.slices, planned) / keyBlocksOf(finder.slices);
    named += rows * (share || 0);
  }
  const slices = Math.max(planned.slices.length, (named * keysPerRecord) / keysPerSlice);
  return probedPrice(planned, slices, records);
}

export function sumOf(values: readonly number[]): number {
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
 * The price of requests whose keys are not known yet: proportional to the keys x blocks that the
 * finding requests still have to walk (`wanted`), as in the past. Past rows may name keys that no
 * look-up had in its blocks, so the price is that of each key that was looked up.
 */
export function foundPrice(
  planned: CountedRequest,
  all: readonly CountedRequest[],
  densities: Densities,
  wanted = wantedFor(planned, all),
): Price {
  const { slices } = planned.counts;
  if (wanted === 0 && slices === 0) return NOTHING;
  const spent = densities.get(listKey(planned.list));
  const lists = new Set(findersOf(planned, all).map(({ list }) => listKey(list)));
  const walked = sumOf([...lists].map((list) => densities.get(list)?.walked.keyBlocks ?? 0));
  const share = wanted / (walked * (planned.lookedUp ?? 1));
  if (wanted === 0 || spent === undefined || !Number.isFinite(share)) {
    return { requests: slices, rows: undefined, bytes: undefined };
  }
  const rows = Math.round(spent.rows * share);
  return {
    requests: Math.round(slices + spent.walked.requests * share),
    rows,
    bytes: Math.round(rows * spent.bytesPerRow),
  };
}

/** Keys x blocks of the finding requests, for look-ups those at the heights of these. */
export function wantedFor(planned: CountedRequest, all: readonly CountedRequest[]): number {
  const blocks = findersOf(planned, all).map(({ slices, counts }) => {
    return planned.lookedUp === undefined ? counts.keyBlocks : keyBlocksOf(slices, planned);
  });
  return sumOf(blocks);
}

function findersOf(planned: CountedRequest, all: readonly CountedRequest[]): CountedRequest[] {
  return all.filter((other) => !other.isFound && findsFor(planned, other));
}

/** False for slices without requests. */
export function isReachable({ unreachable }: Slice): boolean {
  return unreachable === undefined;
}

/** Keys x blocks of the slices with requests, at the heights of a request or at all. */
function keyBlocksOf(slices: readonly Slice[], within?: PlannedRequest): number {
  return slices.filter(isReachable).reduce((sum, { keys, interval }) => {
    const part = within ? within.interval && intersection(interval, within.interval) : interval;
    return sum + (part === undefined ? 0 : keys.length * blocksIn(part));
  }, 0);
}

export function summed(values: readonly (number | undefined)[]): number | undefined {
  const numbers = values.filter((value) => value !== undefined);
  return numbers.length < values.length ? undefined : sumOf(numbers);
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
  const { list } = endpoint;
  // The next page of a ranged list repeats only the records of one height. A second reading of a
  // list by key, in another page size, has to agree with the first.
  const fence = list === 'by-key' ? pages : Math.min(FENCE_PAGES, pages - 1);
  return pages + Math.max(least - 1, list === 'ranged' ? 0 : fence);
}
