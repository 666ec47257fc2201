import type { WireRecord } from '../../catalogue/record.ts';
import { contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { readPage } from './pages.ts';
import { PENDING_REASON } from './pending-records.ts';
import { type Part, provenPart, type Reading, type WalkResult } from './walk.ts';
import { heightOf, matchedKeys } from './wire.ts';

/** Answers without pages prove themselves by being about exactly what was asked. */

/** One record by its height. */
export async function lookUpHeight(reading: Reading): Promise<WalkResult> {
  const { endpoint, slice } = reading;
  const { records } = await readPage(reading, 1);
  const asked = slice.interval.from;
  const answered = records.filter((record) => heightOf(endpoint, record) === asked);
  if (answered.length === 1 && records.length === 1) return { outcome: 'proven', records };
  const share = `${answered.length} of ${records.length} records were about it`;
  const reason = `height ${asked} was asked, and ${share}`;
  return { outcome: 'contradictory', reason, records: answered };
}

interface Answer {
  /** '' when the key is answered. */
  readonly reason: string;
  readonly records: readonly WireRecord[];
  /** The answer is a record that is in no block yet. */
  readonly isPending: boolean;
}

/**
 * Records by their keys: every record names one of the keys, and every key has a record (exactly
 * one where the key identifies it). An empty answer may also be a throttled one, so each key that
 * is not answered is asked once more, alone: one that the service does not know must not hide the
 * others. Keys that stay without an answer are a part of their own, `inconsistent`; so are keys
 * whose record is pending, `provisional`: the next run asks for them again.
 */
export async function lookUpKeys(reading: Reading): Promise<Part[]> {
  const { slice } = reading;
  const answers = await ask(reading, slice.keys);
  const open = slice.keys.filter((key) => answers.get(key)?.reason !== '');
  const again = await Promise.all(open.map((key) => ask(reading, [key])));
  for (const each of again) for (const [key, answer] of each) answers.set(key, answer);
  const isAnswered = (key: string): boolean => answers.get(key)?.reason === '';
  const isWaiting = (key: string): boolean => answers.get(key)?.isPending === true;
  const answered = slice.keys.filter((key) => isAnswered(key) && !isWaiting(key));
  const waiting = slice.keys.filter((key) => isAnswered(key) && isWaiting(key));
  const unanswered = slice.keys.filter((key) => !isAnswered(key));
  const parts: Part[] = [];
  if (answered.length > 0) parts.push(provenPart(...of(answered)));
  if (waiting.length > 0) {
    const [part, records] = of(waiting);
    parts.push({ slice: part, status: 'provisional', reason: PENDING_REASON, records });
  }
  if (unanswered.length > 0) {
    const [part, records] = of(unanswered);
    const reasons = unanswered.map((key) => answers.get(key)?.reason ?? '');
    const reason = [...new Set(reasons)].join('; ');
    parts.push({ slice: part, status: 'inconsistent', reason, records });
  }
  return parts;

  function of(keys: readonly string[]): [Slice, WireRecord[]] {
    return [{ ...slice, keys }, keys.flatMap((key) => answers.get(key)?.records ?? [])];
  }
}

/** What one request says of each of the keys. */
async function ask(reading: Reading, keys: readonly string[]): Promise<Map<string, Answer>> {
  const { endpoint } = reading;
  const slice = { ...reading.slice, keys };
  const { records, pending = [] } = await readPage({ ...reading, slice }, 1);
  const byKey = new Map<string, WireRecord[]>(keys.map((key) => [key, []]));
  let strangers = 0;
  for (const record of [...records, ...pending]) {
    const matched = matchedKeys(endpoint, record, slice);
    if (matched.length === 0) strangers += 1;
    for (const key of matched) byKey.get(key)?.push(record);
  }
  const answers = new Map<string, Answer>();
  for (const [key, found] of byKey) answers.set(key, answerOf(found));
  return answers;

  function answerOf(all: readonly WireRecord[]): Answer {
    const found = all.filter((record) => !pending.includes(record));
    const inside = found.filter((record) => {
      const height = heightOf(endpoint, record);
      return height === undefined || contains(slice.interval, height);
    });
    const elsewhere = found.find((record) => !inside.includes(record));
    let reason = '';
    if (strangers > 0) reason = 'a record that matches none of the keys was listed';
    else if (all.length === 0) reason = 'no record came for the key, though it was asked twice';
    else if (elsewhere !== undefined) {
      const { from, to } = slice.interval;
      reason = `a record at height ${heightOf(endpoint, elsewhere)} was listed for ${from}-${to}`;
    } else if (all.length > 1 && identifies(reading)) {
      reason = `${all.length} records came for a key that can have one`;
    }
    return { reason, records: inside, isPending: found.length < all.length };
  }
}

/** Whether the key alone identifies a record, so that it has exactly one. */
function identifies({ slice }: Reading): boolean {
  const { dataset, keyColumns: columns = [] } = slice.list;
  const { identity } = dataset;
  return identity.length === 1 && identity.every((column) => columns.includes(column));
}
