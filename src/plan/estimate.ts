import type { Plan, PlannedRequest } from './slices.ts';

/** What was seen of one endpoint and variant in earlier commits. */
export interface Density {
  readonly rows: number;
  /** Keys x blocks that these rows were found on. */
  readonly keyBlocks: number;
  /** Bytes of Parquet per row. */
  readonly bytesPerRow: number;
}

/** By `endpoint?variant`; nothing is known of those that were never landed. */
export type Densities = ReadonlyMap<string, Density>;

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

/** What a plan costs: at least one request a slice, more where past rows fill more pages. */
export function estimate(plan: Plan, densities: Densities, perSecond: number): Estimate {
  const requests = plan.requests.map((planned) => ({
    ...planned,
    price: priceOf(planned, densities.get(densityKey(planned))),
  }));
  const total = {
    requests: requests.reduce((sum, each) => sum + each.price.requests, 0),
    rows: summed(requests.map((each) => each.price.rows)),
    bytes: summed(requests.map((each) => each.price.bytes)),
  };
  return { requests, total, minutes: total.requests / perSecond / 60 };
}

export function densityKey(of: {
  readonly request: { readonly endpoint: string };
  readonly variant: { readonly id: string };
}): string {
  return `${of.request.endpoint}?${of.variant.id}`;
}

function priceOf(planned: PlannedRequest, density: Density | undefined): Price {
  const { slices, request } = planned;
  if (slices.length === 0) return { requests: 0, rows: 0, bytes: 0 };
  if (density === undefined || density.keyBlocks === 0) {
    return { requests: slices.length, rows: undefined, bytes: undefined };
  }
  let requests = 0;
  let rows = 0;
  for (const { keys, interval } of slices) {
    const expected =
      (density.rows / density.keyBlocks) * keys.length * (interval.to - interval.from + 1);
    // A reply without pages holds everything at once.
    const pages = Math.max(1, Math.ceil(expected / (request.pageSize ?? Number.POSITIVE_INFINITY)));
    // A walk of several pages ends with the fence: page 1 once more.
    requests += pages > 1 ? pages + 1 : 1;
    rows += expected;
  }
  return { requests, rows: Math.round(rows), bytes: Math.round(rows * density.bytesPerRow) };
}

function summed(values: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
