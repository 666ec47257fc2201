import type { WireRecord } from '../catalogue/record.ts';
import type { Interval } from '../plan/ranges.ts';
import { askedEnd, readPageOf } from './pages.ts';
import type { Reading } from './walked.ts';
import { heightOf } from './wire.ts';

/**
 * A list that is cut off at a number of records looks whole. But its two halves by height, each
 * with records of its own, then have more than was shown of both together: one of them would have
 * to be cut off at that same number, and the other one has records too.
 */

export type Counted =
  | { readonly kind: 'whole' }
  /** The halves have more records than the list showed. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'drift'; readonly reason: string }
  /** All records stand at one height. */
  | { readonly kind: 'uncountable' };

/** Two to five requests. `records` are all that the walk was shown, at any height. */
export async function countHalves(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Counted> {
  const { endpoint, slice } = reading;
  const heights = records.map((record) => heightOf(endpoint, record) ?? slice.interval.from);
  heights.sort((a, b) => a - b);
  const middle = heights[(heights.length - 1) >> 1] ?? 0;
  const last = heights.at(-1) ?? 0;
  // The cut lies above `cut`, so that both halves have records.
  const cut = middle < last ? middle : heights.findLast((height) => height < last);
  if (cut === undefined) return { kind: 'uncountable' };
  const end = (await includesEnd(reading, last)) ? cut : cut + 1;
  const to = askedEnd(endpoint, slice);
  const low = await countIn(reading, { from: slice.interval.from, to: end });
  const high = await countIn(reading, { from: cut + 1, to });
  if (low + high === records.length) return { kind: 'whole' };
  if (low + high > records.length) return { kind: 'cut' };
  const reason = `${records.length} records were listed, and ${low + high} in its halves`;
  return { kind: 'drift', reason };
}

/** Whether the list holds what stands at the end of the range asked; one request, once. */
async function includesEnd(reading: Reading, height: number): Promise<boolean> {
  const { endpoint, settings } = reading;
  const known = settings.ceilings?.includesEnd(endpoint.path);
  if (known !== undefined) return known;
  const { records } = await readPageOf(reading, { from: height, to: height }, 1);
  const isIncluded = records.length > 0;
  settings.ceilings?.learn(endpoint.path, { includesEnd: isIncluded });
  return isIncluded;
}

/** Records of the range by what its first page and its last one say: one request or two. */
async function countIn(reading: Reading, asked: Interval): Promise<number> {
  const first = await readPageOf(reading, asked, 1);
  const pages = first.totalPage ?? 0;
  if (pages <= 1) return first.records.length;
  const last = await readPageOf(reading, asked, pages);
  return (pages - 1) * reading.limit + last.records.length;
}
