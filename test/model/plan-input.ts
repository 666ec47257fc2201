import type { CoverageEntry, Status } from '../../src/coverage/coverage.ts';
import { Coverage } from '../../src/coverage/coverage.ts';
import type { Density } from '../../src/coverage/density.ts';
import type { Interval } from '../../src/coverage/ranges.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { estimate, type Price } from '../../src/plan/estimate.ts';
import type { Plan, PlanInput } from '../../src/plan/plan.ts';
import { planSlices } from '../../src/plan/slices.ts';

/** What planning takes in, for tests: a pipeline, keys, coverage and heads. */

/** Up to 20 keys a request, at most 10,000 blocks apart. */
export const MANY_KEYS = 'mainchain/address/normal-transaction-list-multi';
/** One key a request, any interval, filtered by protocolType. */
export const ONE_KEY = 'mainchain/address/token-transaction-list';
/** No keys, one height a request. */
export const BY_HEIGHT = 'mainchain/block/block-fills';

const DATASETS: Readonly<Record<string, readonly string[]>> = {
  [MANY_KEYS]: ['  transactions:', `    - { endpoint: ${MANY_KEYS}, keys: addresses }`],
  [ONE_KEY]: ['  token_transfers:', `    - { endpoint: ${ONE_KEY}, keys: addresses }`],
  [BY_HEIGHT]: ['  blocks:', `    - { endpoint: ${BY_HEIGHT} }`],
};

/** A pipeline over some of the endpoints above, with the changes given. */
export function pipelineOf(endpoints: readonly string[], more: Partial<Pipeline> = {}): Pipeline {
  return asking(
    endpoints.flatMap((path) => DATASETS[path] ?? []),
    more,
  );
}

/** A pipeline with these lines under `datasets`, and these key sets beside the addresses. */
export function asking(
  lines: readonly string[],
  more: Partial<Pipeline> = {},
  keySets = '',
): Pipeline {
  const text = [
    'version: 1',
    'name: planned',
    'source: { url: "http://127.0.0.1", chain: MAINCHAIN }',
    `keys: { addresses: { file: a.csv }${keySets === '' ? '' : `, ${keySets}`} }`,
    'datasets:',
    ...lines,
  ].join('\n');
  return { ...parsePipeline({ text, file: 'planned.yaml' }), ...more };
}

/** `count` addresses in order, beginning with number `first`. */
export function addresses(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, i) => `0x${String(first + i).padStart(40, '0')}`);
}

export function inputOf(
  pipeline: Pipeline,
  keys: readonly string[],
  more: Partial<Omit<PlanInput, 'pipeline' | 'keys'>> = {},
): PlanInput {
  return {
    pipeline,
    keys: { addresses: [...keys].sort() },
    coverage: new Coverage(),
    heads: { primary: { head: 50_000, safe: 49_900 } },
    rowKeys: new Map(),
    densities: new Map(),
    nowMs: 0,
    ...more,
  };
}

/** The coverage after every slice of a plan was landed with this status, on top of `before`. */
export function landed(
  slices: readonly Slice[],
  status: (slice: Slice) => Status = (slice) => (slice.provisional ? 'provisional' : 'complete'),
  before: Coverage = new Coverage(),
): Coverage {
  const coverage = before.clone();
  for (const slice of slices) {
    for (const key of slice.keys) coverage.add(entryOf(slice, key, status(slice)));
  }
  return coverage;
}

function entryOf(slice: Slice, key: string, status: Status): CoverageEntry {
  const { list, interval } = slice;
  const { endpoint, variant } = list;
  return { endpoint, variant, key, ...interval, status, ...READING };
}

const READING = { reason: '', head: 50_000, readAtMs: 0 };

export function covered(
  endpoint: string,
  variant: string,
  key: string,
  interval: Interval,
  status: Status = 'complete',
): CoverageEntry {
  return { endpoint, variant, key, ...interval, status, ...READING };
}

export function finalSlices(plan: Plan): Slice[] {
  return plan.slices.filter((slice) => !slice.provisional);
}

export function provisionalSlices(plan: Plan): Slice[] {
  return plan.slices.filter((slice) => slice.provisional);
}

/** Heads of both chains, for prices. */
export const PRICED_HEADS = {
  primary: { head: 50_000, safe: 49_900 },
  zone: { head: 50_000, safe: 40_000 },
};

/** The price of every request of the pipeline, by endpoint. */
export function prices(
  pipeline: Pipeline,
  densities: readonly (readonly [string, Density])[] = [],
  more: Partial<PlanInput> = {},
): Record<string, Price> {
  const plan = planSlices(inputOf(pipeline, addresses(1), { heads: PRICED_HEADS, ...more }));
  const { requests } = estimate(plan, new Map(densities), 1, 0);
  return Object.fromEntries(requests.map(({ list, price }) => [list.endpoint, price]));
}

export function walkedOnce(
  rows: number,
  slices: number,
  requests: number,
  keyBlocks: number,
): Density {
  return { rows, keyBlocks, bytesPerRow: 10, walked: { slices, requests, keyBlocks } };
}
