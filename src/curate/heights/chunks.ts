import { type Interval, normalise } from '../../coverage/ranges.ts';

/** Number of raw rows in a bucket of heights. */
export interface Bucket extends Interval {
  readonly rows: number;
}

/**
 * Cuts intervals into parts of at most `maxRows` raw rows each, given the rows of buckets in order
 * of height. A bucket is never cut, so a part with one bucket may have more rows. Every height of
 * the intervals is in exactly one part.
 */
export function cutByRows(
  intervals: readonly Interval[],
  buckets: readonly Bucket[],
  maxRows: number,
): Interval[] {
  const chunks: Interval[] = [];
  let next = 0;
  for (const interval of normalise(intervals)) {
    let from = interval.from;
    let rows = 0;
    while ((buckets[next]?.to ?? Number.POSITIVE_INFINITY) < from) next += 1;
    for (let bucket = buckets[next]; bucket !== undefined && bucket.from <= interval.to; ) {
      if (rows > 0 && rows + bucket.rows > maxRows && bucket.from > from) {
        chunks.push({ from, to: bucket.from - 1 });
        from = bucket.from;
        rows = 0;
      }
      rows += bucket.rows;
      if (bucket.to > interval.to) break;
      next += 1;
      bucket = buckets[next];
    }
    chunks.push({ from, to: interval.to });
  }
  return chunks;
}
