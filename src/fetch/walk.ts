import type { Endpoint } from '../catalogue/entry.ts';
import { endpointAt } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import { contains } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import { contentOf, heightOf, matchedKeys, queryOf } from './wire.ts';

/** A reply as far as a walk looks at it; see the envelope for the whole. */
export interface PageReply {
  readonly records: readonly WireRecord[];
  readonly page?: number;
  readonly limit?: number;
  readonly totalPage?: number;
}

/** Sends one request, with all its retries, and returns the reply or throws. */
export interface Caller {
  call(
    endpoint: Endpoint,
    query: Readonly<Record<string, string>>,
    options: { readonly priority: number; readonly signal?: AbortSignal },
  ): Promise<PageReply>;
}

export interface WalkSettings {
  readonly chain: string;
  readonly pageSize: number;
  /** Most records the service lists for one query, over all pages. */
  readonly recordCap: number;
  /** A slice that cannot be split may still be: then an exactly full end is no proof. */
  readonly canSplit: boolean;
  /** Read as far as the record cap allows instead of reporting saturation. */
  readonly acceptCap: boolean;
  readonly signal?: AbortSignal;
}

export type Walked =
  /** Every record of the slice, with every copy. */
  | { readonly outcome: 'proven'; readonly records: readonly WireRecord[] }
  /** There may be more than the service lists for one query. */
  | { readonly outcome: 'saturated'; readonly reason: string }
  /** The listing changed while it was read, again and again. */
  | { readonly outcome: 'drifting'; readonly reason: string }
  /** The service answered something else than was asked; these records do match. */
  | {
      readonly outcome: 'contradictory';
      readonly reason: string;
      readonly records: readonly WireRecord[];
    };

/** How often a walk begins anew when the listing changed under it. */
const MAX_RESTARTS = 4;
const PRIORITY = { firstPage: 0, laterPage: 1 };

/**
 * Reads all pages of a slice of a ranged list and proves that nothing is missing: every page
 * echoes what was asked, page counts stay, full pages are full, records lie in the asked interval
 * and match the asked keys, and after several pages the first one is read again (the fence).
 *
 * The interface says of zone lists only that the end of a range is inclusive. So one block more
 * is asked than is kept, which is right under either reading.
 */
export async function walk(caller: Caller, slice: Slice, settings: WalkSettings): Promise<Walked> {
  const endpoint = endpointAt(slice.endpoint);
  if (endpoint.list === 'by-key') return lookUp(caller, endpoint, slice, settings);
  let limit = settings.pageSize;
  let reason = '';
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const pass = await readPages({ caller, endpoint, slice, settings, limit });
    if (pass.kind === 'drift') reason = pass.reason;
    else if (pass.kind === 'clamped') limit = pass.limit;
    else if (pass.kind === 'saturated') return { outcome: 'saturated', reason: pass.reason };
    else if (pass.isEndFull && settings.canSplit) {
      return { outcome: 'saturated', reason: 'the last page is exactly full' };
    } else {
      const isDoubted = (pass.isEndFull || pass.hasTwinPages) && !settings.acceptCap;
      if (!isDoubted) return judge(pass.records);
      const again = await readOtherwise(limit);
      if (again.kind === 'saturated') return { outcome: 'saturated', reason: again.reason };
      if (again.kind === 'pages' && isSameMultiset(endpoint, pass.records, again.records)) {
        return judge(pass.records);
      }
      reason = 'two page sizes gave different records';
    }
  }
  return { outcome: 'drifting', reason };

  /** What is doubted must come again in pages of another size. */
  function readOtherwise(size: number): Promise<Pass> {
    const other = size > 1 ? size - 1 : 2;
    return readPages({ caller, endpoint, slice, settings, limit: other });
  }

  function judge(records: readonly WireRecord[]): Walked {
    const last = askedEnd(slice);
    const kept: WireRecord[] = [];
    let reason = '';
    for (const record of records) {
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
}

interface Reading {
  readonly caller: Caller;
  readonly endpoint: Endpoint;
  readonly slice: Slice;
  readonly settings: WalkSettings;
  readonly limit: number;
}

interface Pages {
  readonly kind: 'pages';
  readonly records: readonly WireRecord[];
  readonly isEndFull: boolean;
  /** Two pages hold the same: a repeated page, or records that really alternate. */
  readonly hasTwinPages: boolean;
}

type Pass =
  | Pages
  | { readonly kind: 'drift'; readonly reason: string }
  | { readonly kind: 'clamped'; readonly limit: number }
  | { readonly kind: 'saturated'; readonly reason: string };

function askedEnd(slice: Slice): number {
  return slice.interval.to + 1;
}

async function readPages(reading: Reading): Promise<Pass> {
  const { settings, limit, endpoint } = reading;
  const first = await readPage(reading, 1);
  const totalPage = first.totalPage ?? 0;
  if (first.limit !== undefined && first.limit > 0 && first.limit < limit) {
    return { kind: 'clamped', limit: first.limit };
  }
  const wrong = misfit(first, 1, totalPage, limit);
  if (wrong !== undefined) return { kind: 'drift', reason: wrong };
  if (totalPage * limit >= settings.recordCap && !settings.acceptCap) {
    return { kind: 'saturated', reason: `the service lists at most ${settings.recordCap} records` };
  }
  const slots: PageReply[] = [first];
  const reads = [];
  // A capped walk reads what the service says it lists, and never more.
  const lastPage = Math.min(totalPage, Math.ceil(settings.recordCap / limit));
  for (let page = 2; page <= lastPage; page += 1) {
    const slot = page - 1;
    reads.push(
      readPage(reading, page).then((reply) => {
        slots[slot] = reply;
      }),
    );
  }
  await Promise.all(reads);
  for (const [i, reply] of slots.entries()) {
    const fault = misfit(reply, i + 1, totalPage, limit);
    if (fault !== undefined) return { kind: 'drift', reason: fault };
  }
  const texts = slots.map((reply) => pageText(endpoint, reply));
  if (totalPage > 1) {
    const fence = await readPage(reading, 1);
    if (fence.totalPage !== totalPage || pageText(endpoint, fence) !== texts[0]) {
      return { kind: 'drift', reason: 'the first page changed while the others were read' };
    }
  }
  return {
    kind: 'pages',
    records: slots.flatMap((reply) => reply.records),
    isEndFull: totalPage > 0 && slots.at(-1)?.records.length === limit,
    hasTwinPages: new Set(texts).size < texts.length,
  };
}

function readPage(reading: Reading, page: number): Promise<PageReply> {
  const { caller, endpoint, slice, settings, limit } = reading;
  const query = queryOf(endpoint, slice, {
    chain: settings.chain,
    to: askedEnd(slice),
    page,
    limit,
  });
  const priority = page === 1 ? PRIORITY.firstPage : PRIORITY.laterPage;
  const { signal } = settings;
  return caller.call(endpoint, query, { priority, ...(signal === undefined ? {} : { signal }) });
}

/** Why a page is not the page asked for; undefined when it is. */
function misfit(
  reply: PageReply,
  page: number,
  totalPage: number,
  limit: number,
): string | undefined {
  const count = reply.records.length;
  if (totalPage === 0) {
    return count === 0 ? undefined : 'records came with a page count of zero';
  }
  if (reply.page !== page) return `page ${page} was asked and page ${reply.page} came`;
  if (reply.limit !== limit) return `pages of ${limit} were asked and pages of ${reply.limit} came`;
  if (reply.totalPage !== totalPage) {
    return `the number of pages changed from ${totalPage} to ${reply.totalPage}`;
  }
  const isFull = count === limit;
  if (page < totalPage ? !isFull : count === 0 || count > limit) {
    return `page ${page} of ${totalPage} held ${count} records`;
  }
  return undefined;
}

/** A record by its height: the answer proves itself by being about what was asked. */
async function lookUp(
  caller: Caller,
  endpoint: Endpoint,
  slice: Slice,
  settings: WalkSettings,
): Promise<Walked> {
  const { records } = await readPage({ caller, endpoint, slice, settings, limit: 1 }, 1);
  const asked = slice.interval.from;
  const answered = records.filter((record) => heightOf(endpoint, record) === asked);
  if (answered.length === 1 && records.length === 1) return { outcome: 'proven', records };
  const share = `${answered.length} of ${records.length} records were about it`;
  const reason = `height ${asked} was asked, and ${share}`;
  return { outcome: 'contradictory', reason, records: answered };
}

function pageText(endpoint: Endpoint, reply: PageReply): string {
  return reply.records.map((record) => contentOf(endpoint, record)).join('\n');
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
