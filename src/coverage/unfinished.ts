import type { CoveragePart } from './coverage.ts';

/**
 * Unfinished records: the service has not filled in all of their late columns (`LateColumn`). The
 * blocks of such records, or their keys in look-ups, are `provisional` with this reason, and the
 * rest of the walk is `complete`.
 */
export const UNFINISHED_REASON =
  'a record is unfinished: a field is missing, or not final on the other chain';

/** A record is read again once it is this many times as old, in blocks, as at its last reading. */
const AGE_GROWTH = 1.5;

/**
 * Age of the last reading, about 35 days of blocks of 100 ms. A record that is as old counts as
 * finished: the service will not fill it in.
 */
export const LAST_READING_BLOCKS = 30_000_000;

/** Whether the part has the status of unfinished records. */
export function isUnfinished({ status, reason }: Pick<CoveragePart, 'status' | 'reason'>): boolean {
  return status === 'provisional' && reason === UNFINISHED_REASON;
}

/**
 * Whether an unfinished record at this height need not be read again yet. Its readings are at ages
 * of 1, 1.5, 2.25 ... times that of the first one, and the last is at LAST_READING_BLOCKS.
 */
export function isResting(part: CoveragePart, height: number, head: number): boolean {
  const dueAge = Math.min(AGE_GROWTH * (part.head - height), LAST_READING_BLOCKS);
  return isUnfinished(part) && head - height < dueAge;
}
