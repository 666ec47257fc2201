import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { provenPart, type SlicePart } from '../../../coverage/slice-part.ts';
import { type Pages, readOtherwise, readPages } from '../pages.ts';
import { identityOf } from '../record-reader.ts';
import { MAX_RESTARTS, type Reading } from '../walk.ts';

/**
 * Reads a ranking as of now. It is constant only between two blocks, so its proof is, in addition
 * to the checks of pages, that no rank is missing and no identity occurs twice. A ranking that
 * changes during every attempt is landed as read, with the status `inconsistent`.
 */
export async function walkSnapshot(reading: Reading): Promise<SlicePart> {
  const { slice } = reading;
  let { limit } = reading;
  let reason = '';
  let records: readonly ListedRecord[] = [];
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const pass = await readPages({ ...reading, limit });
    if (pass.kind === 'clamped') limit = pass.limit;
    else if (pass.kind === 'saturated') {
      return { slice, status: 'failed', reason: pass.reason, records: [] };
    } else {
      const wrong =
        pass.kind === 'drift'
          ? pass.reason
          : (disorderOf(reading, pass.records) ?? (await shortOf({ ...reading, limit }, pass)));
      const isLost = pass.records.length === 0 && records.length > 0;
      if (wrong === undefined && !isLost) return provenPart(slice, pass.records);
      reason = wrong ?? 'the list had records, and then none';
      if (!isLost) records = pass.records;
    }
  }
  return { slice, status: 'inconsistent', reason, records: withoutRepeats(reading, records) };
}

/**
 * Why the ranking may continue behind its end; undefined where it does not. A ranking that ends
 * with a full page above its documented depth is read again in pages of another size, because a
 * page count that is one too low looks the same.
 */
async function shortOf(reading: Reading, pass: Pages): Promise<string | undefined> {
  const due = reading.endpoint.limits.depthRecords ?? Number.POSITIVE_INFINITY;
  if (!pass.isEndFull || pass.records.length >= due) return undefined;
  const again = await readOtherwise(reading, [pass]);
  if (again.kind === 'pages' && again.records.length === pass.records.length) return undefined;
  return 'two page sizes gave rankings of different length';
}

/** Why the records are not a valid ranking; undefined where they are. */
function disorderOf(reading: Reading, records: readonly ListedRecord[]): string | undefined {
  const { slice } = reading;
  const [rank] = slice.list.dataset.sortedBy;
  const place = records.findIndex(
    (record, i) => rank !== undefined && record.valueIn(rank) !== String(i + 1),
  );
  if (place >= 0) return `the record at place ${place + 1} has another rank`;
  if (withoutRepeats(reading, records).length < records.length) return 'one identity has two ranks';
  return undefined;
}

function withoutRepeats(
  { slice }: Reading,
  records: readonly ListedRecord[],
): readonly ListedRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    const name = identityOf(slice, record);
    if (name === undefined) return true;
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew;
  });
}
