import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { RepeatModes } from './list-facts.ts';
import { contentOf, matchedKeys } from './record-reader.ts';
import type { Reading, ReadWhole, WalkResult } from './walk.ts';

interface Copies {
  readonly records: ListedRecord[];
  readonly matched: readonly string[];
}

/**
 * The result of a walk with each record in its real number of copies. Some services list a record
 * once per matching key. Records without an identity may also really exist twice, so evidence
 * decides: a copy count that is not a multiple of the matched keys proves single listing; otherwise
 * one such record is requested again with one key alone.
 */
export async function withoutRepeats(
  reading: Reading,
  walked: WalkResult,
  read: ReadWhole,
): Promise<WalkResult> {
  const { slice, settings } = reading;
  if (walked.outcome !== 'proven' || slice.keys.length < 2) return walked;
  const shared = copiesOf(slice, walked.records, 2);
  if (shared.length === 0) return walked;
  const list = settings.facts.at(slice.list.endpoint);
  const { repeatMode } = list;
  // Evidence for the other mode is checked again, because services change.
  const isDoubted = repeatMode === 'once' && shared.every(isDivisible);
  const isLearned = repeatMode !== undefined && !isDoubted;
  const mode = isLearned ? repeatMode : await learnedMode(reading, shared, read);
  if (mode === undefined) {
    const reason = 'the number of copies of a record changed between two readings';
    return { outcome: 'drifting', reason };
  }
  list.repeatMode = mode;
  if (mode === 'once') return walked;
  const odd = shared.find((group) => !isDivisible(group));
  const records = copiesOf(slice, walked.records, 0).flatMap((group) =>
    group.records.slice(0, Math.ceil(group.records.length / Math.max(1, group.matched.length))),
  );
  if (odd === undefined) return { outcome: 'proven', records };
  const count = odd.records.length;
  const reason = `${count} copies of a record that matches ${odd.matched.length} keys`;
  return { outcome: 'contradictory', reason, records };
}

async function learnedMode(
  reading: Reading,
  shared: readonly Copies[],
  read: ReadWhole,
): Promise<RepeatModes[string] | undefined> {
  if (!shared.every(isDivisible)) return 'once';
  const { slice } = reading;
  const [sample] = shared;
  const record = sample?.records[0];
  const key = sample?.matched[0];
  if (sample === undefined || record === undefined || key === undefined) return undefined;
  const height = record.height ?? slice.interval.from;
  const content = contentOf(record);
  const countFor = async (keys: readonly string[]): Promise<number | undefined> => {
    const here = { ...slice, keys, interval: { from: height, to: height } };
    const again = await read({ ...reading, slice: here });
    return again?.filter((copy) => contentOf(copy) === content).length;
  };
  const listed = sample.records.length;
  const alone = await countFor([key]);
  // A copy that appeared between the readings would teach the wrong mode permanently.
  if (alone === undefined || (await countFor(sample.matched)) !== listed) return undefined;
  if (alone === listed) return 'once';
  return alone * sample.matched.length === listed ? 'per-key' : undefined;
}

/** Whether the number of copies is a multiple of the matched keys. */
function isDivisible({ records, matched }: Copies): boolean {
  return records.length % matched.length === 0;
}

/** The records that match at least `least` keys, grouped by their content. */
function copiesOf(slice: Slice, records: readonly ListedRecord[], least: number): Copies[] {
  const groups = new Map<string, Copies>();
  for (const record of records) {
    const matched = matchedKeys(record, slice);
    if (matched.length < least) continue;
    const content = contentOf(record);
    const group = groups.get(content);
    if (group !== undefined) group.records.push(record);
    else groups.set(content, { records: [record], matched });
  }
  return [...groups.values()];
}
