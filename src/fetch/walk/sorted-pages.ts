import type { ListedRecord } from '../../catalogue/record-text.ts';
import { cutByHeights, type Interval } from '../../coverage/ranges.ts';
import { contentOf } from './record-reader.ts';

/** The order of heights on a page, and records as multisets. */

export type Order = 'newest-first' | 'oldest-first' | 'one-height' | 'unsorted';

/** The order of heights on a page; a page without records counts as one height. */
export function orderOf(heights: readonly number[]): Order {
  let falls = false;
  let rises = false;
  for (let i = 1; i < heights.length; i += 1) {
    const step = (heights[i] ?? 0) - (heights[i - 1] ?? 0);
    if (step < 0) falls = true;
    if (step > 0) rises = true;
  }
  if (falls && rises) return 'unsorted';
  if (falls) return 'newest-first';
  return rises ? 'oldest-first' : 'one-height';
}

/**
 * The intervals that may hold further records than a page of these heights shows: from its last
 * height on, beside its only height, or, for an unsorted list, both halves of the interval.
 */
export function beyondOf(
  order: Order,
  heights: readonly number[],
  { from, to }: Interval,
): Interval[] {
  const low = Math.min(...heights);
  const high = Math.max(...heights);
  const parts = {
    'newest-first': [{ from, to: low }],
    'oldest-first': [{ from: high, to }],
    'one-height': [
      { from, to: low - 1 },
      { from: high + 1, to },
    ],
    unsorted: cutByHeights({ from, to }, [Math.floor((low + high) / 2)]),
  }[order];
  return parts.filter((part) => part.from <= part.to);
}

/**
 * The heights of the interval that a page of these heights shows completely, where it is cut at its
 * end: all heights before its last one. The whole interval where the page is unsorted or has one
 * height.
 */
export function settledOf(
  order: Order,
  heights: readonly number[],
  { from, to }: Interval,
): Interval {
  if (order === 'newest-first') return { from: Math.max(Math.min(...heights) + 1, from), to };
  if (order === 'oldest-first') return { from, to: Math.min(Math.max(...heights) - 1, to) };
  return { from, to };
}

/** Records as a multiset by their stable content. */
export class Records {
  readonly #bag = new Map<string, ListedRecord[]>();

  constructor(records: readonly ListedRecord[]) {
    for (const record of records) {
      const content = contentOf(record);
      const copies = this.#bag.get(content);
      if (copies === undefined) this.#bag.set(content, [record]);
      else copies.push(record);
    }
  }

  /** The union of both multisets, with the larger number of copies of each record. */
  with(records: readonly ListedRecord[]): Records {
    for (const [content, copies] of new Records(records).#bag) {
      if (copies.length > (this.#bag.get(content)?.length ?? 0)) this.#bag.set(content, copies);
    }
    return this;
  }

  all(): ListedRecord[] {
    return [...this.#bag.values()].flat();
  }

  /** One copy of each record. */
  distinct(): ListedRecord[] {
    return [...this.#bag.values()].flatMap((copies) => copies.slice(0, 1));
  }

  /** The records in their order, each in at most as many copies as here. */
  most(records: readonly ListedRecord[]): ListedRecord[] {
    const taken = new Map<string, number>();
    return records.filter((record) => {
      const content = contentOf(record);
      const copies = (taken.get(content) ?? 0) + 1;
      taken.set(content, copies);
      return copies <= (this.#bag.get(content)?.length ?? 0);
    });
  }

  /** A record with fewer copies here; undefined where there is none. */
  lacks(records: readonly ListedRecord[]): ListedRecord | undefined {
    for (const [content, copies] of new Records(records).#bag) {
      if (copies.length > (this.#bag.get(content)?.length ?? 0)) return copies[0];
    }
    return undefined;
  }
}

/** Whether both have the same records in the same number of copies. */
export function areSame(one: readonly ListedRecord[], other: readonly ListedRecord[]): boolean {
  return one.length === other.length && new Records(one).lacks(other) === undefined;
}
