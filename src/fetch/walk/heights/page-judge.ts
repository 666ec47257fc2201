import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { contains, type Interval } from '../../../coverage/ranges.ts';
import type { PageReply } from '../../http/caller.ts';
import { capOf, pageText, readIfShown } from '../pages.ts';
import { listedOn } from '../pending-records.ts';
import { matchedKeys } from '../record-reader.ts';
import { orderOf, Records } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import type { Stretch } from './stretches.ts';

/**
 * Why a page may be incomplete. `full`: it is full. `capped`: it counts more records, or no recent
 * page was longer, so a record cap may have cut it. `checked`: the settings require a check of
 * short pages.
 */
export type Cut = 'full' | 'capped' | 'checked';

/** A page filled to this share may have lost records at its end. */
const NEARLY_FULL = 0.9;

/** Judges single pages of a walk by height. */
export class PageJudge {
  /** Records per page, at most; lowered where the service returns smaller pages. */
  limit: number;
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.limit = reading.settings.facts.pageSize(reading.endpoint.path, reading.limit);
  }

  /** Why the list may have more records than the page; undefined where it has not. */
  cutOf(reply: PageReply): Cut | undefined {
    const { endpoint, settings } = this.#reading;
    const { totalPage = 0, total = 0, limit = this.limit } = reply;
    const count = listedOn(reply);
    if (count === 0) return undefined;
    const most = this.#most(limit);
    const isCounted = settings.facts.areCountsRight(endpoint.path);
    if (count >= most || settings.facts.isCap(endpoint.path, count)) return 'full';
    if (isCounted && (totalPage > 1 || total > count)) return 'capped';
    if (settings.facts.mayBeCut(endpoint.path, count)) return 'capped';
    // Without a reliable page count, a short page may have an undocumented smaller size or lack a
    // record.
    const isUncounted = endpoint.reply.shape === 'bare' || !isCounted;
    const isChecked = isUncounted || settings.proof === 'strict' || this.#isNearlyFull(reply);
    return isChecked ? 'checked' : undefined;
  }

  /**
   * Whether a short page of one height may lack records of that height: it is nearly full, it lacks
   * a known record, no reliable page count excludes that a smaller page size has cut it, or its
   * page count is larger and page 2 has other records. undefined where page 2 has equal records: it
   * may be page 1 again, or further copies.
   */
  async mayContinue(stretch: Stretch, reply: PageReply, cut: Cut): Promise<boolean | undefined> {
    const { endpoint, settings, slice } = this.#reading;
    const { records, totalPage = 0 } = reply;
    if (endpoint.reply.shape === 'bare' || this.#isNearlyFull(reply)) return true;
    if (this.missing(stretch, records, undefined) !== undefined) return true;
    if (!settings.facts.areCountsRight(endpoint.path)) return cut === 'capped';
    const [height] = this.heights(records);
    if (height === undefined || totalPage <= 1) return false;
    const here = { ...slice, interval: { from: height, to: height } };
    const next = await readIfShown({ ...this.#reading, slice: here, limit: this.limit }, 2);
    if (next === undefined || listedOn(next) === 0) return false;
    return pageText(next.records) === pageText(records) ? undefined : true;
  }

  #isNearlyFull(reply: PageReply): boolean {
    return listedOn(reply) >= NEARLY_FULL * this.#most(reply.limit);
  }

  #most(limit = this.limit): number {
    const { endpoint, settings } = this.#reading;
    return Math.min(limit, this.limit, capOf(endpoint, settings));
  }

  /**
   * The stretch to read again because the page has fewer records than its page count or total says,
   * so that a record may be missing. If the same page returns with the same count, the count is
   * wrong.
   */
  shortAgain(stretch: Stretch, reply: PageReply): Stretch | undefined {
    const { endpoint, settings } = this.#reading;
    const { records, totalPage = 0, total = 0, limit = this.limit } = reply;
    const count = listedOn(reply);
    const isCounted = totalPage > 1 || total > count;
    const isShort = isCounted && count < Math.min(limit, this.limit);
    if (count === 0 || !settings.facts.areCountsRight(endpoint.path)) return undefined;
    const short = isShort || stretch.short !== undefined ? pageText(records) : undefined;
    if (short !== undefined && stretch.short === short) {
      settings.facts.at(endpoint.path).wrongCounts += 1;
      return undefined;
    }
    return isShort && short !== undefined ? { ...stretch, short } : undefined;
  }

  /** Whether the service refuses the page size with an empty answer that echoes a smaller one. */
  isClamped({ limit = 0 }: PageReply): boolean {
    if (limit <= 0 || limit >= this.limit) return false;
    this.#reading.settings.facts.clamped(this.#reading.endpoint.path, limit);
    this.limit = limit;
    return true;
  }

  /** Why the page does not answer its request; undefined where it does. */
  wrongIn(reply: PageReply, range: Interval): string | undefined {
    const { slice } = this.#reading;
    const { records, page, totalPage = 0, total = 0 } = reply;
    if (listedOn(reply) === 0 && (totalPage > 0 || total > 0)) {
      return `page 1 of ${totalPage} has no records`;
    }
    if (records.length > 0 && page !== undefined && page !== 1) {
      return `page 1 was requested and page ${page} returned`;
    }
    // An odd value may be one of the keys: the record then lands in quarantine.
    const isKeyOdd = (record: ListedRecord): boolean =>
      (slice.list.keyColumns ?? []).some((column) => record.isOdd(column));
    for (const record of records) {
      const height = record.height;
      if (height !== undefined && !contains(range, height)) {
        return `a record at height ${height} was listed for ${range.from}-${range.to}`;
      }
      const isMatched = matchedKeys(record, slice).length > 0;
      if (!isMatched && !isKeyOdd(record)) {
        return 'a record that matches none of the keys was listed';
      }
    }
    return undefined;
  }

  /** The reason where a page lacks a known record at a height that it must show completely. */
  missing(
    { history }: Stretch,
    shown: readonly ListedRecord[],
    cut: Cut | undefined,
  ): string | undefined {
    if (history.length === 0) return undefined;
    const heights = this.heights(shown);
    const order = orderOf(heights);
    const low = Math.min(...heights);
    const high = Math.max(...heights);
    const isDue = (record: ListedRecord): boolean => {
      const height = this.#height(record);
      if (cut === undefined) return true;
      if (order === 'newest-first') return height > low;
      return order === 'oldest-first' && height < high;
    };
    const due = history.filter(isDue);
    // Copies have equal heights, so records at other heights need no comparison.
    const dueHeights = new Set(due.map((record) => this.#height(record)));
    const beside = shown.filter((record) => dueHeights.has(this.#height(record)));
    const lost = new Records(beside).lacks(due);
    if (lost === undefined) return undefined;
    return `a record at height ${this.#height(lost)} was listed before, but not again`;
  }

  /** A record at the edge of the range proves that ranges include that edge. */
  learn(range: Interval, shown: readonly ListedRecord[]): void {
    const { endpoint, settings } = this.#reading;
    for (const record of shown) {
      const height = record.height;
      if (height === range.from) settings.facts.learnEdges(endpoint.path, { from: true });
      if (height === range.to) settings.facts.learnEdges(endpoint.path, { to: true });
    }
  }

  /** Records without a height may belong to any stretch that lists them, and prove none of them. */
  isInside(stretch: Stretch, record: ListedRecord): boolean {
    const height = record.height;
    return height === undefined || contains(stretch, height);
  }

  heights(records: readonly ListedRecord[]): number[] {
    const heights: number[] = [];
    for (const record of records) {
      const height = record.height;
      if (height !== undefined) heights.push(height);
    }
    return heights;
  }

  #height(record: ListedRecord): number {
    return record.height ?? -1;
  }
}
