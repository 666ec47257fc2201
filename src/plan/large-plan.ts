import type { Densities } from '../coverage/density.ts';
import { listKey } from '../coverage/list.ts';
import { hullOf, normalise } from '../coverage/ranges.ts';
import { Fault } from '../fault.ts';
import { plansByBand } from './bands.ts';
import {
  estimate,
  estimateOf,
  foundPrice,
  type PricedRequest,
  summed,
  wantedFor,
} from './estimate.ts';
import { onlyRequests, type Plan, type PlanInput, type PlannedRequest } from './plan.ts';
import { planSlices } from './slices.ts';

/** A plan of more slices is priced band by band: 2 million slices take about 400 MB. */
const MOST_SLICES = 2_000_000;

/** The plan as a whole; undefined if it has too many slices. */
export function wholePlan(input: PlanInput): Plan | undefined {
  const lists = input.pipeline.requests.flatMap((request) => request.lists).length;
  try {
    return planSlices({ ...input, mostSlices: MOST_SLICES / lists });
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

export interface PriceBasis {
  /** Default: all requests. */
  readonly wants: ((planned: PlannedRequest) => boolean) | undefined;
  readonly densities: Densities;
  readonly perSecond: number;
  /** Requests for heads and block hashes. */
  readonly asideOf: (band: Plan) => number;
}

/** The price of a plan that does not fit into memory: its slices are counted, band by band. */
export function priceLarge(input: PlanInput, { wants, densities, perSecond, asideOf }: PriceBasis) {
  const merged = new Map<string, PricedRequest>();
  const wanted = new Map<PricedRequest, number>();
  let plan: Plan | undefined;
  let aside = 0;
  for (const whole of plansByBand(input)) {
    const band = onlyRequests(whole, wants);
    aside = Math.max(aside, asideOf(band));
    const beyondHead = { ...plan?.beyondHead, ...band.beyondHead };
    plan = { ...band, beyondHead, requests: [], slices: [] };
    const priced = estimate(band, densities, perSecond, 0).requests;
    for (const request of priced) {
      const key = `${request.request.dataset} ${request.request.keySet} ${listKey(request.list)}`;
      merged.set(key, together({ ...request, slices: [] }, merged.get(key)));
    }
    // Look-ups are planned in the first band, so they stay the same values.
    for (const one of [...merged.values()].filter(({ lookedUp }) => lookedUp !== undefined)) {
      wanted.set(one, (wanted.get(one) ?? 0) + wantedFor(one, priced));
    }
  }
  if (plan === undefined) throw new Error('a large plan has bands');
  const all = [...merged.values()];
  const requests = input.pipeline.requests
    .flatMap((request) => all.filter((other) => other.request === request))
    .map((request) => ({
      ...request,
      ...(request.isFound && { price: foundPrice(request, all, densities, wanted.get(request)) }),
    }));
  return { plan: { ...plan, requests }, estimate: estimateOf(requests, perSecond, aside) };
}

function together(one: PricedRequest, other?: PricedRequest): PricedRequest {
  if (other === undefined) return one;
  const both = [one, other];
  const intervals = both.flatMap(({ interval }) => interval ?? []);
  const total = (figureOf: (request: PricedRequest) => number) => figureOf(one) + figureOf(other);
  return {
    ...(one.interval === undefined ? other : one),
    interval: intervals.length === 0 ? undefined : hullOf(normalise(intervals)),
    keyBlocks: total(({ keyBlocks }) => keyBlocks),
    covered: total(({ covered }) => covered),
    price: {
      requests: total(({ price }) => price.requests),
      rows: summed(both.map(({ price }) => price.rows)),
      bytes: summed(both.map(({ price }) => price.bytes)),
    },
    counts: {
      slices: total(({ counts }) => counts.slices),
      provisional: total(({ counts }) => counts.provisional),
      keyBlocks: total(({ counts }) => counts.keyBlocks),
      unreachable: both.flatMap(({ counts }) => counts.unreachable),
    },
  };
}
