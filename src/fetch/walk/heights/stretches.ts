import type { Endpoint } from '../../../catalogue/entry.ts';
import type { WireRecord } from '../../../catalogue/record.ts';
import { contains, halves, type Interval } from '../../../coverage/ranges.ts';
import { cutByHeights } from '../sorted-pages.ts';
import { heightOf } from '../wire.ts';
import type { Segment } from './segments.ts';

/** Heights still to be read. */
export interface Stretch extends Interval {
  /** Records that were listed here, which every page that reaches their height must show. */
  readonly known: readonly WireRecord[];
  /** Contradictions met here so far. */
  readonly tries: number;
  /** It lies beside or below a part of the list that had records. */
  readonly isPart: boolean;
  /** The page that was shorter than its own page count says, as text. */
  readonly short?: string;
}

/** A list with twice as many more records is read in two parts at once. */
const RECORDS_PER_PART = 5_000;
/** Most stretches of one list that are read at the same time. */
export const MAX_PARTS = 8;
/** Most parts of an unsorted list that one page suggests. */
const MAX_UNSORTED_PARTS = 16;
/** Parts of an unsorted list are made to fill this share of a page. */
const FILLED = 0.7;

/** The records at the heights of an interval; those without a height are in none. */
export function within(
  endpoint: Endpoint,
  records: readonly WireRecord[],
  interval: Interval,
): WireRecord[] {
  return records.filter((record) => contains(interval, heightOf(endpoint, record) ?? -1));
}

/** The stretch cut above each of the heights, each part with its own known records. */
export function cutStretch(
  endpoint: Endpoint,
  stretch: Stretch,
  heights: readonly number[],
): Stretch[] {
  return cutByHeights(stretch, heights).map((part) => {
    return { ...stretch, ...part, known: within(endpoint, stretch.known, part) };
  });
}

export function halvedStretch(endpoint: Endpoint, stretch: Stretch): Stretch[] {
  const [low] = halves({ from: stretch.from, to: stretch.to });
  return cutStretch(endpoint, stretch, [low.to]);
}

/**
 * Where to cut the rest of a list that is announced to have `listed` more records, so that its
 * parts have about as many; nowhere in a short one. `settled` with its `records` gives the density.
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
 * An unsorted list in parts that should fit on one page each, by the heights that one of its pages
 * shows. A height that has as many of them as a part should have becomes a part of its own.
 */
export function partsOfUnsorted(
  endpoint: Endpoint,
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
  const parts = cutStretch(endpoint, stretch, cuts);
  return parts.length > 1 ? parts : halvedStretch(endpoint, stretch);
}

/** What one page settles, and what it leaves to be read. */
export interface Step {
  readonly segments: readonly Segment[];
  readonly open: readonly Stretch[];
}

/** A stretch on which the service contradicts itself, with the records known of it. */
export function givenUp({ from, to, known }: Stretch, reason: string): Step {
  const interval = { from, to };
  return { segments: [{ kind: 'contradictory', interval, reason, records: known }], open: [] };
}
