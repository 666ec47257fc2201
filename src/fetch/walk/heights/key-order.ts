import type { ListedRecord } from '../../../catalogue/record-text.ts';
import type { Interval } from '../../../coverage/ranges.ts';
import { askedRange } from '../asked-range.ts';
import { readPageOf } from '../pages.ts';
import { matchedKeys } from '../record-reader.ts';
import { areSame } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import { learnEdges } from './range-edges.ts';
import { within } from './stretches.ts';

/**
 * Services may list all records of one key before those of another, each key's sorted by height. A
 * page of such a list looks sorted, but lacks records of the other keys at its heights. A list is
 * known to mix its keys once a page has records of a key, of another key, and of the first key
 * again.
 */

/**
 * Whether a page has all records at the heights of a part; `shown` are those of the page, `records`
 * those of the part. Sends at most one request, and none once the list is known to mix its keys.
 */
export async function isShownWhole(
  reading: Reading,
  part: Interval,
  shown: readonly ListedRecord[],
  records: readonly ListedRecord[],
): Promise<boolean> {
  const { endpoint, slice, settings } = reading;
  const { facts } = settings;
  if (slice.keys.length < 2 || facts.at(endpoint.path).areKeysMixed) return true;
  if (isMixed(reading, shown)) {
    facts.at(endpoint.path).areKeysMixed = true;
    return true;
  }
  const height = records[0]?.height;
  // Extra blocks beside the part would fill the page with records of the first key.
  if (height === undefined || !(await learnEdges(reading, height))) return false;
  const reply = await readPageOf(reading, askedRange(reading, part), 1, 'has-records');
  return reply.records.length < shown.length && areSame(within(reply.records, part), records);
}

/** Records that match several keys are ignored. */
function isMixed({ slice }: Reading, shown: readonly ListedRecord[]): boolean {
  const left = new Set<string>();
  let last: string | undefined;
  for (const record of shown) {
    const [key, other] = matchedKeys(record, slice);
    if (key === undefined || other !== undefined || key === last) continue;
    if (left.has(key)) return true;
    if (last !== undefined) left.add(last);
    last = key;
  }
  return false;
}
