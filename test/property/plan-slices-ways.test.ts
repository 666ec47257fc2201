import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpointAt } from '../../src/catalogue/index.ts';
import { Coverage, type CoverageEntry } from '../../src/coverage/coverage.ts';
import type { Density } from '../../src/coverage/density.ts';
import { listOf } from '../../src/coverage/list.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { PipelineRequest, Route } from '../../src/pipeline/requests.ts';
import type { FoundKey, Heads, PlanInput } from '../../src/plan/plan.ts';
import { planSlices } from '../../src/plan/slices.ts';
import { listNamed } from '../fixtures/lists.ts';
import { casesOf } from '../fixtures/thorough.ts';
import { asking, covered, inputOf, landed } from '../model/plan-input.ts';

/**
 * Goal: for any pipeline with alternatives, keys that are found and both axes, what is planned over
 * all ways and what is covered by any of them are together exactly what was asked; nothing is asked
 * for twice, and nothing of a way that does not reach it.
 */

const seed = Number(process.env['SEED'] ?? 88_011);
const runs = { seed, numRuns: casesOf(500) };
const TOP = 40;
const KEYS = ['0xa', '0xb', '0xc'];
const HASHES = ['0x1', '0x2', '0x3', '0x4', '0x5'];
const VARIANTS = [{}, { isFromOrTo: 'from' }];
const STATUSES = ['complete', 'complete', 'provisional', 'depth_limited'] as const;

const E5 = 'mainchain/zone/block/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E9 = 'mainchain/address/normal-transaction-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E15 = 'mainchain/transaction/transaction-multi';
const PATHS = [E5, E6, E9, E12, E15];

const base = asking(
  [
    '  transactions:',
    `    - { endpoint: ${E12}, keys: addresses, alternatives: [${E9}] }`,
    `    - { endpoint: ${E15}, keys: found }`,
    '  zone_transactions:',
    `    - { endpoint: ${E6}, alternatives: [${E5}] }`,
  ],
  {},
  'found: { from: [transactions] }',
);

const heights = fc
  .tuple(fc.nat(TOP), fc.nat(TOP))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const last = fc.oneof(fc.constantFrom('safe' as const, 'head' as const), fc.nat(TOP + 10));
const bounds = fc.record({ from: fc.nat(TOP), to: last });
const heads: fc.Arbitrary<Heads> = fc
  .record({
    head: fc.nat(TOP),
    lag: fc.nat(12),
    depthLimit: fc.option(fc.nat(TOP), { nil: undefined }),
  })
  .map(({ head, lag, depthLimit }) => ({
    head,
    safe: Math.max(0, head - lag),
    ...(depthLimit === undefined ? {} : { depthLimit }),
  }));

const entry: fc.Arbitrary<CoverageEntry> = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.constantFrom(...VARIANTS),
    fc.constantFrom(...KEYS, ...HASHES, ''),
    heights,
    fc.constantFrom(...STATUSES),
  )
  .map(([path, params, key, at, status]) =>
    covered(path, listNamed(path, params).variant, key, at, status),
  );

const density: fc.Arbitrary<[string, Density]> = fc
  .tuple(fc.constantFrom(...PATHS), fc.nat(2_000), fc.integer({ min: 1, max: 100 }))
  .map(([path, rows, keyBlocks]) => {
    const walked = { slices: 1, requests: 1, keyBlocks };
    return [`${path}?`, { rows, keyBlocks, bytesPerRow: 1, walked }];
  });

const inputs: fc.Arbitrary<PlanInput> = fc
  .record({
    blocks: bounds,
    zoneBlocks: bounds,
    ownBlocks: fc.option(bounds, { nil: undefined }),
    windowBlocks: fc.integer({ min: 1, max: 15 }),
    groupSize: fc.integer({ min: 1, max: 3 }),
    primary: heads,
    zone: heads,
    hasAlternatives: fc.boolean(),
    variants: fc.subarray(VARIANTS, { minLength: 1 }),
    keys: fc.subarray(KEYS),
    rows: fc.uniqueArray(fc.tuple(fc.constantFrom(...HASHES), fc.nat(TOP + 5)), {
      selector: ([hash]) => hash,
    }),
    entries: fc.array(entry, { maxLength: 25, size: 'max' }),
    densities: fc.array(density, { maxLength: 3 }),
  })
  .map((sample) => {
    const { blocks, zoneBlocks, windowBlocks, groupSize, ownBlocks, hasAlternatives } = sample;
    const requests = base.requests.map((request): PipelineRequest => {
      if (request.entry.path !== E12) return request;
      const filtered = <R extends Route>(route: R): R => ({
        ...route,
        lists: sample.variants.map((filters) => listOf(route.entry, filters)),
      });
      const routes = request.alternatives.map(filtered);
      const narrowed = ownBlocks === undefined ? {} : { blocks: ownBlocks };
      return { ...filtered(request), ...narrowed, alternatives: hasAlternatives ? routes : [] };
    });
    const pipeline = { ...base, blocks, zoneBlocks, windowBlocks, groupSize, requests };
    const coverage = new Coverage();
    for (const part of sample.entries) coverage.add(part);
    const rowKeys = new Map<PipelineRequest, readonly FoundKey[]>();
    const looking = requests.find(({ foundIn }) => foundIn !== undefined);
    const rows = sample.rows.map(([key, height]) => ({ key, height }));
    if (looking !== undefined) rowKeys.set(looking, rows);
    const input = inputOf(pipeline, sample.keys, {
      coverage,
      rowKeys,
      densities: new Map(sample.densities),
      heads: { primary: sample.primary, zone: sample.zone },
    });
    return withLookUps(input);
  });

interface Asked {
  /** Request, variant, key and height: whoever answers it. */
  readonly place: string;
  readonly isFinal: boolean;
  readonly isCovered: boolean;
}

/** Everything asked, key by key and height by height, by the words of the pipeline format. */
function everythingAsked(input: PlanInput): Asked[] {
  const { pipeline, coverage } = input;
  const places: Asked[] = [];
  for (const request of pipeline.requests) {
    const { axis, path } = request.entry;
    const head = headsOf(input, path);
    const lastOf = ({ to }: { readonly to: number | 'safe' | 'head' }) =>
      to === 'safe' ? head.safe - 1 : to === 'head' ? head.head : Math.min(to, head.head);
    const all = [axis === 'primary' ? pipeline.blocks : pipeline.zoneBlocks];
    const ranges = request.blocks === undefined ? all : [...all, request.blocks];
    const from = Math.max(...ranges.map((range) => range.from));
    const to = Math.min(...ranges.map(lastOf));
    const rows = input.rowKeys.get(request);
    const paths = [request, ...request.alternatives].map(({ entry }) => entry.path);
    for (const { variant } of request.lists) {
      const add = (key: string, height: number): void => {
        if (height < from || height > to) return;
        const isCovered = paths.some((endpoint) =>
          coverage.completeIn({ endpoint, variant })(key, height),
        );
        const place = placeOf(path, variant, key, height);
        places.push({ place, isFinal: height < head.safe, isCovered });
      };
      for (const { key, height } of rows ?? []) add(key, height);
      if (rows !== undefined) continue;
      for (const key of request.keySet === undefined ? [''] : (input.keys['addresses'] ?? [])) {
        for (let height = from; height <= to; height += 1) add(key, height);
      }
    }
  }
  return places;
}

function placeOf(endpoint: string, id: string, key: string, height: number): string {
  return `${endpoint}?${id} ${key} ${height}`;
}

function headsOf(input: PlanInput, endpoint: string): Heads {
  const heads = input.heads[endpointAt(endpoint).axis];
  if (heads === undefined) throw new Error('these plans are of both axes');
  return heads;
}

/** The input whose found keys name the lists that are complete at their heights, as a lake's do. */
function withLookUps(input: PlanInput): PlanInput {
  const lookUps = new Map<PipelineRequest, readonly FoundKey[]>();
  for (const [request, rows] of input.rowKeys) {
    const lookedUp = rows.map(({ key, height }) => {
      const lists = request.lists.filter((list) => input.coverage.completeIn(list)(key, height));
      return { key, height, lookedUpIn: lists.map(({ variant }) => variant) };
    });
    lookUps.set(request, lookedUp);
  }
  return { ...input, rowKeys: lookUps };
}

/** What slices ask for, under the name of the request that they answer. */
function placesOf(input: PlanInput, slices: readonly Slice[]): string[] {
  const originals = new Map([
    [E5, E6],
    [E9, E12],
  ]);
  const rows = [...input.rowKeys.values()].flat();
  return slices.flatMap(({ list: { endpoint, variant }, keys, interval }) =>
    keys.flatMap((key) => {
      const path = originals.get(endpoint) ?? endpoint;
      const blocks = rows.filter((row) => row.key === key).map(({ height }) => height);
      const all = Array.from(
        { length: interval.to - interval.from + 1 },
        (_, i) => interval.from + i,
      );
      // A key that was found is asked for by itself: its interval is only where it is landed.
      const heightsOf = endpoint === E15 ? all.filter((height) => blocks.includes(height)) : all;
      return heightsOf.map((height) => placeOf(path, variant, key, height));
    }),
  );
}

test('what is planned by all ways and what is covered by any are exactly what was asked', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const places = everythingAsked(input);
      const wanted = places.filter(({ isFinal, isCovered }) => !isFinal || !isCovered);
      const planned = placesOf(input, planSlices(input).slices);
      expect(planned.sort()).toEqual(wanted.map(({ place }) => place).sort());
      expect(new Set(planned).size).toBe(planned.length);
    }),
    runs,
  );
});

test('the counts of a request are those of what it asks below the safe height', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const places = everythingAsked(input).filter(({ isFinal }) => isFinal);
      for (const { request, list, ...counts } of planSlices(input).requests) {
        const matches = places.filter(({ place }) =>
          place.startsWith(`${request.entry.path}?${list.variant} `),
        );
        expect(counts.keyBlocks).toBe(matches.length);
        expect(counts.covered).toBe(matches.filter(({ isCovered }) => isCovered).length);
      }
    }),
    runs,
  );
});

test('nothing is asked of a list that does not reach it', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { head, depthLimit = head + 1 } = headsOf(input, E9);
      for (const { list, interval, unreachable } of planSlices(input).slices) {
        expect(unreachable).toBeUndefined();
        if (list.endpoint === E9) expect(interval.from).toBeGreaterThanOrEqual(depthLimit);
      }
    }),
    runs,
  );
});

test('after landing, nothing below the safe height is planned again', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const coverage = landed(planSlices(input).slices, undefined, input.coverage);
      const again = planSlices(withLookUps({ ...input, coverage, densities: new Map() }));
      expect(again.slices.filter(({ provisional }) => !provisional)).toEqual([]);
    }),
    runs,
  );
});

process.stdout.write(`plan ways: seed ${seed}\n`);
