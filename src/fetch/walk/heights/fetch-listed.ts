import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { provenPart, type SlicePart } from '../../../coverage/slice-part.ts';
import { identityOf, matchedKeys, recordsByKey } from '../record-reader.ts';
import { withoutRepeats } from '../repeated-listing.ts';
import { Records } from '../sorted-pages.ts';
import type { Reading, WalkResult } from '../walk.ts';
import { readBySides } from './key-sides.ts';
import { walkHeights } from './walk-heights.ts';
import { walkPages } from './walk-pages.ts';

/**
 * Reads lists that do not shift and yields parts that are proven and landed separately. Parts
 * without proof are split by key, and a single key by its two sides. The remaining parts are
 * `truncated` at a record cap, or `inconsistent` where answers contradict each other.
 */

/** A key with more than this share of the known records is requested alone. */
const BUSY_SHARE = 1 / 3;

/** Reads a list with block bounds by moving the bounds. */
export async function* fetchRanged(reading: Reading): AsyncGenerator<SlicePart> {
  const { facts } = reading.settings;
  if (reading.slice.keys.length > 1 && facts.at(reading.endpoint.path).areKeysCut) {
    yield* splitByKey(reading);
    return;
  }
  for await (const segment of walkHeights(reading)) {
    const { interval, records } = segment;
    const slice = { ...reading.slice, interval };
    const part = { ...reading, slice };
    if (segment.kind === 'contradictory') {
      yield { slice, status: 'inconsistent', reason: segment.reason, records };
    } else if (segment.kind === 'empty') {
      yield provenPart(slice, records);
    } else if (segment.kind === 'whole') {
      yield await judgedPart(part, { outcome: 'proven', records });
    } else {
      const overflow = { ...part, history: records };
      yield* slice.keys.length > 1 ? splitByKey(overflow) : fetchListed(overflow);
    }
  }
}

/** Reads a list of one height or of hashes by its pages. */
export async function* fetchListed(reading: Reading): AsyncGenerator<SlicePart> {
  const { slice } = reading;
  const walked = await walkPages(reading);
  if (walked.outcome === 'proven' || walked.outcome === 'contradictory') {
    yield await judgedPart(reading, walked);
  } else if (slice.keys.length > 1) {
    yield* splitByKey({ ...reading, history: walked.history ?? [] });
  } else {
    const whole = await readBySides({ ...reading, history: walked.history ?? [] }, readWhole);
    if (whole !== undefined) yield provenPart(slice, whole);
    else if (walked.outcome === 'saturated') yield await truncated(reading, walked.reason);
    else yield { slice, status: 'inconsistent', reason: walked.reason, records: [] };
  }
}

async function judgedPart(reading: Reading, result: WalkResult): Promise<SlicePart> {
  const { slice } = reading;
  const walked = await withoutRepeats(reading, result, readWhole);
  if (walked.outcome === 'proven') {
    const twice = repeatedIdentity(reading, walked.records);
    if (twice === undefined) return provenPart(slice, walked.records);
    const reason = `two records have the identity ${twice}`;
    return { slice, status: 'inconsistent', reason, records: walked.records };
  }
  const records = 'records' in walked ? walked.records : [];
  return { slice, status: 'inconsistent', reason: walked.reason, records };
}

/** The identity that two records share; undefined where there is none. */
function repeatedIdentity(
  { slice }: Reading,
  records: readonly ListedRecord[],
): string | undefined {
  const seen = new Set<string>();
  for (const record of records) {
    const identity = identityOf(slice, record);
    if (identity === undefined) continue;
    const before = seen.size;
    if (seen.add(identity).size === before) return identity;
  }
  return undefined;
}

/**
 * Each group must list the known records of its keys at least once; several keys may share a
 * record.
 */
async function* splitByKey(reading: Reading): AsyncGenerator<SlicePart> {
  const { endpoint } = reading;
  for (const keys of groupsOf(reading)) {
    const slice = { ...reading.slice, keys };
    const isDue = (record: ListedRecord): boolean => matchedKeys(record, slice).length > 0;
    const records = new Records((reading.history ?? []).filter(isDue)).distinct();
    const group = { ...reading, slice, history: records };
    yield* endpoint.list === 'ranged' ? fetchRanged(group) : fetchListed(group);
  }
}

/**
 * Groups of keys: each key with a large share of the known records alone, the others together;
 * without such keys two halves.
 */
function groupsOf({ endpoint, slice, settings, history = [] }: Reading): string[][] {
  const { keys } = slice;
  if (settings.facts.at(endpoint.path).areKeysCut) return keys.map((key) => [key]);
  const records = recordsByKey(history, slice);
  const isBusy = (key: string) => (records.get(key)?.length ?? 0) > BUSY_SHARE * history.length;
  const others = keys.filter((key) => !isBusy(key));
  const groups = [...keys.filter(isBusy).map((key) => [key]), others];
  const middle = keys.length >> 1;
  const isSplit = others.length > 0 && others.length < keys.length;
  return isSplit ? groups : [keys.slice(0, middle), keys.slice(middle)];
}

/** All records of a slice; undefined where they cannot be proven without a split by key. */
async function readWhole(whole: Reading): Promise<readonly ListedRecord[] | undefined> {
  const { history: _, ...rest } = whole;
  const reading = {
    ...rest,
    settings: { ...rest.settings, isUnsplit: true },
  } as const;
  if (reading.endpoint.list !== 'ranged') return provenRecords(await walkPages(reading));
  const records: ListedRecord[] = [];
  for await (const segment of walkHeights(reading)) {
    if (segment.kind === 'contradictory') return undefined;
    const slice = { ...reading.slice, interval: segment.interval };
    const part = { ...reading, slice, history: segment.records };
    const isOverflow = segment.kind === 'overflow' && !segment.isDoubt;
    const segmentRecords = isOverflow ? provenRecords(await walkPages(part)) : segment.records;
    if (segmentRecords === undefined) return undefined;
    for (const record of segmentRecords) records.push(record);
  }
  return records;
}

function provenRecords(walked: WalkResult): readonly ListedRecord[] | undefined {
  return walked.outcome === 'proven' ? walked.records : undefined;
}

/** A `truncated` part with the records that the service lists. */
async function truncated({ history: _, ...reading }: Reading, reason: string): Promise<SlicePart> {
  const { slice } = reading;
  const settings = { ...reading.settings, acceptCap: true, isUnsplit: true } as const;
  const capped = await walkPages({ ...reading, settings });
  if ('records' in capped) return { slice, status: 'truncated', reason, records: capped.records };
  return { slice, status: 'inconsistent', reason: capped.reason, records: [] };
}
