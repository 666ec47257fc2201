import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { PageReply } from '../http/caller.ts';
import {
  capOf,
  MAX_PAGES,
  type PageMode,
  type Pass,
  pageText,
  readIfShown,
  readPage,
  TOO_MANY_PAGES,
} from './pages.ts';
import { listedOn } from './pending-records.ts';
import type { Reading } from './walk.ts';

/**
 * Reads page after page until the list ends, independent of its page count. A bare list ends at an
 * empty page. Other lists end at a page that is short, refused or not the requested one.
 */
export async function readToTheEnd(reading: Reading): Promise<Pass> {
  const { endpoint, settings, limit } = reading;
  const isBare = endpoint.reply.shape === 'bare';
  const cap = capOf(endpoint, settings);
  const shown: (readonly ListedRecord[])[] = [];
  let listed = 0;
  let first = 0;
  let last = 0;
  let size: number | undefined;
  const texts = new Set<string>();
  // Pages up to this number must have records: page 1 where records were listed before, later ones
  // by the page count.
  let due = (reading.history ?? []).length > 0 ? 1 : 0;
  const ended = (pages: number, isEndFull: boolean): Pass => {
    const size = listed > first ? first : limit;
    return { kind: 'pages', records: shown.flat(), shown, listed, size, pages, isEndFull };
  };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const mode = page <= due ? 'has-records' : 'plain';
    const isListed = (records: readonly ListedRecord[]): boolean =>
      page > due && texts.has(pageText(records));
    const reply = await readNext(reading, page, mode, isListed);
    if (page === 1 && settings.facts.areCountsRight(endpoint.path)) due = reply?.totalPage ?? due;
    const isOther = reply?.page !== undefined && reply.page !== page;
    // After its last page, a service may return that page again.
    const isRepeated = isListed(reply?.records ?? []);
    texts.add(pageText(reply?.records ?? []));
    size ??= reply?.limit;
    if (page > 1 && reply?.limit !== undefined && reply.limit !== size && !isOther) {
      const reason = `the page size changed from ${size} to ${reply.limit}`;
      return { kind: 'drift', reason, records: shown.flat() };
    }
    if (reply === undefined && page <= due) {
      return { kind: 'saturated', reason: `the service refuses page ${page} of ${due}` };
    }
    const isOver = reply === undefined || listedOn(reply) === 0 || isOther || isRepeated;
    if (isOver && page > 1 && page <= due) {
      const reason = `page ${page} of ${due} was not listed`;
      return { kind: 'drift', reason, records: shown.flat() };
    }
    if (!isOver) {
      last = listedOn(reply);
      listed += last;
      if (page === 1) first = last;
      shown.push(reply.records);
    }
    if (listed >= cap) {
      // A service that exceeds its cap may list records without end.
      if (settings.acceptCap) return ended(page, true);
      return { kind: 'saturated', reason: `the service lists at most ${cap} records` };
    }
    if (isOver || (!isBare && last < Math.min(first, limit))) {
      const isEndFull = last > 0 && last === first;
      return ended(Math.max(1, page - 1), isEndFull);
    }
  }
  return { kind: 'saturated', reason: TOO_MANY_PAGES };
}

/**
 * Reads a page; undefined where the service refuses it. A later page that is refused, another one
 * or listed before ends the list; once may be an error, so it is requested again.
 */
async function readNext(
  reading: Reading,
  page: number,
  mode: PageMode,
  isListed: (records: readonly ListedRecord[]) => boolean,
): Promise<PageReply | undefined> {
  if (page === 1) return readPage(reading, page, mode);
  const reply = await readIfShown(reading, page, mode);
  const isOther = reply?.page !== undefined && reply.page !== page;
  const isEnd = reply === undefined || isOther || isListed(reply.records);
  return isEnd ? readIfShown(reading, page, mode) : reply;
}
