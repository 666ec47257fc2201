import type { ListedRecord } from '../../../catalogue/record-text.ts';
import type { Interval } from '../../../coverage/ranges.ts';
import { askedRange } from '../asked-range.ts';
import { readPageOf } from '../pages.ts';
import { orderOf, Records, settledOf } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import { heightOf, matchedKeys } from '../wire.ts';
import type { Cut } from './page-judge.ts';
import { within } from './stretches.ts';

/**
 * Whether the service lists only some records of each key, so that a page of several keys lacks
 * records between those that it shows. Such a cap is at least as large as the number of records
 * that only one key explains, on any recent page. Keys with as many records on this page are asked
 * alone for the heights beyond these: one request each.
 */
export async function areKeysCut(
  reading: Reading,
  stretch: Interval,
  shown: readonly ListedRecord[],
  cut: Cut | undefined,
): Promise<boolean> {
  const { endpoint, slice, settings } = reading;
  const { facts } = settings;
  const heights = shown.flatMap((record) => heightOf(endpoint, record) ?? []);
  const order = orderOf(heights);
  // Such a page shows no heights completely.
  if (cut !== undefined && (order === 'one-height' || order === 'unsorted')) return false;
  const interval = cut === undefined ? stretch : settledOf(order, heights, stretch);
  const ofKeys = new Map(slice.keys.map((key) => [key, [] as ListedRecord[]]));
  const alone = new Map<string, number>();
  for (const record of shown) {
    const matched = matchedKeys(endpoint, record, slice);
    for (const key of matched) ofKeys.get(key)?.push(record);
    const [key, other] = matched;
    if (key !== undefined && other === undefined) alone.set(key, (alone.get(key) ?? 0) + 1);
  }
  const list = `${endpoint.path}, one key on a page`;
  facts.pageShown(list, Math.max(0, ...alone.values()));
  if (slice.keys.length < 2 || settings.isUnsplit === true) return false;
  const least = Math.max(1, facts.longestPage(list));
  for (const [key, records] of ofKeys) {
    const last = records[least - 1];
    const height = last === undefined ? undefined : heightOf(endpoint, last);
    if (height === undefined) continue;
    const part = {
      from: order === 'oldest-first' ? Math.max(height, interval.from) : interval.from,
      to: order === 'newest-first' ? Math.min(height, interval.to) : interval.to,
    };
    if (part.from > part.to) continue;
    const due = within(endpoint, records, part);
    const one = { ...reading, slice: { ...slice, keys: [key] } };
    const mode = due.length > 0 ? 'has-records' : 'plain';
    const reply = await readPageOf(one, askedRange(one, part), 1, mode);
    const found = within(endpoint, reply.records, part);
    // A group may list a record once for each of its keys, so fewer copies prove nothing.
    if (new Records(endpoint, due).lacks(found) === undefined) continue;
    facts.learnKeyCap(endpoint.path);
    return true;
  }
  return false;
}
