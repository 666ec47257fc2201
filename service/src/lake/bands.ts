import type { Interval } from '../../../src/coverage/ranges.ts';

/** Neighbouring heights, and the number of records that a selection lists in them. */
export interface Band extends Interval {
  readonly count: number;
}

/** The bands of a selection in an interval, the newest first. Other heights list nothing. */
export interface Span extends Interval {
  readonly bands: readonly Band[];
}

/** Bands are counted in this many equal parts of an interval. */
const PARTS = 4096;
/** Records that are read at a time: pages of a list usually follow each other. */
const BAND_RECORDS = 2000;

/** The number of heights that are counted together. */
export function partHeights({ from, to }: Interval): number {
  return Math.max(1, Math.ceil((to - from + 1) / PARTS));
}

/** Joins neighbours, the newest first, until each has enough records. */
export function joinBands(parts: readonly Band[]): Band[] {
  const joined: Band[] = [];
  for (const part of [...parts].sort((a, b) => b.from - a.from)) {
    const last = joined.at(-1);
    if (last === undefined || last.count + part.count > BAND_RECORDS) joined.push(part);
    else {
      joined[joined.length - 1] = { from: part.from, to: last.to, count: last.count + part.count };
    }
  }
  return joined;
}
