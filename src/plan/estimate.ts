import type { Densities, Walked } from '../coverage/density.ts';
import { listKey } from '../coverage/list.ts';
import { blocksIn, type Interval, intersection } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { findsFor } from './finders.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import type { Probed, ProbedKeys, ProbedList } from './probed.ts';
import { leastRequests, naturalRows } from './routes.ts';
import { walkRequests } from './walk-price.ts';

export interface Price {
  /** Lower bound when nothing is known of the density yet, else the expected number. */
  readonly requests: number;
  /** undefined when nothing is known of the density yet. */
  readonly rows: number | undefined;
  readonly bytes: number | undefined;
}

export interface PricedRequest extends PlannedRequest {
  readonly price: Price;
}

export interface Estimate {
  readonly requests: readonly PricedRequest[];
  readonly total: Price;
  /** At the given rate, without the ramp up to it. */
  readonly minutes: number;
  /** What the price of lists without a past rests on; absent where nothing was asked of them. */
  readonly probed?: Probed;
}

/**
 * What a plan costs: what its walks took per slice and per key and block in the past; where there
 * is no past, what a probe tells; and without one, the least they can take. `aside` is what heads
 * and anchors take.
 */
export function estimate(
  plan: Plan,
  densities: Densities,
  perSecond: number,
  aside: number,
  probed?: Probed,
): Estimate {
  const given = new Map<PlannedRequest, Price>();
  for (const planned of plan.requests) {
    if (!planned.isFound) given.set(planned, priceOf(planned, densities, probed?.lists));
  }
  const requests = plan.requests.map((planned) => {
    const keys = probed?.found.get(planned);
    const price =
      given.get(planned) ??
      (keys === undefined
        ? foundPrice(planned, plan, densities)
        : probedKeysPrice(planned, keys, given));
    return { ...planned, price };
  });
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
  probed: Probed['lists'] | undefined,
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

/** Pages that so many rows per key and block fill, and those that are read again as a fence. */
function pagesOf(slices: readonly Slice[], perKeyBlock: number, pageSize: number): number {
  let requests = 0;
  for (const { keys, interval } of slices) {
    const pages = Math.ceil((perKeyBlock * keys.length * blocksIn(interval)) / pageSize);
    requests += Math.max(1, pages) + Math.min(2, Math.max(0, pages - 1));
  }
  return requests;
}

/**
 * Requests of a walk beside the pages that its rows fill: the last page that is not full, the
 * fence, looking for the place to begin, tries that had to be split.
 */
function besidePages({ slices, requests }: Walked, pages: number): number {
  return Math.max(0, requests - pages) / slices;
}

/** So many slices at what the walks of the probed ones take. */
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

/** Look-ups of the keys that the rows of other requests will name, by their prices. */
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

/** The share of a request's key-blocks that lies in an interval. */
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

/** The least that slices take of which nothing is known. */
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
 * Keys that are not known yet will be found in what the other requests land: as many as in the
 * past, for every key and block that these still have to walk.
 */
function foundPrice(planned: PlannedRequest, plan: Plan, densities: Densities): Price {
  const known = planned.slices.length;
  const finders = plan.requests.filter((other) => !other.isFound && findsFor(planned, other));
  const wanted = keyBlocksOf(finders.flatMap(({ slices }) => slices.filter(isReachable)));
  if (wanted === 0 && known === 0) return NOTHING;
  if (wanted === 0) return { requests: known, rows: undefined, bytes: undefined };
  const spent = densities.get(listKey(planned.list));
  const walked = [...new Set(finders.map(({ list }) => listKey(list)))].reduce(
    (sum, key) => sum + (densities.get(key)?.walked.keyBlocks ?? 0),
    0,
  );
  if (spent === undefined || walked === 0) {
    return { requests: known, rows: undefined, bytes: undefined };
  }
  const share = wanted / walked;
  const rows = Math.round(spent.rows * share);
  return {
    requests: Math.round(known + spent.walked.requests * share),
    rows,
    bytes: Math.round(rows * spent.bytesPerRow),
  };
}

/** What no list reaches is not asked for. */
function isReachable({ unreachable }: Slice): boolean {
  return unreachable === undefined;
}

function keyBlocksOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { keys, interval }) => sum + keys.length * blocksIn(interval), 0);
}

function summed(values: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
