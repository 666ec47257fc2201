import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { provenPart, type SlicePart } from '../../../coverage/slice-part.ts';
import { matchedKeys } from '../record-reader.ts';
import { MAX_RESTARTS, type Reading } from '../walk.ts';
import { ContradictionError, OutpacedError } from './positions.ts';
import { type CollectedInterval, PositionalList } from './walk-positions.ts';

/**
 * Reads a slice of a positional list, which shifts while it is read. The reached part is proven.
 * Heights below it are `depth_limited` by the definition of the list, or `truncated` where the list
 * exceeds the record cap.
 */
export async function fetchPositions(reading: Reading): Promise<SlicePart[]> {
  const { slice } = reading;
  let reason = '';
  let records: readonly ListedRecord[] = [];
  let hadRecords = false;
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const list = new PositionalList(reading);
    try {
      const parts = await partsOf(reading, list);
      if (!hadRecords || list.shifting.reader.listed > 0) return judged(reading, parts);
      reading.settings.facts.sawAnswer(reading.endpoint.path, false);
      reason = 'the list had records, and then none';
    } catch (error) {
      if (error instanceof OutpacedError) {
        return [{ slice, status: 'failed', reason: error.message, records: [] }];
      }
      if (!(error instanceof ContradictionError)) throw error;
      reason = error.message;
      records = list.within(slice.interval);
      hadRecords ||= list.shifting.reader.listed > 0;
    }
  }
  return judged(reading, [{ slice, status: 'inconsistent', reason, records }]);
}

async function partsOf(reading: Reading, list: PositionalList): Promise<SlicePart[]> {
  const { slice, endpoint } = reading;
  const { interval } = slice;
  const collection = await list.collect(interval);
  if (collection.kind === 'beyond-cap') return cutAt(collection);
  const { depthBlocks } = endpoint.limits;
  if (!collection.isEnd || depthBlocks === undefined || collection.lowest <= interval.from) {
    return [provenPart(slice, collection.records)];
  }
  const hidden: SlicePart = {
    slice: { ...slice, interval: { from: interval.from, to: collection.lowest - 1 } },
    status: 'depth_limited',
    reason: `the list reaches about ${depthBlocks} blocks below the head, to ${collection.lowest}`,
    records: [],
  };
  if (collection.lowest > interval.to) return [hidden];
  const reached = { ...slice, interval: { from: collection.lowest, to: interval.to } };
  return [provenPart(reached, collection.records), hidden];

  /** All records above the cut height are included. */
  function cutAt({ records, lowest }: CollectedInterval): SlicePart[] {
    const upper: ListedRecord[] = [];
    const lower: ListedRecord[] = [];
    for (const record of records) {
      ((record.height ?? 0) > lowest ? upper : lower).push(record);
    }
    const cut = Math.min(lowest, interval.to);
    const more = 'lists by address or by block have more';
    const reason = `the service lists at most ${list.shifting.depth} records; ${more}`;
    const below: SlicePart = {
      slice: { ...slice, interval: { from: interval.from, to: cut } },
      status: 'truncated',
      reason,
      records: lower,
    };
    if (cut === interval.to) return [below];
    const above = { ...slice, interval: { from: cut + 1, to: interval.to } };
    return [provenPart(above, upper), below];
  }
}

/** A record that names none of the keys makes its part `inconsistent`. */
function judged(reading: Reading, parts: readonly SlicePart[]): SlicePart[] {
  const { slice } = reading;
  return parts.map((part) => {
    const records = part.records.filter((record) => matchedKeys(record, slice).length > 0);
    if (records.length === part.records.length) return part;
    const reason = 'a record that matches none of the keys was listed';
    return { ...part, status: 'inconsistent', reason, records };
  });
}
