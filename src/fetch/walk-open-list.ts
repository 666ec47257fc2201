import type { WireRecord } from '../catalogue/record.ts';
import { callOptions, PRIORITY } from './caller.ts';
import { headRequest } from './heads.ts';
import { MAX_PAGES, pageText, readPage } from './pages.ts';
import { MAX_RESTARTS, type Reading, type Walked } from './walked.ts';
import { identityOf } from './wire.ts';

/**
 * Lists with pages that say neither how many there are nor how many records. A short page may be
 * a page size that the service made smaller, so only an empty page ends the list; and since a
 * service that throttles in silence sends empty pages too, that page must be empty twice, with a
 * request between them that is known to bring something.
 */

/** Most pages asked at once. */
const READ_AHEAD = 8;
/** How often one page is asked again that cannot be empty. */
const MAX_REREADS = 4;

type Page = readonly WireRecord[];

type End =
  | { readonly kind: 'proven' }
  | { readonly kind: 'more'; readonly page: Page }
  | { readonly kind: 'drift'; readonly reason: string }
  | { readonly kind: 'silent'; readonly reason: string };

/** All pages, and the proof of their end. Records are not yet judged by what was asked. */
export async function walkOpenList(reading: Reading): Promise<Walked> {
  let reason = '';
  for (let attempt = 0; attempt < MAX_RESTARTS; attempt += 1) {
    const pass = await readToEnd(reading);
    if (pass.outcome !== 'drifting') return pass;
    reason = pass.reason;
  }
  return { outcome: 'drifting', reason };
}

async function readToEnd(reading: Reading): Promise<Walked> {
  const list = new OpenList(reading);
  for (let ahead = 1; list.pages.length < MAX_PAGES; ) {
    const read = await readAhead(reading, list.pages.length + 1, ahead);
    const wrong = read.reason ?? list.add(read.pages);
    if (wrong !== undefined) return { outcome: 'drifting', reason: wrong };
    // Most lists are short, so the first two pages come alone.
    if (list.pages.length > 1) ahead = Math.min(ahead * 2, READ_AHEAD);
    if (!read.isEnd) continue;
    const end = await confirmEnd(reading, list.pages);
    if (end.kind === 'proven') return { outcome: 'proven', records: list.pages.flat() };
    if (end.kind === 'drift') return { outcome: 'drifting', reason: end.reason };
    if (end.kind === 'silent') {
      return { outcome: 'contradictory', reason: end.reason, records: list.pages.flat() };
    }
    const unfit = list.add([end.page]);
    if (unfit !== undefined) return { outcome: 'drifting', reason: unfit };
  }
  return { outcome: 'saturated', reason: `more than ${MAX_PAGES} pages are too many for one walk` };
}

/** The pages so far: all as long as the first, but the last; and no record or page twice. */
class OpenList {
  readonly pages: Page[] = [];
  readonly #reading: Reading;
  readonly #seen = new Set<string>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Adds pages in order; the reason when one of them cannot be a page of this list. */
  add(pages: readonly Page[]): string | undefined {
    const { endpoint, slice, limit } = this.#reading;
    for (const page of pages) {
      const number = this.pages.length + 1;
      const size = this.pages[0]?.length ?? limit;
      const before = this.pages.at(-1)?.length ?? size;
      if (before !== size || page.length > size) {
        return `page ${number} held ${page.length} records after one of ${before}`;
      }
      const names = page.map((record) => identityOf(endpoint, slice, record));
      const isNamed = names.every((name) => name !== undefined);
      for (const name of isNamed ? names : [pageText(endpoint, page)]) {
        if (this.#seen.has(name)) return `page ${number} repeats what came before`;
        this.#seen.add(name);
      }
      this.pages.push(page);
    }
    return undefined;
  }
}

/** Pages asked at once, up to the first that is empty and has none behind it that is not. */
async function readAhead(
  reading: Reading,
  first: number,
  count: number,
): Promise<{ readonly pages: readonly Page[]; readonly isEnd: boolean; readonly reason?: string }> {
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  const slots: Page[] = [];
  await Promise.all(
    numbers.map(async (number, slot) => {
      slots[slot] = (await readPage(reading, number)).records;
    }),
  );
  const last = slots.findLastIndex((page) => page.length > 0);
  const pages: Page[] = [];
  for (let slot = 0; slot <= last; slot += 1) {
    const page = await fullPage(reading, first + slot, slots[slot] ?? []);
    if (page.length === 0) {
      const reason = `page ${first + slot} is empty, and a later one is not`;
      return { pages, isEnd: false, reason };
    }
    pages.push(page);
  }
  return { pages, isEnd: last < count - 1 };
}

/** The page, asked again while it is empty although it cannot be. */
async function fullPage(reading: Reading, number: number, page: Page): Promise<Page> {
  let found = page;
  for (let i = 0; found.length === 0 && i < MAX_REREADS; i += 1) {
    found = (await readPage(reading, number)).records;
  }
  return found;
}

/**
 * Whether the empty page behind the pages is the end. The request between its two readings is the
 * fence, too: neither the first page nor the last may have changed. A list without any page is
 * asked for twice around a request for the newest block.
 */
async function confirmEnd(reading: Reading, pages: readonly Page[]): Promise<End> {
  const { endpoint, caller, settings } = reading;
  if (pages.length === 0) {
    const known = headRequest(endpoint.axis, settings.chain);
    const options = callOptions(PRIORITY.laterPage, settings.signal);
    const { records } = await caller.call(known.endpoint, known.query, options);
    if (records.length === 0) {
      return { kind: 'silent', reason: 'an empty answer, and no block at all, prove nothing' };
    }
  } else {
    const fenced = pages.length === 1 ? [1] : [1, pages.length];
    const again = await Promise.all(fenced.map((number) => fullPage(reading, number, [])));
    for (const [i, number] of fenced.entries()) {
      if (pageText(endpoint, again[i] ?? []) !== pageText(endpoint, pages[number - 1] ?? [])) {
        return { kind: 'drift', reason: `page ${number} changed while the others were read` };
      }
    }
  }
  const { records } = await readPage(reading, pages.length + 1);
  return records.length === 0 ? { kind: 'proven' } : { kind: 'more', page: records };
}
