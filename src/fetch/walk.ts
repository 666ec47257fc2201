import { endpointAt } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import { contains } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import type { Caller } from './caller.ts';
import { checkCount } from './halves-count.ts';
import { lookUpHeight } from './look-up.ts';
import { askedEnd, type Pages, readOtherwise, readPages } from './pages.ts';
import { walkOpenList } from './walk-open-list.ts';
import { MAX_RESTARTS, type Reading, type Walked, type WalkSettings } from './walked.ts';
import { contentOf, heightOf, matchedKeys } from './wire.ts';

/**
 * Reads all of a slice of a list that stands still, and proves that nothing is missing. How, its
 * shape says: pages that are counted, pages that are not, or one record by its height.
 */
export async function walk(caller: Caller, slice: Slice, settings: WalkSettings): Promise<Walked> {
  const endpoint = endpointAt(slice.endpoint);
  const reading = { caller, endpoint, slice, settings, limit: settings.pageSize };
  if (endpoint.reply.shape === 'paged') return walkPages(reading);
  const walked = endpoint.list === 'by-key' ? lookUpHeight(reading) : walkOpenList(reading);
  return judged(reading, await walked);
}

/**
 * Every page echoes what was asked, page counts stay, full pages are full, records lie in the
 * asked interval and match the asked keys, and after several pages the first one is read again
 * (the fence).
 */
async function walkPages(reading: Reading): Promise<Walked> {
  const { endpoint, settings } = reading;
  const { path } = endpoint;
  let limit = settings.ceilings?.pageSize(path, reading.limit) ?? reading.limit;
  let reason = '';
  let clamped: number | undefined;
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const pass = await readPages({ ...reading, limit });
    if (pass.kind === 'drift') reason = pass.reason;
    else if (pass.kind === 'clamped') {
      // Said once it may be a slip, and pages that are too small would cost dear for ever.
      if (clamped === pass.limit) {
        limit = pass.limit;
        settings.ceilings?.learn(path, { pageSize: limit });
      }
      reason = `pages of ${limit} were asked and pages of ${pass.limit} came`;
      clamped = pass.limit;
    } else if (pass.kind === 'saturated') return { outcome: 'saturated', reason: pass.reason };
    else {
      const walked = await proofOf({ ...reading, limit }, pass);
      if (walked.outcome !== 'drifting') return walked;
      reason = walked.reason;
    }
  }
  return { outcome: 'drifting', reason };
}

const FULL_END: Walked = { outcome: 'saturated', reason: 'the last page is exactly full' };

/** What the pages of one pass prove, beside what each of them does. */
async function proofOf(reading: Reading, pass: Pages): Promise<Walked> {
  const { settings } = reading;
  if (pass.isEndFull && settings.canSplit) return FULL_END;
  const walked = judged(reading, { outcome: 'proven', records: pass.records });
  if (walked.outcome !== 'proven') return walked;
  if (pass.hasTwinPages || (pass.isEndFull && !settings.acceptCap)) {
    const again = await readOtherwise(reading);
    if (again.kind === 'saturated') return { outcome: 'saturated', reason: again.reason };
    if (again.kind !== 'pages' || !isTheSame(reading, pass.records, again.records)) {
      return { outcome: 'drifting', reason: 'two page sizes gave different records' };
    }
    if (again.isEndFull && settings.canSplit) return FULL_END;
  }
  const counted = await checkCount(reading, pass.records);
  switch (counted.kind) {
    case 'cut':
      return { outcome: 'saturated', reason: CUT };
    case 'drift':
      return { outcome: 'drifting', reason: counted.reason };
    case 'uncountable':
      // Several keys that records share: asked one by one, each list is counted for itself.
      return settings.canSplit && reading.slice.keys.length > 1 ? UNCOUNTED : walked;
    case 'whole':
      return walked;
  }
}

const UNCOUNTED: Walked = { outcome: 'saturated', reason: 'its records cannot be counted' };

const CUT = 'its halves have more records than the service lists of the whole';

/** Records must lie where they were asked, and match one of the keys. */
function judged(reading: Reading, walked: Walked): Walked {
  if (walked.outcome !== 'proven') return walked;
  const { endpoint, slice } = reading;
  const last = askedEnd(reading);
  const kept: WireRecord[] = [];
  let reason = '';
  for (const record of walked.records) {
    const height = heightOf(endpoint, record);
    if (height !== undefined && (height < slice.interval.from || height > last)) {
      reason = `a record at height ${height} was listed for ${slice.interval.from}-${last}`;
    } else if (matchedKeys(endpoint, record, slice).length === 0) {
      reason = 'a record that matches none of the keys was listed';
    } else if (height === undefined || contains(slice.interval, height)) kept.push(record);
  }
  if (reason !== '') return { outcome: 'contradictory', reason, records: kept };
  return { outcome: 'proven', records: kept };
}

/** Whether two readings agree, as far as both reach where the service cuts them off. */
function isTheSame(
  { endpoint, settings }: Reading,
  one: readonly WireRecord[],
  other: readonly WireRecord[],
): boolean {
  const both = settings.acceptCap ? Math.min(one.length, other.length) : Number.POSITIVE_INFINITY;
  const sorted = (records: readonly WireRecord[]): string =>
    records
      .slice(0, both)
      .map((record) => contentOf(endpoint, record))
      .sort()
      .join('\n');
  return sorted(one) === sorted(other);
}
