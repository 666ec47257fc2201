import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  blocksIn,
  contains,
  halves,
  type Interval,
  intersection,
  normalise,
  overlaps,
  subtract,
  windowsOf,
} from '../../../src/coverage/ranges.ts';
import { casesOf } from '../../fixtures/thorough.ts';

/** Goal: the algebra agrees with sets of heights, in every case small enough to count. */

const seed = Number(process.env['SEED'] ?? 40_961);
const runs = { seed, numRuns: casesOf(2_000) };
const TOP = 60;

const interval: fc.Arbitrary<Interval> = fc
  .tuple(fc.nat(TOP), fc.nat(TOP))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const intervals = fc.array(interval, { maxLength: 8 });

function heightsOf(parts: readonly Interval[]): Set<number> {
  const heights = new Set<number>();
  for (const { from, to } of parts) {
    for (let height = from; height <= to; height += 1) heights.add(height);
  }
  return heights;
}

function isOrderedWithGaps(parts: readonly Interval[], leastGap: number): boolean {
  return parts.every((part, i) => {
    const before = parts[i - 1];
    return part.from <= part.to && (before === undefined || part.from > before.to + leastGap);
  });
}

const sorted = (heights: Iterable<number>): number[] => [...heights].sort((a, b) => a - b);

test('normalised intervals are ordered, never touch, and hold the same heights', () => {
  fc.assert(
    fc.property(intervals, (parts) => {
      const result = normalise(parts);
      expect(isOrderedWithGaps(result, 1)).toBe(true);
      expect(sorted(heightsOf(result))).toEqual(sorted(heightsOf(parts)));
      expect(normalise(result)).toEqual(result);
    }),
    runs,
  );
});

test('a difference holds every height of the whole that no part has, and no other', () => {
  fc.assert(
    fc.property(interval, intervals, (whole, parts) => {
      const result = subtract(whole, parts);
      const gone = heightsOf(parts);
      const left = [...heightsOf([whole])].filter((height) => !gone.has(height));
      expect(isOrderedWithGaps(result, 1)).toBe(true);
      expect(sorted(heightsOf(result))).toEqual(left);
    }),
    runs,
  );
});

test('windows cover the interval once, in order, each within one aligned window', () => {
  fc.assert(
    fc.property(interval, fc.integer({ min: 1, max: 25 }), (whole, size) => {
      const windows = windowsOf(whole, size);
      expect(isOrderedWithGaps(windows, 0)).toBe(true);
      expect(normalise(windows)).toEqual([whole]);
      for (const window of windows) {
        expect(Math.floor(window.from / size)).toBe(Math.floor(window.to / size));
        expect(window.from === whole.from || window.from % size === 0).toBe(true);
        expect(window.to === whole.to || (window.to + 1) % size === 0).toBe(true);
      }
    }),
    runs,
  );
});

test('windows of neighbouring intervals are the windows of both together, cut between them', () => {
  fc.assert(
    fc.property(interval, fc.nat(TOP), fc.integer({ min: 1, max: 25 }), (whole, at, size) => {
      fc.pre(at >= whole.from && at < whole.to);
      const low = windowsOf({ from: whole.from, to: at }, size);
      const high = windowsOf({ from: at + 1, to: whole.to }, size);
      const cut = windowsOf(whole, size).flatMap((window) =>
        contains(window, at) && window.to > at
          ? [
              { from: window.from, to: at },
              { from: at + 1, to: window.to },
            ]
          : [window],
      );
      expect([...low, ...high]).toEqual(cut);
    }),
    runs,
  );
});

test('halves are two, differ by at most one block, and lose none', () => {
  fc.assert(
    fc.property(interval, (whole) => {
      fc.pre(whole.from < whole.to);
      const [low, high] = halves(whole);
      expect(low.from).toBe(whole.from);
      expect(high.to).toBe(whole.to);
      expect(high.from).toBe(low.to + 1);
      expect([0, 1]).toContain(blocksIn(low) - blocksIn(high));
    }),
    runs,
  );
});

test('overlapping, intersecting and containing say the same', () => {
  fc.assert(
    fc.property(interval, interval, (a, b) => {
      const both = [...heightsOf([a])].filter((height) => contains(b, height));
      const common = intersection(a, b);
      expect(overlaps(a, b)).toBe(both.length > 0);
      expect(common === undefined ? [] : sorted(heightsOf([common]))).toEqual(both);
    }),
    runs,
  );
});

process.stdout.write(`ranges: seed ${seed}\n`);
