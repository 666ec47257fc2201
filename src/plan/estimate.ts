import { endpointAt, fieldFor } from '../catalogue/index.ts';
import type { Densities, Walked } from './density.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import { blocksIn } from './ranges.ts';
import { leastRequests, naturalRows } from './routes.ts';
import type { Slice } from './slice.ts';

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
}

/**
 * What a plan costs: what its walks took per slice and per key and block in the past, and where
 * there is no past, the least they can take. `aside` is what heads and anchors take.
 */
export function estimate(
  plan: Plan,
  densities: Densities,
  perSecond: number,
  aside: number,
): Estimate {
  const requests = plan.requests.map((planned) => ({
    ...planned,
    price: planned.isFound ? foundPrice(planned, plan, densities) : priceOf(planned, densities),
  }));
  const total = {
    requests: requests.reduce((sum, each) => sum + each.price.requests, aside),
    rows: summed(requests.map((each) => each.price.rows)),
    bytes: summed(requests.map((each) => each.price.bytes)),
  };
  return { requests, total, minutes: total.requests / perSecond / 60 };
}

export function densityKey(of: Pick<PlannedRequest, 'endpoint' | 'variant'>): string {
  return `${of.endpoint}?${of.variant.id}`;
}

const NOTHING: Price = { requests: 0, rows: 0, bytes: 0 };

function priceOf(planned: PlannedRequest, densities: Densities): Price {
  const slices = planned.slices.filter(isReachable);
  if (slices.length === 0) return NOTHING;
  const density = densities.get(densityKey(planned));
  if (density === undefined || density.keyBlocks === 0) return firstPrice(planned, slices);
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

/** The least that slices take of which nothing is known. */
function firstPrice({ endpoint, pageSize }: PlannedRequest, slices: readonly Slice[]): Price {
  const entry = endpointAt(endpoint);
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
  const spent = densities.get(densityKey(planned));
  const walked = [...new Set(finders.map(densityKey))].reduce(
    (sum, list) => sum + (densities.get(list)?.walked.keyBlocks ?? 0),
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

/**
 * Whether a request lands rows that name keys of another one. Rows that fill the column which must
 * be empty name none.
 */
function findsFor({ request }: PlannedRequest, other: PlannedRequest): boolean {
  const { datasets = [], by, without, at } = request.foundIn ?? {};
  // That a list will be cut off is not expected.
  if (at !== undefined || !datasets.includes(other.request.dataset)) return false;
  if (without !== undefined && fieldFor(endpointAt(other.endpoint), without) !== undefined) {
    return false;
  }
  return by?.includes(other.endpoint) !== false;
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
