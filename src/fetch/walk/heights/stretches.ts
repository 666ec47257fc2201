import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { contains, cutByHeights, halves, type Interval } from '../../../coverage/ranges.ts';
import type { Segment } from './segments.ts';

/** A range of heights that is still to be read. */
export interface Stretch extends Interval {
  /** Known records, which every page that reaches their height must show. */
  readonly history: readonly ListedRecord[];
  /** Number of contradictions so far. */
  readonly tries: number;
  /** The stretch adjoins a part of the list that had records. */
  readonly isPart: boolean;
  /** Text of a page that had fewer records than its own count. */
  readonly short?: string;
}

/**
 * Announced records per concurrent part; a list with at least two parts' worth is read
 * concurrently.
 */
const RECORDS_PER_PART = 5_000;
/** Most stretches of one list that are read concurrently. */
export const MAX_PARTS = 8;
/** Most parts of an unsorted list that one page suggests. */
const MAX_UNSORTED_PARTS = 16;
/** Parts of an unsorted list should fill this share of a page. */
const FILLED = 0.7;

/** The records at the heights of an interval; records without a height are never included. */
export function within(records: readonly ListedRecord[], interval: Interval): ListedRecord[] {
  return records.filter((record) => contains(interval, record.height ?? -1));
}

/** The stretch cut above each of the heights, each part with its own known records. */
export function cutStretch(stretch: Stretch, heights: readonly number[]): Stretch[] {
  return cutByHeights(stretch, heights).map((part) => {
    return { ...stretch, ...part, history: within(stretch.history, part) };
  });
}

export function halvedStretch(stretch: Stretch): Stretch[] {
  const [low] = halves({ from: stretch.from, to: stretch.to });
  return cutStretch(stretch, [low.to]);
}

/**
 * The heights at which to cut the rest of a list with `listed` further records into parts of
 * similar size; none for a short list. `settled` and its number of `records` give the density.
 */
export function cutsOfLongList(
  rest: Interval,
  settled: Interval,
  records: number,
  listed: number,
): number[] {
  const parts = Math.min(MAX_PARTS, Math.floor(listed / RECORDS_PER_PART));
  const blocks = rest.to - rest.from + 1;
  if (parts < 2 || records === 0 || blocks < parts * 2) return [];
  const perBlock = records / (settled.to - settled.from + 1);
  const width = Math.min(blocks, listed / perBlock) / parts;
  return Array.from({ length: parts - 1 }, (_, i) => Math.floor(rest.to - width * (i + 1)));
}

/**
 * Cuts an unsorted list into parts that should fit on one page each, by the heights of one of its
 * pages. A height with as many of them as a whole part becomes a part of its own.
 */
export function partsOfUnsorted(
  stretch: Stretch,
  heights: readonly number[],
  { totalPage, limit }: { readonly totalPage: number; readonly limit: number },
): Stretch[] {
  const listed = Math.max(heights.length * 2, totalPage * limit);
  const most = Math.max(2, Math.ceil(listed / (FILLED * limit)));
  const count = Math.min(MAX_UNSORTED_PARTS, most);
  const sorted = [...heights].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  const even = Array.from({ length: count - 1 }, (_, i) => at((i + 1) / count));
  const isBusy = (height: number): boolean =>
    sorted.lastIndexOf(height) - sorted.indexOf(height) + 1 >= sorted.length / count;
  const cuts = even.flatMap((height) => (isBusy(height) ? [height - 1, height] : [height]));
  const parts = cutStretch(stretch, cuts);
  return parts.length > 1 ? parts : halvedStretch(stretch);
}

/** The proven segments of one page, and the stretches left to read. */
export interface Step {
  readonly segments: readonly Segment[];
  readonly open: readonly Stretch[];
}

/** A stretch whose answers contradict each other, with its known records. */
export function givenUp({ from, to, history }: Stretch, reason: string): Step {
  const interval = { from, to };
  return { segments: [{ kind: 'contradictory', interval, reason, records: history }], open: [] };
}
