import type { Axis } from '../../catalogue/entry.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import { type ListId, listKey } from '../../coverage/list.ts';
import { blocksIn, contains } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { matchedKeys } from './record-reader.ts';

interface AnsweredList {
  /** The highest end of a range. */
  end: number;
  /** Blocks of the widest range. */
  blocks: number;
  /** Blocks of the ranges that are as wide as the list allows. */
  readonly full: Set<number>;
  /** The highest height of a record. */
  reached: number;
  /** The newest record that a later reading must show, as a request for its block and key. */
  newest: Slice | undefined;
}

/**
 * The requests of a run that were answered with records. A service may return nothing for ranges
 * that end above its index, or that are wide, so an empty answer counts only where a request with
 * this end and this width had records. A list without any record below the safe height is
 * judged by the lists of its endpoint with other filters.
 */
export class AnsweredRequests {
  readonly #lists = new Map<string, AnsweredList>();

  /**
   * Adds a request by the records of its answer. Records of other requests prove nothing, and
   * requests of an unusual page size only that the record exists.
   */
  add(slice: Slice, records: readonly ListedRecord[], isUsual: boolean): void {
    for (const record of new Set([...records.slice(0, 1), ...records.slice(-1)])) {
      const height = record.height;
      const [key] = matchedKeys(record, slice);
      if (height === undefined || key === undefined || !contains(slice.interval, height)) continue;
      if (isUsual) this.prove(slice);
      for (const answered of this.#bothOf(slice.list)) {
        answered.reached = Math.max(answered.reached, height);
      }
      const keys = [key];
      const question = { ...slice, keys, interval: { from: height, to: height } };
      // Records above the safe height may be gone later.
      if (!slice.provisional) this.#learn(question);
    }
  }

  clear(): void {
    this.#lists.clear();
  }

  /** Adds a request that had records. */
  prove({ list, interval }: Slice): void {
    const blocks = blocksIn(interval);
    for (const answered of this.#bothOf(list)) {
      answered.end = Math.max(answered.end, interval.to);
      answered.blocks = Math.max(answered.blocks, blocks);
      if (isFull(list, blocks)) answered.full.add(blocks);
    }
  }

  #learn(record: Slice): void {
    for (const answered of this.#bothOf(record.list)) {
      if (record.interval.to > (answered.newest?.interval.to ?? -1)) answered.newest = record;
    }
  }

  /** Properties of the list, and of its endpoint. */
  #bothOf(list: ListId): AnsweredList[] {
    return [listKey(list), list.endpoint].map((id) => {
      const answeredList = this.#lists.get(id);
      const full = new Set<number>();
      const answered = answeredList ?? { end: -1, reached: -1, blocks: 0, full, newest: undefined };
      this.#lists.set(id, answered);
      return answered;
    });
  }

  /** Whether requests with this end and this width have had records. */
  proves({ list, interval }: Pick<Slice, 'list' | 'interval'>): boolean {
    const { end, blocks, full } = this.#answersOf(list) ?? { end: -1, blocks: 0, full: new Set() };
    const width = blocksIn(interval);
    // Most windows are as wide as the list allows, so these need a range of this very width.
    const isWide = isFull(list, width) ? full.has(width) : width <= blocks;
    return interval.to <= end && isWide;
  }

  /** The highest end of a range with records; -1 where the list has had none. */
  endOf(list: ListId): number {
    return this.#answersOf(list)?.end ?? -1;
  }

  /** The highest height of a record of the endpoint; -1 where it has had none. */
  reachedBy({ endpoint }: ListId): number {
    return this.#lists.get(endpoint)?.reached ?? -1;
  }

  newestOf(list: ListId): Slice | undefined {
    return this.#answersOf(list)?.newest;
  }

  /** The heights of the newest records of all lists of the axis, each once. */
  newestHeights(axis: Axis): number[] {
    const newest = [...this.#lists.values()].flatMap((answered) => answered.newest ?? []);
    const ofAxis = newest.filter(({ list }) => list.entry.axis === axis);
    return [...new Set(ofAxis.map(({ interval }) => interval.to))];
  }

  #answersOf(list: ListId): AnsweredList | undefined {
    const answered = this.#lists.get(listKey(list));
    // Records above the safe height alone prove ends, and are no question for wider ranges.
    return answered?.newest === undefined ? this.#lists.get(list.endpoint) : answered;
  }
}

function isFull({ entry }: Slice['list'], blocks: number): boolean {
  return blocks >= (entry.limits.blockSpan ?? Number.POSITIVE_INFINITY);
}
