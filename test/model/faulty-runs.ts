import { parseFaultPlan } from '../../service/src/settings/fault-plan.ts';
import type { FaultPlan } from '../../service/src/settings/fault-schema.ts';
import type { ServiceSettings } from '../../service/src/settings/settings.ts';
import type { Endpoint } from '../../src/catalogue/entry.ts';
import { endpointAt, paramOf } from '../../src/catalogue/index.ts';
import type { Interval } from '../../src/coverage/ranges.ts';
import type { Chance } from './chance.ts';
import type { Specification } from './specification.ts';
import { listNamed } from './specified-lists.ts';

/** A history of runs against a service that errs, and a deployment of it, from a seed. */

export interface FaultyRuns {
  /** What the deployment is like, in all runs. */
  readonly deployment: ServiceSettings;
  /** What the pipeline believes of caps on records. */
  readonly recordCap: number;
  readonly runs: readonly FaultyRun[];
}

export interface FaultyRun {
  readonly plan: FaultPlan;
  /** Sorted and unique. */
  readonly addresses: readonly string[];
  readonly blocks: Interval;
  readonly zoneBlocks: Interval;
  readonly groupSize: number;
  readonly windowBlocks: number;
  readonly pageSize: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly commitSlices: number;
  /** Stopped after so large a part of the requests that a run without faults takes. */
  readonly stop?: { readonly part: number; readonly kind: Stop };
}

/** No slice begins any more; open requests end, too; or the service wants no more of them. */
export type Stop = 'soft' | 'hard' | 'refused';

type Rule = Readonly<Record<string, unknown>>;

/** Each is worth another attempt. */
const BROKEN: readonly Rule[] = [
  { fault: 'error', status: 500 },
  { fault: 'error', status: 500, data: 'none' },
  { fault: 'error', status: 200, code: '50013' },
  { fault: 'html' },
  { fault: 'html', status: 200 },
  { fault: 'malformed' },
  { fault: 'cut' },
  { fault: 'cut', afterBytes: 0 },
  { fault: 'compressed', header: 'false' },
  { fault: 'wrong-type', as: 'data-text' },
  { fault: 'wrong-type', as: 'data-object' },
  { fault: 'wrong-type', as: 'data-null' },
  { fault: 'wrong-type', as: 'code-number' },
];

/** Each asks for fewer requests, so a service that never ends with it is hardly asked at all. */
const THROTTLED: readonly Rule[] = [
  { fault: 'error', status: 503, code: '50001', retryAfterSeconds: 0 },
  { fault: 'error', status: 503, code: '50001', retryAfterSeconds: 1 },
  { fault: 'error', status: 429, code: '50011' },
  { fault: 'error', status: 429, code: '50011', retryAfterSeconds: 1 },
  { fault: 'error', status: 200, code: '50011' },
];

const CAPS = [100, 150, 200, 300, 400] as const;
const CLAMPS = [7, 15, 30, 45] as const;

export function faultyRuns(of: Specification, chance: Chance): FaultyRuns {
  const paths = new Set(of.lists.map((name) => listNamed(name).endpoint));
  const endpoints = [...paths].map(endpointAt);
  const isCapped = chance.is(0.7);
  const recordCap = isCapped ? chance.pick(CAPS) : 10_000;
  const isKnown = chance.is(0.6);
  const count = chance.between(1, 3);
  const runs = Array.from({ length: count }, (_, i) =>
    faultyRun(of, { chance, endpoints, recordCap, isLast: i === count - 1 }),
  );
  return {
    deployment: {
      recordCap,
      capStyle: chance.pick(['empty', 'clamp', 'error']),
      perMatchListing: chance.is(0.5),
      endReading: chance.pick(['inclusive', 'exclusive']),
    },
    recordCap: isKnown ? recordCap : 10_000,
    runs,
  };
}

interface Facing {
  readonly chance: Chance;
  readonly endpoints: readonly Endpoint[];
  readonly recordCap: number;
  readonly isLast: boolean;
}

/** The last one asks for everything, and is not stopped. */
function faultyRun(of: Specification, facing: Facing): FaultyRun {
  const { addresses, blocks, zoneBlocks } = of;
  const { chance, recordCap, isLast } = facing;
  const kind = chance.pick<Stop>(['soft', 'hard', 'refused']);
  const part = chance.between(5, 80) / 100;
  return {
    plan: planOf(facing),
    addresses: isLast ? addresses : chance.some(addresses),
    blocks: isLast ? blocks : partOf(blocks, chance),
    zoneBlocks: isLast ? zoneBlocks : partOf(zoneBlocks, chance),
    groupSize: chance.pick([1, 3, 7, 20, 20]),
    windowBlocks: chance.pick([777, 3_333, 10_000, 10_000]),
    // Of a cap, a page has no more than half.
    pageSize: Math.min(chance.pick([20, 50, 100]), recordCap / 2),
    order: chance.pick(['oldest-first', 'newest-first']),
    commitSlices: chance.between(1, 8),
    ...(isLast ? {} : { stop: { part, kind } }),
  };
}

/** All of it, or a part somewhere inside. */
function partOf(whole: Interval, chance: Chance): Interval {
  if (chance.is(0.5)) return whole;
  const from = chance.between(whole.from, whole.to);
  return { from, to: chance.between(from, whole.to) };
}

function planOf({ chance, endpoints }: Facing): FaultPlan {
  const faults: Rule[] = [
    { fault: 'delay', delayMs: chance.between(1, 4), every: chance.between(3, 9) },
    ...(chance.is(0.3) ? [{ fault: 'wrong-type', as: 'numbers' }] : []),
    ...(chance.is(0.3) ? [{ fault: 'wrong-type', as: 'content-type' }] : []),
    ...endpoints.flatMap((endpoint) => faultsOf(endpoint, chance)),
  ];
  const text = JSON.stringify({ seed: chance.between(1, 1_000_000), faults });
  return parseFaultPlan({ text, file: 'faults.json' });
}

function faultsOf(endpoint: Endpoint, chance: Chance): Rule[] {
  const at = endpoint.path;
  const isCounted = endpoint.reply.shape === 'paged';
  // One empty answer tells nothing where only an empty page ends a list, and two of them lie.
  const isOpenEnded = !isCounted && paramOf(endpoint, 'page') !== undefined;
  const silent: Rule = { fault: 'empty', ...aFew(chance), ...(isOpenEnded ? { next: 1 } : {}) };
  const most = chance.pick(CLAMPS);
  const clamped: Rule =
    isCounted && chance.is(0.3)
      ? { fault: 'clamp-limit', most, every: chance.between(3, 9) }
      : { fault: 'clamp-limit', most, echo: chance.pick(['used', 'asked']) };
  const refusal = {
    fault: 'error',
    status: 400,
    code: '50014',
    after: chance.between(0, 25),
    next: 1,
  };
  return [
    ...(chance.is(0.4) ? [silent] : []),
    ...(chance.is(0.25) ? [clamped] : []),
    ...(chance.is(0.15) ? [refusal] : []),
    ...(chance.is(0.4) ? [{ ...chance.pick(THROTTLED), ...aFew(chance) }] : []),
    { ...chance.pick(BROKEN), ...aFew(chance) },
    { ...chance.pick(BROKEN), every: chance.between(9, 20) },
  ].map((rule) => ({ ...rule, at }));
}

/** A few times in a row. */
function aFew(chance: Chance): Rule {
  return { after: chance.between(0, 30), next: chance.between(1, 3) };
}
