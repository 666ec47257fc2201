import type { Endpoint } from '../../catalogue/entry.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { Interval } from '../../coverage/ranges.ts';
import { unlessRefused } from '../http/call-failure.ts';
import { type PageReply, PRIORITY } from '../http/caller.ts';
import { askedRange } from './asked-range.ts';
import { listedOn } from './pending-records.ts';
import { contentOf, queryOf } from './record-reader.ts';
import type { Reading, WalkSettings } from './walk.ts';

/**
 * Page size of a second reading, as a share of the first. With almost the same size, pages would
 * begin and end at similar records.
 */
const OTHER_SIZE = 0.74;

/** Reads all pages of a list that has a page count, and verifies them. */

export interface Pages {
  readonly kind: 'pages';
  readonly records: readonly ListedRecord[];
  /** The records page by page. */
  readonly shown: readonly (readonly ListedRecord[])[];
  /** The number of records on the pages, including pending ones. */
  readonly listed: number;
  /** Records per page, at most: fewer than requested if the service gives smaller pages. */
  readonly size: number;
  /** The page count of the list. */
  readonly pages: number;
  /** The last page is exactly full, and no total proves that it is the end. */
  readonly isEndFull: boolean;
}

export type Pass =
  | Pages
  /** The list changed while it was read; `records` are those read. */
  | { readonly kind: 'drift'; readonly reason: string; readonly records: readonly ListedRecord[] }
  | { readonly kind: 'clamped'; readonly limit: number }
  | { readonly kind: 'saturated'; readonly reason: string };

/** Most pages of one walk: at 100 records per page, one million records in memory. */
export const MAX_PAGES = 10_000;
export const TOO_MANY_PAGES = `the list has more than the ${MAX_PAGES} pages that one walk reads`;

/** The record cap of the list. Zone lists, and lists with a documented depth, have none. */
export function capOf(endpoint: Endpoint, settings: WalkSettings): number {
  const { depthBlocks, depthRecords } = endpoint.limits;
  const isDefined = depthBlocks !== undefined || depthRecords !== undefined;
  if (endpoint.axis === 'zone' || isDefined) return Number.POSITIVE_INFINITY;
  return settings.recordCap;
}

/**
 * The purpose of a request. `has-records` must return records, because some were listed before.
 * `aside` learns a fact about the whole list and does not count as a request of the walk.
 */
export type PageMode = 'plain' | 'has-records' | 'aside';

/** Reads a page of the whole slice. */
export function readPage(
  reading: Reading,
  page: number,
  mode: PageMode = 'plain',
): Promise<PageReply> {
  return readPageOf(reading, askedRange(reading, reading.slice.interval), page, mode);
}

/** Reads a page of the range, with both heights sent as given. */
export async function readPageOf(
  reading: Reading,
  { from, to }: Interval,
  page: number,
  mode: PageMode = 'plain',
): Promise<PageReply> {
  const { caller, endpoint, settings, limit } = reading;
  const { facts } = settings;
  const slice = { ...reading.slice, interval: { from, to } };
  const query = queryOf(endpoint, slice, { chain: settings.chain, page, limit });
  const isFirst = page === 1 && mode !== 'has-records';
  const reply = await caller.call(endpoint, query, {
    priority: isFirst ? PRIORITY.firstPage : PRIORITY.laterPage,
    signal: settings.signal,
    ...(mode === 'has-records'
      ? { onFalseEmpty: () => facts.sawAnswer(endpoint.path, false) }
      : {}),
    ...(mode === 'aside' ? { isAside: true } : {}),
  });
  if (mode === 'has-records') facts.sawAnswer(endpoint.path, listedOn(reply) > 0);
  const usual = facts.pageSize(endpoint.path, settings.usualPageSize ?? settings.pageSize);
  if (endpoint.list === 'ranged') facts.answered.add(slice, reply.records, limit >= usual);
  return reply;
}

/**
 * Reads page 1, then all other pages concurrently; of a snapshot, which changes, page 1 once more
 * at the end. Every page must echo its request, page counts and totals must not change, all pages
 * but the last must be full, and a total must equal the number of records.
 */
export async function readPages(reading: Reading): Promise<Pass> {
  const { settings, limit, endpoint } = reading;
  const first = await readPage(
    reading,
    1,
    (reading.history ?? []).length > 0 ? 'has-records' : 'plain',
  );
  const totalPage = first.totalPage ?? 0;
  if (first.limit !== undefined && first.limit > 0 && first.limit < limit) {
    return { kind: 'clamped', limit: first.limit };
  }
  const cap = capOf(endpoint, settings);
  const slots: PageReply[] = [first];
  const drift = (reason: string): Pass => {
    return { kind: 'drift', reason, records: slots.flatMap(({ records }) => records) };
  };
  const wrong = misfit(first, 1, first, limit);
  if (wrong !== undefined) return drift(wrong);
  if (!settings.acceptCap) {
    const saturation = saturationOf(await mostOf(reading, first, cap), totalPage, cap);
    if (saturation !== undefined) return { kind: 'saturated', reason: saturation };
  }
  const lastPage = Math.min(await lastWithin(reading, first, cap), MAX_PAGES);
  const refused = await readInto(slots, reading, lastPage);
  if (refused !== undefined && !settings.acceptCap) {
    return { kind: 'saturated', reason: `the service refuses page ${refused} of ${totalPage}` };
  }
  for (const [i, reply] of slots.entries()) {
    const fault = misfit(reply, i + 1, first, limit);
    if (fault !== undefined) return drift(fault);
  }
  if (totalPage > 1 && endpoint.list === 'snapshot') {
    const changed = await changedMeanwhile(reading, first);
    if (changed !== undefined) return drift(changed);
  }
  const records = slots.flatMap((reply) => reply.records);
  const isCounted = first.total !== undefined;
  const listed = slots.reduce((sum, reply) => sum + listedOn(reply), 0);
  if (isCounted && lastPage === totalPage && first.total !== listed) {
    return drift(`the total is ${first.total}, but ${listed} records were listed`);
  }
  return {
    kind: 'pages',
    records,
    shown: slots.map((reply) => reply.records),
    listed,
    size: limit,
    pages: totalPage,
    isEndFull: !isCounted && totalPage > 0 && listedOn(slots.at(-1) ?? first) === limit,
  };
}

/**
 * The last page to read of a capped list. The page that the cap cuts is read only where the service
 * returns it.
 */
async function lastWithin(reading: Reading, first: PageReply, cap: number): Promise<number> {
  const { totalPage = 0 } = first;
  const { limit } = reading;
  const last = Math.min(totalPage, Math.ceil(cap / limit));
  if (last < 2 || last * limit <= cap) return last;
  const reply = await readIfShown(reading, last);
  const isShown = reply !== undefined && misfit(reply, last, first, limit) === undefined;
  return isShown ? last : last - 1;
}

/** undefined where the service refuses the page. */
export function readIfShown(
  reading: Reading,
  page: number,
  mode?: PageMode,
): Promise<PageReply | undefined> {
  return readPage(reading, page, mode).catch(unlessRefused);
}

/**
 * Reads the list in pages of another size than the readings `before`: the largest, because fewer
 * pages have fewer boundaries, else a smaller one. Pages of the same size would return the same
 * records again and prove nothing.
 */
export async function readOtherwise(
  reading: Reading,
  before: readonly Pages[],
  read: (reading: Reading) => Promise<Pass> = readPages,
): Promise<Pass> {
  const { endpoint, settings, limit } = reading;
  const sizes = before.map(({ size }) => size);
  const size = Math.min(...sizes);
  const isOther = (pass: Pass): boolean => {
    return pass.kind !== 'clamped' && (pass.kind !== 'pages' || !sizes.includes(pass.size));
  };
  const documented = endpoint.limits.pageSize?.max ?? limit;
  // A page that holds all listed records would prove nothing.
  const largest = Math.min(documented, Math.floor(capOf(endpoint, settings) / 2));
  if (largest > limit && size === limit && sizes.length === 1) {
    const pass = await read({ ...reading, limit: largest });
    const isLarger = settings.facts.pageSize(endpoint.path, largest) < largest;
    // The list accepts this page size after all.
    if (isLarger && pass.kind === 'pages' && isOther(pass)) {
      settings.facts.at(endpoint.path).pageSize = largest;
    }
    if (isOther(pass)) return pass;
  }
  const between = Math.floor((size + Math.max(...sizes)) / 2);
  const smaller = Math.max(1, Math.floor(size * OTHER_SIZE));
  const other = between > size ? between : smaller;
  const pass = await read({ ...reading, limit: sizes.includes(other) ? size + 1 : other });
  if (isOther(pass)) return pass;
  return { kind: 'drift', reason: `every page has ${size} records`, records: [] };
}

/** The records of a page as one string, independent of their order. */
export function pageText(records: readonly ListedRecord[]): string {
  return records
    .map((record) => contentOf(record))
    .sort()
    .join('\n');
}

/**
 * Reads page 1 again and returns the reason why the pages are not from one moment; undefined where
 * page 1 is unchanged.
 */
async function changedMeanwhile(reading: Reading, first: PageReply): Promise<string | undefined> {
  const fence = await readPage(reading, 1);
  const isSame = pageText(fence.records) === pageText(first.records);
  if (fence.totalPage !== first.totalPage || !isSame) {
    return 'the first page changed while the others were read';
  }
  return fence.total === first.total ? undefined : totalChanged(first, fence);
}

/** Fills the slots up to the first refused page, and returns its number. */
async function readInto(
  slots: PageReply[],
  reading: Reading,
  lastPage: number,
): Promise<number | undefined> {
  const others = Array.from({ length: lastPage - 1 }, (_, i) => readIfShown(reading, i + 2));
  for (const reply of await Promise.all(others)) {
    if (reply === undefined) return slots.length + 1;
    slots.push(reply);
  }
  return undefined;
}

/** Upper bound on the number of records. Where it decides about the cap, the last page is read. */
async function mostOf(reading: Reading, first: PageReply, cap: number): Promise<number> {
  const { limit, slice } = reading;
  const { totalPage = 0 } = first;
  if (totalPage === 1) return listedOn(first);
  const before = (totalPage - 1) * limit;
  if (slice.keys.length > 1 || before + limit < cap || before >= cap) return totalPage * limit;
  const last = await readIfShown(reading, totalPage);
  const isShown = last !== undefined && misfit(last, totalPage, first, limit) === undefined;
  return before + (isShown ? listedOn(last) : limit);
}

function saturationOf(most: number, totalPage: number, cap: number): string | undefined {
  if (most >= cap) return `the service lists at most ${cap} records`;
  return totalPage > MAX_PAGES ? TOO_MANY_PAGES : undefined;
}

function totalChanged(first: PageReply, later: PageReply): string {
  return `the total changed from ${first.total} to ${later.total}`;
}

/** The reason why a reply is not the requested page; undefined where it is. */
function misfit(
  reply: PageReply,
  page: number,
  first: PageReply,
  limit: number,
): string | undefined {
  const count = listedOn(reply);
  const totalPage = first.totalPage ?? 0;
  if (totalPage === 0) {
    return count === 0 ? undefined : 'a page count of zero came with records';
  }
  if (reply.page !== page) return `page ${page} was requested and page ${reply.page} returned`;
  if (reply.limit !== limit)
    return `pages of ${limit} were requested and pages of ${reply.limit} returned`;
  if (reply.totalPage !== totalPage) {
    return `the number of pages changed from ${totalPage} to ${reply.totalPage}`;
  }
  if (reply.total !== first.total) return totalChanged(first, reply);
  const isFull = count === limit;
  if (page < totalPage ? !isFull : count === 0 || count > limit) {
    return `page ${page} of ${totalPage} has ${count} records`;
  }
  return undefined;
}
