import type { WireRecord } from '../../../catalogue/record.ts';
import { type Pages, readOtherwise, readPages } from '../pages.ts';
import { MAX_RESTARTS, type Part, provenPart, type Reading } from '../walk.ts';
import { identityOf, textOf } from '../wire.ts';

/**
 * A ranking as of now. It holds still only between two blocks, so that no rank is missing and no
 * one stands in it twice is its proof, beside the guards on pages; a ranking that never holds
 * still is landed as it was read, and called `inconsistent`.
 */
export async function walkSnapshot(reading: Reading): Promise<Part> {
  const { slice } = reading;
  let { limit } = reading;
  let reason = '';
  let records: readonly WireRecord[] = [];
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
      if (wrong === undefined) return provenPart(slice, pass.records);
      reason = wrong;
      records = pass.records;
    }
  }
  return { slice, status: 'inconsistent', reason, records: withoutRepeats(reading, records) };
}

/**
 * Why the ranking may go on behind its end; undefined where it does not. One that ends before its
 * depth with a full page is read again in pages of another size: a page count of one too few looks
 * the same.
 */
async function shortOf(reading: Reading, pass: Pages): Promise<string | undefined> {
  const due = reading.endpoint.limits.depthRecords ?? Number.POSITIVE_INFINITY;
  if (!pass.isEndFull || pass.records.length >= due) return undefined;
  const again = await readOtherwise(reading);
  if (again.kind === 'pages' && again.records.length === pass.records.length) return undefined;
  return 'two page sizes gave rankings of different length';
}

/** Why the records are no ranking; undefined when they are. */
function disorderOf(reading: Reading, records: readonly WireRecord[]): string | undefined {
  const { endpoint, slice } = reading;
  const [rank] = slice.list.dataset.sortedBy;
  const place = records.findIndex(
    (record, i) => rank !== undefined && textOf(endpoint, record, rank) !== String(i + 1),
  );
  if (place >= 0) return `another rank stands at place ${place + 1}`;
  if (withoutRepeats(reading, records).length < records.length) return 'one stands there twice';
  return undefined;
}

function withoutRepeats(
  { endpoint, slice }: Reading,
  records: readonly WireRecord[],
): readonly WireRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    const name = identityOf(endpoint, slice, record);
    if (name === undefined) return true;
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew;
  });
}
