import type { ListedRecord } from '../../catalogue/record-text.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { provenPart, type SlicePart } from '../../coverage/slice-part.ts';
import { readPage } from './pages.ts';
import { PENDING_REASON } from './pending-records.ts';
import { matchedKeys } from './record-reader.ts';
import type { Reading, WalkResult } from './walk.ts';

/**
 * Look-ups without pages. Their answers are proven by naming exactly the requested height or keys.
 */

/** Reads one record by its height. */
export async function lookUpHeight(reading: Reading): Promise<WalkResult> {
  const { slice } = reading;
  const { records } = await readPage(reading, 1);
  const height = slice.interval.from;
  const answered = records.filter((record) => record.height === height);
  if (answered.length === 1 && records.length === 1) return { outcome: 'proven', records };
  const share = `${answered.length} of the ${records.length} records have that height`;
  const reason = `height ${height} was requested, but ${share}`;
  return { outcome: 'contradictory', reason, records: answered };
}

const NO_RECORD = 'the key was requested twice and has no record';

interface Answer {
  /** '' where the key is answered. */
  readonly reason: string;
  readonly records: readonly ListedRecord[];
  /** The answer is a pending record. */
  readonly isPending: boolean;
}

/**
 * Reads records by their keys. Every record must name one of the keys, and every key must have a
 * record (exactly one where the key identifies it). An empty answer may be a throttled one, so each
 * key without an answer is requested once more, alone; an unknown key then does not hide the
 * others. A key that has a record only then shows that the service returns false empty answers.
 * Keys still without an answer form an `inconsistent` part. Keys with a pending record form a
 * `provisional` part, which the next run reads again.
 */
export async function lookUpKeys(reading: Reading): Promise<SlicePart[]> {
  const { slice, settings, endpoint } = reading;
  const { facts } = settings;
  const { path } = endpoint;
  const answers = await ask(reading, slice.keys);
  const open = slice.keys.filter((key) => answers.get(key)?.reason !== '');
  const again = await Promise.all(open.map((key) => ask(reading, [key])));
  for (const [key, answer] of again.flatMap((reply) => [...reply])) {
    const wasEmpty = answers.get(key)?.reason === NO_RECORD;
    if (wasEmpty && answer.reason !== NO_RECORD) facts.sawAnswer(path, false);
    answers.set(key, answer);
  }
  for (const { reason } of answers.values()) if (reason === '') facts.sawAnswer(path, true);
  const isAnswered = (key: string): boolean => answers.get(key)?.reason === '';
  const isWaiting = (key: string): boolean => answers.get(key)?.isPending === true;
  const answered = slice.keys.filter((key) => isAnswered(key) && !isWaiting(key));
  const waiting = slice.keys.filter((key) => isAnswered(key) && isWaiting(key));
  const unanswered = slice.keys.filter((key) => !isAnswered(key));
  const parts: SlicePart[] = [];
  if (answered.length > 0) parts.push(provenPart(...partOf(answered)));
  if (waiting.length > 0) {
    const [part, records] = partOf(waiting);
    parts.push({ slice: part, status: 'provisional', reason: PENDING_REASON, records });
  }
  if (unanswered.length > 0) {
    const [part, records] = partOf(unanswered);
    const reasons = unanswered.map((key) => answers.get(key)?.reason ?? '');
    const reason = [...new Set(reasons)].join('; ');
    parts.push({ slice: part, status: 'inconsistent', reason, records });
  }
  return parts;

  function partOf(keys: readonly string[]): [Slice, ListedRecord[]] {
    return [{ ...slice, keys }, keys.flatMap((key) => answers.get(key)?.records ?? [])];
  }
}

/** Sends one request and returns the answer for each key. */
async function ask(reading: Reading, keys: readonly string[]): Promise<Map<string, Answer>> {
  const slice = { ...reading.slice, keys };
  const { records, pending = [] } = await readPage({ ...reading, slice }, 1);
  const byKey = new Map<string, ListedRecord[]>(keys.map((key) => [key, []]));
  let unmatched = 0;
  for (const record of [...records, ...pending]) {
    const matched = matchedKeys(record, slice);
    if (matched.length === 0) unmatched += 1;
    for (const key of matched) byKey.get(key)?.push(record);
  }
  const answers = new Map<string, Answer>();
  for (const [key, matches] of byKey) answers.set(key, answerOf(matches));
  return answers;

  function answerOf(all: readonly ListedRecord[]): Answer {
    const blockRecords = all.filter((record) => !pending.includes(record));
    const inside = blockRecords.filter((record) => {
      const height = record.height;
      return height === undefined || contains(slice.interval, height);
    });
    const elsewhere = blockRecords.find((record) => !inside.includes(record));
    let reason = '';
    if (unmatched > 0) reason = 'a record that matches none of the keys was listed';
    else if (all.length === 0) reason = NO_RECORD;
    else if (elsewhere !== undefined) {
      const { from, to } = slice.interval;
      reason = `a record at height ${elsewhere.height} was listed for ${from}-${to}`;
    } else if (all.length > 1 && identifies(reading)) {
      reason = `a key that identifies one record has ${all.length} records`;
    }
    return { reason, records: inside, isPending: blockRecords.length < all.length };
  }
}

/** Whether the key alone identifies a record, so that it has exactly one. */
function identifies({ slice }: Reading): boolean {
  const { dataset, keyColumns: columns = [] } = slice.list;
  const { identity } = dataset;
  return identity.length === 1 && identity.every((column) => columns.includes(column));
}
