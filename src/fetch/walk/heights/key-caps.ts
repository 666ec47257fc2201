import type { ListedRecord } from '../../../catalogue/record-text.ts';
import type { Interval } from '../../../coverage/ranges.ts';
import { askedRange } from '../asked-range.ts';
import { readPageOf } from '../pages.ts';
import { contentOf, matchedKeys, recordsByKey } from '../record-reader.ts';
import { type Order, orderOf, Records, settledOf } from '../sorted-pages.ts';
import type { Reading } from '../walk.ts';
import type { Cut } from './page-judge.ts';
import { overflowSegment, type Segment } from './segments.ts';
import { within } from './stretches.ts';

type Shown = readonly ListedRecord[];

/** A key that may have more records at some heights than a page of several keys shows. */
interface Doubt {
  readonly key: string;
  readonly interval: Interval;
  readonly order: Order;
  /** The records of the key on the page. */
  readonly records: Shown;
}

/**
 * Finds pages of several keys that lack records because the service lists only some of each key.
 * Such a cap is at least as large as the rank of a record that only one key explains, on any page
 * of as many keys. Only keys with as many records on a page are doubtful, so few are left at the
 * end of a walk. These are requested alone for the heights beyond that rank: one request each.
 */
export class KeyCaps {
  readonly #reading: Reading;
  #doubts: Doubt[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Adds a page, which shows the stretch up to its cut. */
  add(stretch: Interval, shown: Shown, cut: Cut | undefined): void {
    const { endpoint, slice, settings } = this.#reading;
    if (slice.keys.length < 2 || settings.isUnsplit === true) return;
    const heights = shown.flatMap((record) => record.height ?? []);
    const order = orderOf(heights);
    // Such a page shows no heights completely.
    if (cut !== undefined && (order === 'one-height' || order === 'unsorted')) return;
    const interval = cut === undefined ? stretch : settledOf(order, heights, stretch);
    for (const [key, records] of recordsByKey(shown, slice)) {
      if (records.length < this.#leastCap()) continue;
      settings.facts.keyShown(endpoint.path, slice.keys.length, this.#rankIn(records, order));
      this.#doubts.push({ key, interval, order, records });
    }
    this.#doubts = this.#doubts.filter((doubt) => this.#partOf(doubt));
  }

  /** The segments of all pages since the last call; those that lack records as `overflow`. */
  async judged(segments: readonly Segment[]): Promise<Segment[]> {
    const { endpoint, settings } = this.#reading;
    const doubts = this.#doubts;
    this.#doubts = [];
    const cut: Interval[] = [];
    for (const doubt of doubts) {
      const isCut = settings.facts.at(endpoint.path).areKeysCut || (await this.#isCut(doubt));
      if (isCut) cut.push(doubt.interval);
    }
    return segments.map((segment) => {
      const { from, to } = segment.interval;
      const isCut = cut.some((part) => part.from <= to && from <= part.to);
      return isCut ? overflowSegment(segment.interval, segment.records, true) : segment;
    });
  }

  /**
   * A number of records that no cap of this key is below: the records that only this key explains,
   * and, where the newest come first, the others above them.
   */
  #rankIn(records: Shown, order: Order): number {
    const { slice } = this.#reading;
    const isAlone = (record: ListedRecord): boolean => matchedKeys(record, slice).length === 1;
    const alone = records.filter(isAlone);
    const lowest = alone.at(-1)?.height;
    if (lowest === undefined || order !== 'newest-first') return alone.length;
    const above = records.filter((record) => !isAlone(record) && (record.height ?? -1) > lowest);
    // A group may list a record once for each of its keys. A rank that is known costs no contents.
    const most = alone.length + above.length;
    if (most <= this.#leastCap()) return most;
    return alone.length + new Set(above.map(contentOf)).size;
  }

  #leastCap(): number {
    const { endpoint, slice, settings } = this.#reading;
    return Math.max(1, settings.facts.leastKeyCap(endpoint.path, slice.keys.length));
  }

  /** The heights at which the key may have further records; undefined where no cap can hide any. */
  #partOf({ interval, order, records }: Doubt): Interval | undefined {
    const least = this.#leastCap();
    const height = records[least - 1]?.height;
    if (height === undefined) return undefined;
    // A request for the key alone would show a single record again, and no other one.
    const below = least === 1 ? height - 1 : height;
    const to = order === 'newest-first' ? Math.min(below, interval.to) : interval.to;
    return interval.from > to ? undefined : { from: interval.from, to };
  }

  async #isCut(doubt: Doubt): Promise<boolean> {
    const part = this.#partOf(doubt);
    if (part === undefined) return false;
    const { endpoint, slice, settings } = this.#reading;
    const due = within(doubt.records, part);
    const one = { ...this.#reading, slice: { ...slice, keys: [doubt.key] } };
    const mode = due.length > 0 ? 'has-records' : 'plain';
    const reply = await readPageOf(one, askedRange(one, part), 1, mode);
    // A group may list a record once for each of its keys, so fewer copies prove nothing.
    if (new Records(due).lacks(within(reply.records, part)) === undefined) return false;
    settings.facts.learnKeyCap(endpoint.path);
    return true;
  }
}
