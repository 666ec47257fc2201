import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { contains, type Interval } from '../../../coverage/ranges.ts';
import type { Reading } from '../walk.ts';
import {
  ContradictionError,
  OutpacedError,
  type PositionStretch,
  pageCovering,
  positionIn,
} from './positions.ts';
import { MAX_IDLE, ShiftingList } from './shifting-list.ts';

export type CollectedInterval =
  | {
      readonly kind: 'collected';
      /** All records of the interval at `lowest` and above. */
      readonly records: readonly ListedRecord[];
      readonly lowest: number;
      /** The list ends at `lowest`; otherwise the interval was read to its beginning. */
      readonly isEnd: boolean;
    }
  /** The interval exceeds the record cap; `records` are those listed. */
  | {
      readonly kind: 'beyond-cap';
      readonly records: readonly ListedRecord[];
      /** All records above this height are included. */
      readonly lowest: number;
    };

/** Most stretches requested concurrently. */
const READ_AHEAD = 4;
const MAX_PROBES = 300;
const NOTHING: Interval = { from: 1, to: 0 };

/**
 * Reads an interval of heights from a newest-first list without block bounds that grows at its
 * front while it is read. The start is found by bisection over positions. From there down every
 * rank is read once, whatever page it came on, so new records at the front neither duplicate nor
 * hide a record. One object reads one list.
 */
export class PositionalList {
  readonly shifting: ShiftingList;
  /** Ranks of the stretch that ended the last search, all read at one moment. */
  #atOnce: Interval = NOTHING;

  constructor(reading: Reading) {
    this.shifting = new ShiftingList(reading);
  }

  /** The records read so far inside the interval. */
  within(interval: Interval): ListedRecord[] {
    const records: ListedRecord[] = [];
    for (const { record, height } of this.shifting.ranks.all()) {
      if (contains(interval, height)) records.push(record);
    }
    return records;
  }

  /** Reads the records of the interval that the service lists. */
  async collect(interval: Interval): Promise<CollectedInterval> {
    const top = await this.#find(interval.to);
    const nothing = { records: [], lowest: interval.to + 1 };
    if (top === 'none') return { kind: 'collected', ...nothing, isEnd: true };
    if (top === 'beyond-cap') return { kind: 'beyond-cap', ...nothing };
    const bottom = await this.#descend(top, interval.from);
    const records: ListedRecord[] = [];
    for (let rank = top; rank > bottom.rank; rank -= 1) {
      const placed = this.shifting.ranks.at(rank);
      if (placed !== undefined) records.push(placed.record);
    }
    const lowest = this.shifting.ranks.at(bottom.rank + 1)?.height ?? interval.to + 1;
    if (bottom.why === 'cap') return { kind: 'beyond-cap', records, lowest };
    if (bottom.why === 'end') return { kind: 'collected', records, lowest, isEnd: true };
    return { kind: 'collected', records, lowest: interval.from, isEnd: false };
  }

  /**
   * The rank of the newest record at the height or below. Records only shift to deeper positions,
   * so all before `low` stay above the height. Where the boundary shifts below `high`, the search
   * restarts at `low`.
   */
  async #find(height: number): Promise<number | 'none' | 'beyond-cap'> {
    let low = 0;
    let high = Number.POSITIVE_INFINITY;
    let step = 0;
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const stretch = await this.shifting.read(
        positionIn(low, high, step, this.shifting.reader.most),
      );
      const { start, heights, isLast } = stretch;
      const rank = await this.#boundary(stretch, height);
      if (rank !== undefined) return rank;
      const oldest = heights.at(-1);
      if (oldest === undefined || oldest <= height) high = Math.min(high, start);
      else low = Math.max(low, start + heights.length);
      const isOver = isLast && (oldest === undefined ? start === 0 : oldest > height);
      if (isOver || low >= stretch.depth) return this.shifting.isCapped ? 'beyond-cap' : 'none';
      if (high === Number.POSITIVE_INFINITY) {
        step = Math.min(stretch.depth - 1 - low, step === 0 ? this.shifting.reader.most : step * 2);
      } else if (high <= low) {
        high = Number.POSITIVE_INFINITY;
        step = 0;
      }
    }
    throw new OutpacedError(`height ${height} was not found in the list`);
  }

  /**
   * The rank of the boundary, where the same stretch also shows the record before it above the
   * height: two stretches may not be adjacent even if their positions say so. Where pages are too
   * small to show both, the record before is read in pages of two sizes.
   */
  async #boundary(stretch: PositionStretch, height: number): Promise<number | undefined> {
    const { heights, records, start } = stretch;
    const at = heights.findIndex((other) => other <= height);
    if (at < 0) return undefined;
    const isSeenFromBothSides = at > 0 || start === 0;
    if (!isSeenFromBothSides) {
      const { page, limit } = pageCovering(start - 1, this.shifting.reader.most);
      if (page * limit > start || (await this.#heightBefore(stretch)) <= height) return undefined;
    }
    const first = this.shifting.placed(stretch);
    if (first === undefined) return undefined;
    this.#atOnce = isSeenFromBothSides ? { from: first - records.length + 1, to: first } : NOTHING;
    return first - at;
  }

  /** Height of the record before a stretch of a list with totals, read twice. */
  async #heightBefore({ start, total }: PositionStretch): Promise<number> {
    if (total === undefined) return Number.NEGATIVE_INFINITY;
    const rank = total - start + 1;
    await this.shifting.read(start - 1);
    await this.shifting.readAgain(rank, 1);
    return this.shifting.ranks.at(rank)?.height ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Reads every rank from `top` down to the first record below the height, to the end of the list
   * or to the cap, and then the top again.
   */
  async #descend(top: number, from: number): Promise<Bottom> {
    const { ranks } = this.shifting;
    let rank = top;
    let above = Number.POSITIVE_INFINITY;
    let idle = 0;
    for (let ahead = 1; idle <= MAX_IDLE; ) {
      const before = rank;
      for (let next = ranks.at(rank); next !== undefined; next = ranks.at(rank)) {
        if (next.height > above)
          throw new ContradictionError('the heights of a newest-first list rise');
        if (next.height < from) return this.#fenced(top, { rank, why: 'height' });
        above = next.height;
        rank -= 1;
      }
      if (rank < ranks.end) return this.#fenced(top, { rank, why: 'end' });
      if (this.shifting.isBeyondDepth(rank)) return this.#fenced(top, { rank, why: 'cap' });
      idle = rank < before ? 0 : idle + 1;
      // Sequential requests give the list the least time to shift.
      ahead = idle > 0 ? 1 : Math.min(READ_AHEAD, ahead * 2);
      await this.#readBelow(rank, from, ahead, idle);
    }
    throw new OutpacedError('the list shifts faster than it can be read');
  }

  /** Reads stretches that should be adjacent, from the rank down. */
  async #readBelow(rank: number, from: number, count: number, idle: number): Promise<void> {
    const list = this.shifting;
    const { ranks } = list;
    const { front } = ranks;
    // Stretches of a list without totals are joined by a record that is already known.
    const overlap = list.hasTotal ? 0 : 1;
    const growth = Array.from({ length: count }, (_, i) => list.reader.grownBy(i + 1));
    const reads: Promise<PositionStretch>[] = [];
    let next = rank;
    for (let i = 0; i < count; i += 1) {
      const grown = growth[i] ?? 0;
      const margin = i === 0 || overlap === 0 ? 0 : Math.ceil(growth.at(-1) ?? 0);
      const wanted = front + list.expectedShift(grown, idle) - next - overlap - margin;
      const position = Math.max(0, Math.min(wanted, list.depth - 1));
      reads.push(list.read(position));
      const { page, limit } = pageCovering(position, list.reader.most);
      next = Math.min(next, front + Math.ceil(grown) - page * limit + 1) - 1;
      while (ranks.at(next) !== undefined) next -= 1;
      const above = ranks.at(next + 1);
      const isBelow = above !== undefined && above.height < from;
      if (isBelow || next < ranks.end || list.isBeyondDepth(next)) break;
    }
    const stretches = await Promise.all(reads);
    if (overlap === 0) return;
    // Ordered by position, so that each stretch overlaps the one before it.
    for (const stretch of stretches) list.placeAt(stretch, rank + 1);
  }

  /**
   * Returns the bottom after the top was read again at its rank: an inserted or removed record
   * below it would have changed that rank. Stretches read at one moment need no second reading.
   */
  async #fenced(top: number, bottom: Bottom): Promise<Bottom> {
    const lowest = bottom.why === 'height' ? bottom.rank : bottom.rank + 1;
    const isAtOnce = contains(this.#atOnce, top) && contains(this.#atOnce, lowest);
    for (let i = 0; i < MAX_IDLE && !isAtOnce; i += 1) {
      const shift = this.shifting.expectedShift(this.shifting.reader.grownBy(1), i);
      const stretch = await this.shifting.read(
        Math.max(0, this.shifting.ranks.front + shift - top),
      );
      const first = this.shifting.placeAt(stretch, top);
      if (first !== undefined && first >= top && first - stretch.records.length < top) {
        return bottom;
      }
    }
    if (isAtOnce) return bottom;
    throw new OutpacedError('the list shifts faster than it can be read');
  }
}

interface Bottom {
  /** The first rank outside the interval, or beyond the listed ones. */
  readonly rank: number;
  readonly why: 'height' | 'end' | 'cap';
}
