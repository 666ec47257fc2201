import type { Endpoint } from '../catalogue/entry.ts';
import { endpointAt } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import { contains } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import type { Caller } from './caller.ts';
import { type Counted, countHalves } from './halves-count.ts';
import { lookUpHeight } from './look-up.ts';
import { askedEnd, capOf, readOtherwise, readPages } from './pages.ts';
import { walkOpenList } from './walk-open-list.ts';
import { MAX_RESTARTS, type Reading, type Walked, type WalkSettings } from './walked.ts';
import { contentOf, heightOf, matchedKeys } from './wire.ts';

export type { Caller, PageReply } from './caller.ts';
export type { Walked, WalkSettings } from './walked.ts';

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
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const pass = await readPages({ ...reading, limit });
    if (pass.kind === 'drift') reason = pass.reason;
    else if (pass.kind === 'clamped') {
      limit = pass.limit;
      settings.ceilings?.learn(path, { pageSize: limit });
    } else if (pass.kind === 'saturated') return { outcome: 'saturated', reason: pass.reason };
    else if (pass.isEndFull && settings.canSplit) {
      return { outcome: 'saturated', reason: 'the last page is exactly full' };
    } else {
      const proven: Walked = { outcome: 'proven', records: pass.records };
      const isDoubted = pass.hasTwinPages || (pass.isEndFull && !settings.acceptCap);
      if (!isDoubted) {
        const counted = await checkCount({ ...reading, limit }, pass.records);
        if (counted.kind === 'whole') return judged(reading, proven);
        if (counted.kind === 'cut') return { outcome: 'saturated', reason: CUT };
        reason = counted.reason;
        continue;
      }
      const again = await readOtherwise({ ...reading, limit });
      if (again.kind === 'saturated') return { outcome: 'saturated', reason: again.reason };
      if (again.kind === 'pages' && isSameMultiset(endpoint, pass.records, again.records)) {
        return judged(reading, proven);
      }
      reason = 'two page sizes gave different records';
    }
  }
  return { outcome: 'drifting', reason };
}

const CUT = 'its halves have more records than the service lists of the whole';

type Checked = Extract<Counted, { kind: 'whole' | 'cut' | 'drift' }>;

/** Whether a walk that is longer than all that were proven shows everything. */
async function checkCount(reading: Reading, records: readonly WireRecord[]): Promise<Checked> {
  const { endpoint, settings, limit } = reading;
  const { ceilings, acceptCap } = settings;
  const { path, list } = endpoint;
  const isShort = records.length <= limit || list !== 'ranged' || acceptCap;
  const isUncapped = capOf(endpoint, settings) === Number.POSITIVE_INFINITY;
  if (ceilings === undefined || isShort || isUncapped || ceilings.isProven(path, records.length)) {
    return { kind: 'whole' };
  }
  const counted = await countHalves(reading, records);
  if (counted.kind === 'cut') ceilings.learn(path, { cap: records.length });
  if (counted.kind === 'whole') ceilings.learn(path, { provenRecords: records.length });
  // What stands at one height has no halves: it is taken as it is shown.
  return counted.kind === 'uncountable' ? { kind: 'whole' } : counted;
}

/** Records must lie where they were asked, and match one of the keys. */
function judged(reading: Reading, walked: Walked): Walked {
  if (walked.outcome !== 'proven') return walked;
  const { endpoint, slice } = reading;
  const last = askedEnd(endpoint, slice);
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

function isSameMultiset(
  endpoint: Endpoint,
  one: readonly WireRecord[],
  other: readonly WireRecord[],
): boolean {
  const sorted = (records: readonly WireRecord[]): string =>
    records
      .map((record) => contentOf(endpoint, record))
      .sort()
      .join('\n');
  return sorted(one) === sorted(other);
}
