import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paramOf } from '../../src/catalogue/index.ts';
import { Coverage, type CoverageEntry } from '../../src/coverage/coverage.ts';
import { listKey, listOf } from '../../src/coverage/list.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { Heads, Plan, PlanInput } from '../../src/plan/plan.ts';
import { planSlices } from '../../src/plan/slices.ts';
import { listNamed } from '../fixtures/lists.ts';
import { casesOf } from '../fixtures/thorough.ts';
import {
  covered,
  finalSlices,
  inputOf,
  landed,
  MANY_KEYS,
  ONE_KEY,
  pipelineOf,
  provisionalSlices,
} from '../model/plan-input.ts';

/**
 * Goal: for any pipeline, coverage and heads, what is covered and what is planned together are
 * exactly what was asked, key by key and height by height.
 */

const seed = Number(process.env['SEED'] ?? 51_204);
const runs = { seed, numRuns: casesOf(600) };
const TOP = 40;
const KEYS = ['0xa', '0xb', '0xc', '0xd', '0xe'];
const VARIANTS = [{}, { isFromOrTo: 'from' }];
const STATUSES = ['complete', 'complete', 'provisional', 'truncated', 'inconsistent'] as const;
const base = pipelineOf([MANY_KEYS, ONE_KEY]);

const interval = fc
  .tuple(fc.nat(TOP), fc.nat(TOP))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const entry: fc.Arbitrary<CoverageEntry> = fc
  .tuple(
    fc.constantFrom(MANY_KEYS, ONE_KEY),
    fc.constantFrom(...VARIANTS),
    fc.constantFrom(...KEYS),
    interval,
    fc.constantFrom(...STATUSES),
  )
  .map(([endpoint, params, key, at, status]) =>
    covered(endpoint, listNamed(endpoint, params).variant, key, at, status),
  );

const inputs: fc.Arbitrary<PlanInput> = fc
  .record({
    from: fc.nat(TOP),
    to: fc.oneof(fc.constantFrom('safe' as const, 'head' as const), fc.nat(TOP + 10)),
    windowBlocks: fc.integer({ min: 1, max: 15 }),
    groupSize: fc.integer({ min: 1, max: 4 }),
    order: fc.constantFrom('oldest-first' as const, 'newest-first' as const),
    head: fc.nat(TOP),
    lag: fc.nat(12),
    variants: fc.subarray(VARIANTS, { minLength: 1 }),
    keys: fc.subarray(KEYS),
    entries: fc.array(entry, { maxLength: 25, size: 'max' }),
  })
  .map(({ from, to, windowBlocks, groupSize, order, head, lag, variants, keys, entries }) => {
    const requests = base.requests.map((request) => ({
      ...request,
      lists: variants.map((filters) => listOf(request.entry, filters)),
    }));
    const pipeline = { ...base, blocks: { from, to }, windowBlocks, groupSize, order, requests };
    const coverage = new Coverage();
    for (const part of entries) coverage.add(part);
    return inputOf(pipeline, keys, {
      coverage,
      heads: { primary: { head, safe: Math.max(0, head - lag) } },
    });
  });

function headsOf({ heads }: PlanInput): Heads {
  if (heads.primary === undefined) throw new Error('these plans are of the primary chain');
  return heads.primary;
}

/** The last height asked, by the words of the pipeline format. */
function lastAsked(input: PlanInput): number {
  const { pipeline } = input;
  const heads = headsOf(input);
  const { to } = pipeline.blocks;
  if (to === 'safe') return heads.safe - 1;
  return to === 'head' ? heads.head : Math.min(to, heads.head);
}

function timesPlanned(slices: readonly Slice[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { list, keys, interval: at } of slices) {
    for (const key of keys) {
      for (let height = at.from; height <= at.to; height += 1) {
        const place = `${listKey(list)} ${key} ${height}`;
        times.set(place, (times.get(place) ?? 0) + 1);
      }
    }
  }
  return times;
}

/** Every key and height asked, with how often it should be planned. */
function expectedTimes(input: PlanInput): {
  final: Map<string, number>;
  open: Map<string, number>;
} {
  const final = new Map<string, number>();
  const open = new Map<string, number>();
  const { pipeline, coverage } = input;
  const heads = headsOf(input);
  for (const { lists } of pipeline.requests) {
    for (const list of lists) {
      for (const key of input.keys['addresses'] ?? []) {
        for (let height = pipeline.blocks.from; height <= lastAsked(input); height += 1) {
          const place = `${listKey(list)} ${key} ${height}`;
          if (height >= heads.safe) open.set(place, 1);
          else if (!coverage.completeIn(list)(key, height)) final.set(place, 1);
        }
      }
    }
  }
  return { final, open };
}

const sorted = (times: Map<string, number>): [string, number][] =>
  [...times].sort(([a], [b]) => (a < b ? -1 : 1));

test('what is planned below the safe height is what is not complete, each height once', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const plan = planSlices(input);
      const { final } = expectedTimes(input);
      expect(sorted(timesPlanned(finalSlices(plan)))).toEqual(sorted(final));
    }),
    runs,
  );
});

test('what is asked from the safe height on is planned once, whatever is covered', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const plan = planSlices(input);
      const { open } = expectedTimes(input);
      expect(sorted(timesPlanned(provisionalSlices(plan)))).toEqual(sorted(open));
    }),
    runs,
  );
});

function misshapen(input: PlanInput, slice: Slice): string | undefined {
  const { pipeline } = input;
  const heads = headsOf(input);
  const { interval: at, keys, provisional } = slice;
  const endpoint = slice.list.entry;
  const { blockSpan } = endpoint.limits;
  const most = Math.min(pipeline.groupSize, paramOf(endpoint, 'keys')?.max ?? 1);
  if (at.from > at.to) return 'empty';
  if (keys.length === 0 || keys.length > most) return `${keys.length} keys of ${most}`;
  if (provisional ? at.from < heads.safe : at.to >= heads.safe) return 'across the safe height';
  if (blockSpan === undefined) return undefined;
  const window = (height: number): number => Math.floor(height / pipeline.windowBlocks);
  if (window(at.from) !== window(at.to)) return 'across windows';
  return at.to + 1 - at.from > blockSpan ? 'beyond the span' : undefined;
}

test('slices lie in one window, on one side of the safe height, within all limits', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { slices } = planSlices(input);
      expect(slices.flatMap((slice) => misshapen(input, slice) ?? [])).toEqual([]);
    }),
    runs,
  );
});

test('keys that miss the same interval fill their groups but for the last', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const sizes = new Map<string, number[]>();
      for (const { list, keys, interval: at } of planSlices(input).slices) {
        const place = `${listKey(list)} ${at.from}-${at.to}`;
        sizes.set(place, [...(sizes.get(place) ?? []), keys.length]);
      }
      for (const [place, all] of sizes) {
        const most = place.startsWith(ONE_KEY) ? 1 : input.pipeline.groupSize;
        expect(all.slice(0, -1).every((size) => size === most)).toBe(true);
      }
    }),
    runs,
  );
});

test('the order of fetching follows the heights, and holds every planned slice', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const plan: Plan = planSlices(input);
      const starts = plan.slices.map((slice) => slice.interval.from);
      const sign = input.pipeline.order === 'newest-first' ? -1 : 1;
      expect(starts).toEqual([...starts].sort((a, b) => sign * (a - b)));
      expect(new Set(plan.slices)).toEqual(
        new Set(plan.requests.flatMap((request) => request.slices)),
      );
    }),
    runs,
  );
});

test('the counts of a plan are those of its slices', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { safe } = headsOf(input);
      for (const request of planSlices(input).requests) {
        const final = request.slices.filter((slice) => !slice.provisional);
        const missing = [...timesPlanned(final).values()].length;
        expect(request.keyBlocks - request.covered).toBe(missing);
        const blocks = Math.min(lastAsked(input), safe - 1) - input.pipeline.blocks.from + 1;
        expect(request.keyBlocks).toBe(Math.max(0, blocks) * request.keys);
      }
    }),
    runs,
  );
});

test('after landing, an added key is all that is planned, and a removed one costs nothing', () => {
  fc.assert(
    fc.property(inputs, fc.shuffledSubarray(KEYS), (input, otherKeys) => {
      const coverage = landed(planSlices(input).slices, undefined, input.coverage);
      const before = new Set(input.keys['addresses']);
      const next = { ...input, coverage, keys: { addresses: otherKeys } };
      for (const slice of finalSlices(planSlices(next))) {
        expect(slice.keys.filter((key) => before.has(key))).toEqual([]);
      }
    }),
    runs,
  );
});

process.stdout.write(`plan slices: seed ${seed}\n`);
