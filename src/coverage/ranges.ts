/** An inclusive interval of heights. All stages use the functions of this file on intervals. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Default size of windows, which are aligned: `[k*10000, k*10000+9999]`. */
export const WINDOW_BLOCKS = 10_000;

export function overlaps(a: Interval, b: Interval): boolean {
  return a.from <= b.to && b.from <= a.to;
}

export function contains(interval: Interval, height: number): boolean {
  return interval.from <= height && height <= interval.to;
}

/** The smallest interval that holds sorted intervals; an empty one if there are none. */
export function hullOf(intervals: readonly Interval[]): Interval {
  return { from: intervals[0]?.from ?? 1, to: intervals.at(-1)?.to ?? 0 };
}

/** The common part, or undefined when there is none. */
export function intersection(a: Interval, b: Interval): Interval | undefined {
  const from = Math.max(a.from, b.from);
  const to = Math.min(a.to, b.to);
  return from <= to ? { from, to } : undefined;
}

/** Sorted, disjoint, with touching intervals joined. */
export function normalise(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** The parts of `whole` that no interval of `parts` covers, sorted and disjoint. */
export function subtract(whole: Interval, parts: readonly Interval[]): Interval[] {
  const rest: Interval[] = [];
  let next = whole.from;
  for (const part of normalise(parts)) {
    if (part.to < next) continue;
    if (part.from > whole.to) break;
    if (part.from > next) rest.push({ from: next, to: part.from - 1 });
    next = part.to + 1;
  }
  if (next <= whole.to) rest.push({ from: next, to: whole.to });
  return rest;
}

/**
 * Cuts the interval at multiples of `size`, so that every piece lies in one aligned window. An
 * infinite size returns the whole interval.
 */
export function windowsOf(interval: Interval, size: number): Interval[] {
  if (size === Number.POSITIVE_INFINITY) return [interval];
  const windows: Interval[] = [];
  for (let from = interval.from; from <= interval.to; ) {
    const end = Math.min(interval.to, Math.floor(from / size) * size + size - 1);
    windows.push({ from, to: end });
    from = end + 1;
  }
  return windows;
}

/** Two halves by height. The interval must have more than one block. */
export function halves(interval: Interval): [Interval, Interval] {
  const middle = interval.from + Math.floor((interval.to - interval.from) / 2);
  return [
    { from: interval.from, to: middle },
    { from: middle + 1, to: interval.to },
  ];
}

export function blocksIn(interval: Interval): number {
  return interval.to - interval.from + 1;
}

/** The interval cut above each of the heights inside it, as disjoint parts that cover it. */
export function cutByHeights({ from, to }: Interval, heights: readonly number[]): Interval[] {
  const cuts = [...new Set(heights)]
    .filter((height) => height >= from && height < to)
    .sort((a, b) => a - b);
  const starts = [from, ...cuts.map((height) => height + 1)];
  return starts.map((start, i) => ({ from: start, to: cuts[i] ?? to }));
}
