import { describe, expect, it } from 'vitest';
import {
  blocksIn,
  contains,
  halves,
  intersection,
  normalise,
  overlaps,
  subtract,
  WINDOW_BLOCKS,
  windowsOf,
} from '../../../src/coverage/ranges.ts';

describe('windows', () => {
  it('begin at multiples of their size and end one block before the next', () => {
    expect(windowsOf({ from: 9_999, to: 20_000 }, WINDOW_BLOCKS)).toEqual([
      { from: 9_999, to: 9_999 },
      { from: 10_000, to: 19_999 },
      { from: 20_000, to: 20_000 },
    ]);
  });

  it('leave an interval alone that lies in one of them', () => {
    const interval = { from: 10_001, to: 19_998 };
    expect(windowsOf(interval, WINDOW_BLOCKS)).toEqual([interval]);
  });

  it('of infinite size leave every interval alone', () => {
    const interval = { from: 5, to: 99_999_999 };
    expect(windowsOf(interval, Number.POSITIVE_INFINITY)).toEqual([interval]);
  });

  it('of one block are single heights', () => {
    const singles = windowsOf({ from: 0, to: 2 }, 1);
    expect(singles).toEqual([0, 1, 2].map((height) => ({ from: height, to: height })));
  });
});

describe('normalising', () => {
  it('joins intervals that touch or overlap and keeps a gap of one block', () => {
    const intervals = [
      { from: 8, to: 9 },
      { from: 0, to: 3 },
      { from: 4, to: 5 },
      { from: 2, to: 6 },
    ];
    expect(normalise(intervals)).toEqual([
      { from: 0, to: 6 },
      { from: 8, to: 9 },
    ]);
  });

  it('keeps the longer of two intervals that begin together', () => {
    const intervals = [
      { from: 1, to: 9 },
      { from: 1, to: 3 },
    ];
    expect(normalise(intervals)).toEqual([{ from: 1, to: 9 }]);
  });
});

describe('subtracting', () => {
  const whole = { from: 10, to: 20 };

  it('leaves what lies before, between and after the parts', () => {
    const parts = [
      { from: 12, to: 12 },
      { from: 15, to: 18 },
    ];
    expect(subtract(whole, parts)).toEqual([
      { from: 10, to: 11 },
      { from: 13, to: 14 },
      { from: 19, to: 20 },
    ]);
  });

  it('leaves nothing of what is covered, and all of what is not touched', () => {
    expect(subtract(whole, [{ from: 0, to: 99 }])).toEqual([]);
    const outside = [
      { from: 0, to: 9 },
      { from: 21, to: 30 },
    ];
    expect(subtract(whole, outside)).toEqual([whole]);
  });
});

describe('halving', () => {
  it('gives the odd block to the lower half', () => {
    const expected = [
      { from: 4, to: 5 },
      { from: 6, to: 6 },
    ];
    expect(halves({ from: 4, to: 6 })).toEqual(expected);
  });
});

describe('comparing', () => {
  it('counts both ends as inside', () => {
    const interval = { from: 3, to: 5 };
    expect([2, 3, 5, 6].map((height) => contains(interval, height))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(blocksIn(interval)).toBe(3);
    expect(overlaps(interval, { from: 5, to: 9 })).toBe(true);
    expect(overlaps(interval, { from: 6, to: 9 })).toBe(false);
    expect(intersection(interval, { from: 5, to: 9 })).toEqual({ from: 5, to: 5 });
    expect(intersection(interval, { from: 6, to: 9 })).toBeUndefined();
  });
});
