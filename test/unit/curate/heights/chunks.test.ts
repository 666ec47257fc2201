import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksIn, type Interval, normalise } from '../../../../src/coverage/ranges.ts';
import {
  cutByRows,
  groupByRows,
  joinToCount,
  rowsOfChunk,
} from '../../../../src/curate/heights/chunks.ts';
import { EVERY_HEIGHT } from '../../../../src/land/delta/changed-heights.ts';
import { casesOf } from '../../../fixtures/thorough.ts';

const interval = fc
  .tuple(fc.nat(300), fc.nat(60))
  .map(([from, blocks]): Interval => ({ from, to: from + blocks }));
const file = fc.record({
  heights: fc.option(interval, { nil: undefined, freq: 8 }),
  rows: fc.option(fc.nat(500), { nil: undefined, freq: 8 }),
});
const input = fc.record({
  intervals: fc.array(interval, { maxLength: 8 }),
  files: fc.array(file, { maxLength: 8 }),
  maxRows: fc.integer({ min: 1, max: 400 }),
});
const seed = Number(process.env['SEED'] ?? 5_501);
const settings = { seed, numRuns: casesOf(2_000) };

function heightsOf(intervals: readonly Interval[]): number[] {
  return intervals.flatMap(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i),
  );
}

type Files = readonly {
  readonly heights: Interval | undefined;
  readonly rows?: number | undefined;
}[];

/** The rows of the files that lie in these heights, if they lie evenly in their files. */
function rowsIn({ from, to }: Interval, files: Files): number {
  return files.reduce((sum, { heights, rows = 0 }) => {
    if (heights === undefined) return sum;
    const common = Math.min(to, heights.to) - Math.max(from, heights.from) + 1;
    return sum + (Math.max(0, common) * rows) / blocksIn(heights);
  }, 0);
}

test('every height is in exactly one chunk, and in no other heights', () => {
  fc.assert(
    fc.property(input, ({ intervals, files, maxRows }) => {
      const chunks = cutByRows(intervals, files, maxRows);
      expect(heightsOf(chunks)).toEqual(heightsOf(normalise(intervals)));
    }),
    settings,
  );
});

test('groups have all intervals in order, and at most the wanted rows unless they have one', () => {
  fc.assert(
    fc.property(input, ({ intervals, files, maxRows }) => {
      const groups = groupByRows(normalise(intervals), files, maxRows);
      expect(groups.flat()).toEqual(normalise(intervals));
      for (const group of groups.filter(({ length }) => length > 1)) {
        const rows = group.reduce((sum, range) => sum + rowsIn(range, files), 0);
        expect(rows).toBeLessThanOrEqual(maxRows * 1.001);
      }
    }),
    settings,
  );
});

test('a chunk has at most the wanted rows, beside those of its last height', () => {
  fc.assert(
    fc.property(input, ({ intervals, files, maxRows }) => {
      for (const chunk of cutByRows(intervals, files, maxRows)) {
        const rest = { from: chunk.from, to: chunk.to - 1 };
        expect(rowsIn(rest, files)).toBeLessThanOrEqual(maxRows + 1e-6);
      }
    }),
    settings,
  );
});

test('chunks are not smaller than they must be', () => {
  fc.assert(
    fc.property(interval, fc.array(file, { maxLength: 8 }), (all, files) => {
      const chunks = cutByRows([all], files, 100);
      for (const [i, chunk] of chunks.slice(0, -1).entries()) {
        const next = chunks[i + 1]?.from ?? chunk.to;
        const more = { from: chunk.from, to: Math.max(next, chunk.to + 1) };
        expect(rowsIn(more, files)).toBeGreaterThan(100 - 1e-6);
      }
    }),
    settings,
  );
});

/** The number of chunks of rows that lie evenly. */
function chunksOf(rows: number, limits: { sessions: number; maxRows: number }): number {
  const all = { from: 0, to: 99_999 };
  const files = [{ heights: all, rows }];
  return cutByRows([all], files, rowsOfChunk([all], files, limits)).length;
}

test('each session gets a chunk where there are enough rows, and no chunk is too large', () => {
  const chunks = (rows: number, sessions: number): number =>
    chunksOf(rows, { sessions, maxRows: 1_000_000 });
  expect(chunks(0, 4)).toBe(1);
  expect(chunks(1_000, 4)).toBe(1);
  expect(chunks(150_000, 4)).toBe(3);
  expect([2, 3, 4, 7, 16].map((sessions) => chunks(3_000_000, sessions))).toEqual([4, 6, 4, 7, 16]);
  expect(chunks(11_000_000, 4)).toBe(12);
});

test('a large computation has at most 128 chunks, until these have half a million rows', () => {
  const chunks = (rows: number): number => chunksOf(rows, { sessions: 2, maxRows: 130_000 });
  expect([1e6, 10e6, 40e6, 60e6].map(chunks)).toEqual([10, 79, 122, 122]);
  expect(chunks(130e6)).toBeGreaterThan(260);
});

test('all heights of a chain without rows are one chunk', () => {
  expect(cutByRows(EVERY_HEIGHT, [], 10)).toEqual(EVERY_HEIGHT);
});

test('intervals are joined to a number of them, over the smallest gaps', () => {
  const heights = [0, 10, 11, 15, 100].map((at) => ({ from: at, to: at }));
  expect(joinToCount(heights, 10)).toEqual(normalise(heights));
  expect(joinToCount(heights, 3)).toEqual([
    { from: 0, to: 0 },
    { from: 10, to: 15 },
    { from: 100, to: 100 },
  ]);
  expect(joinToCount(heights, 1)).toEqual([{ from: 0, to: 100 }]);
  expect(joinToCount([], 3)).toEqual([]);
});
