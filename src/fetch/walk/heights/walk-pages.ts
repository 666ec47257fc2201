import { paramOf } from '../../../catalogue/index.ts';
import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { contains, type Interval } from '../../../coverage/ranges.ts';
import { askedRange } from '../asked-range.ts';
import { lookUpHeight } from '../look-up.ts';
import { type Pages, pageText, readIfShown, readOtherwise, readPage, readPages } from '../pages.ts';
import { readToTheEnd } from '../read-to-the-end.ts';
import { matchedKeys } from '../record-reader.ts';
import { areSame, Records } from '../sorted-pages.ts';
import { MAX_RESTARTS, type Reading, type WalkResult } from '../walk.ts';
import { haveSidesMore } from './key-sides.ts';
import { learnEdges } from './range-edges.ts';

/** Page sizes in which a list is read, at most. */
const MAX_SIZES = 3;

/**
 * Reads a whole list that has no bounds to move: the records of one block, of hashes, or of one
 * height of a range. A service that orders equal records differently in each answer can show one of
 * them twice and another never. The records must therefore equal a count and all be different;
 * otherwise the list is read in a second page size, and both readings must be equal as multisets.
 */
export async function walkPages(whole: Reading): Promise<WalkResult> {
  const { interval } = whole.slice;
  // Concurrent walks may learn about range edges while this walk runs.
  const range = askedRange(whole, interval);
  const walked = await walkRange(whole, range);
  const hasMargin = range.from < interval.from || range.to > interval.to;
  if (walked.outcome !== 'saturated' || !hasMargin) return walked;
  // Extra blocks may have filled the list; the range omits them once the edges are known.
  await learnEdges(whole, interval.to);
  const now = askedRange(whole, interval);
  return now.from > range.from || now.to < range.to ? walkPages(whole) : walked;
}

async function walkRange(whole: Reading, range: Interval): Promise<WalkResult> {
  const { endpoint, slice } = whole;
  const { interval } = slice;
  const { path } = endpoint;
  const settings = { ...whole.settings, isExact: true } as const;
  const reading = { ...whole, slice: { ...slice, interval: range }, settings };
  if (paramOf(endpoint, 'page') === undefined) {
    return judged(reading, interval, await lookUpHeight(reading));
  }
  const read = readerOf(reading);
  // Whatever one attempt lists, the next ones must list: an empty answer after records is false.
  const listed = new Records(whole.history ?? []);
  let limit = settings.facts.pageSize(path, reading.limit);
  let reason = '';
  let clamped: number | undefined;
  let readings: string | undefined;
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const request = { ...reading, limit, history: listed.all() };
    const pass = await read(request);
    if ('records' in pass && settings.acceptCap !== true) {
      const ours = pass.records.filter((record) => matchedKeys(record, slice).length > 0);
      listed.with(new Records(ours).distinct());
    }
    if (pass.kind === 'drift') reason = pass.reason;
    else if (pass.kind === 'clamped') {
      // A single answer may be an error, and pages that are too small would cost many requests.
      if (clamped === pass.limit) {
        limit = pass.limit;
        settings.facts.at(path).pageSize = limit;
      }
      reason = `pages of ${limit} were requested and pages of ${pass.limit} returned`;
      clamped = pass.limit;
    } else if (pass.kind === 'saturated') {
      return { outcome: 'saturated', reason: pass.reason, history: listed.all() };
    } else {
      const walked = await proofOf(request, interval, pass);
      if (walked.outcome === 'saturated') return { ...walked, history: listed.all() };
      if (walked.outcome !== 'drifting') return walked;
      reason = walked.reason;
      // The same disagreement a second time will not end.
      if (walked.readings !== undefined && walked.readings === readings) break;
      readings = walked.readings;
    }
  }
  return { outcome: 'drifting', reason, history: listed.all() };
}

/** Heights show whether a list continues, so page counts are not needed; bare lists have none. */
function readerOf({ endpoint }: Reading): typeof readPages {
  return endpoint.reply.shape === 'bare' || endpoint.list === 'ranged' ? readToTheEnd : readPages;
}

/** Proves the records of one pass, beyond the checks of each page. */
async function proofOf(reading: Reading, interval: Interval, pass: Pages): Promise<WalkResult> {
  const { settings, slice, endpoint } = reading;
  const { facts } = settings;
  const { path } = endpoint;
  const isOfSeveral = slice.keys.length > 1 && settings.isUnsplit !== true;
  if (isOfSeveral && pass.isEndFull) return FULL_END;
  const walked = judged(reading, interval, { outcome: 'proven', records: pass.records });
  if (walked.outcome !== 'proven') return walked;
  if (new Records(pass.records).lacks(reading.history ?? []) !== undefined) {
    return { outcome: 'drifting', reason: 'a record that was listed before is missing' };
  }
  if (pass.pages > 1 || pass.isEndFull || endpoint.list === 'ranged') {
    if (await isCutByCap(reading, pass)) {
      const reason = `a record cap cut it at ${pass.records.length}`;
      return { outcome: 'saturated', reason };
    }
    const other = (await isCounted(reading, pass)) ? undefined : await contested(reading, pass);
    if (other !== undefined) return judged(reading, interval, other);
  }
  if (facts.isCap(path, pass.records.length) && settings.acceptCap !== true) {
    const reason = `the service lists at most ${pass.records.length} records`;
    return { outcome: 'saturated', reason };
  }
  // No recent list was longer, so a cap may have cut it; reading one key at a time decides.
  const isDoubted = isOfSeveral && pass.records.length > 0;
  const lists = `${path}, all pages`;
  const mayBeCut = isDoubted && facts.mayBeCut(lists, pass.records.length);
  facts.pageShown(lists, pass.records.length);
  return mayBeCut ? { outcome: 'saturated', reason: 'a record cap may have cut it' } : walked;
}

/**
 * The result of reading the list in another page size; undefined where it proves the records.
 * Services that order equal heights differently from answer to answer can show one record on two
 * pages and another on none. So copies of a record that no single page of either reading shows
 * together must come in a third size as well, and are not proven where readings of the list have
 * differed in this run.
 */
async function contested(reading: Reading, pass: Pages): Promise<WalkResult | undefined> {
  const { endpoint, slice, settings } = reading;
  const { facts } = settings;
  const { path } = endpoint;
  const isOfSeveral = slice.keys.length > 1 && settings.isUnsplit !== true;
  const agreed = [pass];
  const together = new Records([]);
  while (agreed.length < MAX_SIZES) {
    const again = await readOtherwise(reading, agreed, readerOf(reading));
    if (again.kind === 'saturated') return { outcome: 'saturated', reason: again.reason };
    const isWhole = again.kind === 'pages';
    const isSame = isWhole && areSame(pass.records, again.records);
    if (!isWhole || (!isSame && settings.acceptCap !== true)) {
      const other = again.kind === 'clamped' ? [] : again.records;
      const readings = `${pageText(pass.records)}, ${pageText(other)}`;
      // Near the head, readings differ because records are still added.
      if (isWhole && !slice.provisional) facts.at(path).haveReadingsDiffered = true;
      return { outcome: 'drifting', reason: 'two page sizes gave different records', readings };
    }
    if (isOfSeveral && again.isEndFull) return FULL_END;
    agreed.push(again);
    for (const page of agreed.flatMap(({ shown }) => shown)) together.with(page);
    // Readings cut at a cap differ. Copies that only one of them shows may be one moved record.
    if (settings.acceptCap === true) {
      return { outcome: 'proven', records: together.with(again.records).most(pass.records) };
    }
    if (together.lacks(pass.records) === undefined) return undefined;
  }
  if (!facts.at(path).haveReadingsDiffered) return undefined;
  return { outcome: 'drifting', reason: 'no page shows all copies of a record' };
}

/**
 * Whether a record cap has cut the list of one key at one height, because the sides of the key have
 * more records. Checked only where no recent list was longer.
 */
async function isCutByCap(reading: Reading, { records, listed }: Pages): Promise<boolean> {
  const { endpoint, settings, slice } = reading;
  const { facts } = settings;
  const list = `${endpoint.path}, one key`;
  const isOfOne = endpoint.list === 'ranged' && slice.keys.length === 1;
  const isDoubted = isOfOne && settings.isUnsplit !== true;
  if (!isDoubted || !facts.mayBeCut(list, records.length)) return false;
  facts.pageShown(list, records.length);
  const isCut = await haveSidesMore(reading, { records, listed }, countOf);
  if (isCut) facts.learnCap(endpoint.path, records.length);
  return isCut;
}

/**
 * Whether the list is complete: the records equal its count, and no two are equal. Then none is
 * missing, even if records moved between two pages. Behind a last page that is full, one count was
 * believed already, so the next page must be empty as well.
 */
async function isCounted(reading: Reading, { records, pages, isEndFull }: Pages): Promise<boolean> {
  const { settings } = reading;
  if (records.length === 0 || settings.acceptCap === true) return false;
  if (new Records(records).distinct().length < records.length) return false;
  if ((await countOf(reading)) !== records.length) return false;
  const next = isEndFull ? await readIfShown(reading, pages + 1) : undefined;
  return next === undefined || next.records.length === 0;
}

/**
 * The length of a list: its number of pages of one record. undefined where it is not known, or
 * where the first record is not of the list, because the service ignores a filter.
 */
async function countOf(reading: Reading): Promise<number | undefined> {
  const { endpoint, slice } = reading;
  const { path, reply } = endpoint;
  const isCounted = reply.shape !== 'bare' && reading.settings.facts.areCountsRight(path);
  if (!isCounted) return undefined;
  const { records, totalPage, limit } = await readPage({ ...reading, limit: 1 }, 1);
  const isOfList = records.every((record) => matchedKeys(record, slice).length > 0);
  return limit === 1 && isOfList ? totalPage : undefined;
}

const FULL_END: WalkResult = { outcome: 'saturated', reason: 'the last page is exactly full' };

/**
 * Every record must lie in the requested range and match a key; records inside the interval are
 * kept.
 */
function judged({ slice }: Reading, interval: Interval, walked: WalkResult): WalkResult {
  if (walked.outcome !== 'proven') return walked;
  const range = slice.interval;
  const kept: ListedRecord[] = [];
  let reason = '';
  for (const record of walked.records) {
    const height = record.height;
    if (height !== undefined && !contains(range, height)) {
      reason = `a record at height ${height} was listed for ${range.from}-${range.to}`;
    } else if (matchedKeys(record, slice).length === 0) {
      reason = 'a record that matches none of the keys was listed';
    } else if (height === undefined || contains(interval, height)) kept.push(record);
  }
  if (reason !== '') return { outcome: 'contradictory', reason, records: kept };
  return { outcome: 'proven', records: kept };
}
