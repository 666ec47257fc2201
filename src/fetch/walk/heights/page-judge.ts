import type { WireRecord } from '../../../catalogue/record.ts';
import { contains, type Interval } from '../../../coverage/ranges.ts';
import type { PageReply } from '../../http/caller.ts';
import { capOf, pageText } from '../pages.ts';
import { listedOn } from '../pending-records.ts';
import { orderOf, Records } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import { heightOf, matchedKeys } from '../wire.ts';
import type { Stretch } from './stretches.ts';

/**
 * Why a page may not be all of a stretch: it is full or counts more; it is as long as the longest
 * of late, so that a record cap may have cut it; or short pages are checked by the settings.
 */
export type Cut = 'full' | 'capped' | 'checked';

/** A page that is filled to this share may have lost records at its end. */
const NEARLY_FULL = 0.9;

/** What a walk by height makes of one page. */
export class PageJudge {
  /** Records a page, at most; lowered where the service gives smaller pages. */
  limit: number;
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.limit = reading.settings.facts.pageSize(reading.endpoint.path, reading.limit);
  }

  /** Why the list may hold more than the page; undefined where it does not. */
  cutOf(reply: PageReply): Cut | undefined {
    const { endpoint, settings } = this.#reading;
    const { totalPage = 0, total = 0, limit = this.limit } = reply;
    const count = listedOn(reply);
    if (count === 0) return undefined;
    const most = Math.min(limit, this.limit, capOf(endpoint, settings));
    const isCounted = settings.facts.areCountsRight(endpoint.path);
    if (count >= most || settings.facts.isCap(endpoint.path, count)) return 'full';
    if (isCounted && (totalPage > 1 || total > count)) return 'capped';
    if (settings.facts.mayBeCut(endpoint.path, count)) return 'capped';
    // Without a page count to believe, a short page may be a smaller page size that nothing
    // announces, or lack a record.
    const isUncounted = endpoint.reply.shape === 'bare' || !isCounted;
    const isChecked = isUncounted || settings.proof === 'strict' || count >= NEARLY_FULL * most;
    return isChecked ? 'checked' : undefined;
  }

  /**
   * The stretch to read again because the page holds less than its own count of pages or records
   * says: a record may be left out. Counts that come again with the same page are simply wrong.
   */
  shortAgain(stretch: Stretch, reply: PageReply): Stretch | undefined {
    const { endpoint, settings } = this.#reading;
    const { records, totalPage = 0, total = 0, limit = this.limit } = reply;
    const count = listedOn(reply);
    const isCounted = totalPage > 1 || total > count;
    const isShort = isCounted && count < Math.min(limit, this.limit);
    if (count === 0 || !settings.facts.areCountsRight(endpoint.path)) return undefined;
    const short = isShort || stretch.short !== undefined ? pageText(endpoint, records) : undefined;
    if (short !== undefined && stretch.short === short) {
      settings.facts.countedWrongly(endpoint.path);
      return undefined;
    }
    return isShort && short !== undefined ? { ...stretch, short } : undefined;
  }

  /** An empty answer with a smaller page size than was asked refuses the size, not the question. */
  isClamped({ limit = 0 }: PageReply): boolean {
    if (limit <= 0 || limit >= this.limit) return false;
    this.#reading.settings.facts.clamped(this.#reading.endpoint.path, limit);
    this.limit = limit;
    return true;
  }

  /** Why the page is no answer to the question; undefined when it is. */
  wrongIn(reply: PageReply, range: Interval): string | undefined {
    const { endpoint, slice } = this.#reading;
    const { records, page, totalPage = 0, total = 0 } = reply;
    if (listedOn(reply) === 0 && (totalPage > 0 || total > 0)) {
      return `page 1 of ${totalPage} held no record`;
    }
    if (records.length > 0 && page !== undefined && page !== 1) {
      return `page 1 was asked and page ${page} came`;
    }
    for (const record of records) {
      const height = heightOf(endpoint, record);
      if (height !== undefined && !contains(range, height)) {
        return `a record at height ${height} was listed for ${range.from}-${range.to}`;
      }
      if (matchedKeys(endpoint, record, slice).length === 0) {
        return 'a record that matches none of the keys was listed';
      }
    }
    return undefined;
  }

  /** What a page lacks that was listed before, at a height that it must show whole. */
  missing(
    { known }: Stretch,
    shown: readonly WireRecord[],
    cut: Cut | undefined,
  ): string | undefined {
    if (known.length === 0) return undefined;
    const heights = this.heights(shown);
    const order = orderOf(heights);
    const low = Math.min(...heights);
    const high = Math.max(...heights);
    const isDue = (record: WireRecord): boolean => {
      const height = this.#height(record);
      if (cut === undefined) return true;
      if (order === 'newest-first') return height > low;
      return order === 'oldest-first' && height < high;
    };
    const lost = new Records(this.#reading.endpoint, shown).lacks(known.filter(isDue));
    if (lost === undefined) return undefined;
    return `a record at height ${this.#height(lost)} was listed before, and is not listed again`;
  }

  /** A record at the very edge of what was asked shows that ranges include that edge. */
  learn(range: Interval, shown: readonly WireRecord[]): void {
    const { endpoint, settings } = this.#reading;
    for (const record of shown) {
      const height = heightOf(endpoint, record);
      if (height === range.from) settings.facts.learnEdges(endpoint.path, { from: true });
      if (height === range.to) settings.facts.learnEdges(endpoint.path, { to: true });
    }
  }

  /** Records without a height belong to the first stretch that lists them. */
  isInside(stretch: Stretch, record: WireRecord): boolean {
    const height = heightOf(this.#reading.endpoint, record);
    return height === undefined ? !stretch.isPart : contains(stretch, height);
  }

  heights(records: readonly WireRecord[]): number[] {
    return records.flatMap((record) => heightOf(this.#reading.endpoint, record) ?? []);
  }

  #height(record: WireRecord): number {
    return heightOf(this.#reading.endpoint, record) ?? -1;
  }
}
