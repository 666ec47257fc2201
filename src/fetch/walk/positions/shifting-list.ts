import { pageText } from '../pages.ts';
import { identityOf } from '../record-reader.ts';
import type { Reading } from '../walk.ts';
import {
  ContradictionError,
  OutpacedError,
  type PositionStretch,
  Ranks,
  StretchReader,
} from './positions.ts';

/** Most consecutive stretches without new records before the walk fails. */
export const MAX_IDLE = 40;
/** Shares of the expected growth, tried in turn while stretches have no new records. */
const EXPECTED = [0.5, 1, 0.25, 0.75, 0, 1.5];

/** A newest-first list that grows at its front: the records read so far, and their ranks. */
export class ShiftingList {
  readonly ranks: Ranks;
  readonly reader: StretchReader;
  readonly #repeats: RepeatedPages;
  /** Total records of the list and how many are listed, as of the last reading. */
  #shown: { readonly depth: number; readonly total: number | undefined } = {
    depth: 0,
    total: undefined,
  };

  /**
   * Estimated shift, in positions, where stretches of a list without totals missed the known
   * records.
   */
  #missedBy = 0;

  constructor(reading: Reading) {
    this.reader = new StretchReader(reading);
    this.ranks = new Ranks(reading);
    this.#repeats = new RepeatedPages(reading);
  }

  /** The first position that is not listed, as of the last reading. */
  get depth(): number {
    return this.#shown.depth;
  }

  get hasTotal(): boolean {
    return this.#shown.total !== undefined;
  }

  /** Whether the list has more records than the service lists. */
  get isCapped(): boolean {
    const { total, depth } = this.#shown;
    return total !== undefined && depth < total;
  }

  /** Whether the rank lies deeper than the service lists. */
  isBeyondDepth(rank: number): boolean {
    return this.isCapped && this.ranks.front - rank >= this.depth;
  }

  /**
   * Reads a stretch that begins at or before the position, and ranks it where the list has totals.
   */
  async read(position: number): Promise<PositionStretch> {
    const stretch = await this.reader.read(position);
    const { total, depth, records } = stretch;
    this.#shown = { depth, total };
    if (total !== undefined) {
      this.ranks.place(stretch);
      this.reader.sawFront(total);
      for (const rank of this.#repeats.doubted(stretch, this.reader.most)) {
        await this.readAgain(rank, records.length);
      }
    }
    return stretch;
  }

  /** Reads ranks of a list with totals again, in pages of another size. */
  async readAgain(first: number, count: number): Promise<void> {
    let rank = first;
    for (let i = 0; rank > first - count; i += 1) {
      if (i === MAX_IDLE) throw new OutpacedError('the list shifts faster than it can be read');
      const again = await this.reader.read(Math.max(0, this.ranks.front - rank), true);
      const top = this.ranks.place(again);
      if (top !== undefined && top >= rank) rank = Math.min(rank, top - again.records.length);
    }
  }

  /** Expected shift, in positions, of a record since the front was last known. */
  expectedShift(grown: number, idle: number): number {
    if (!this.hasTotal) return Math.floor(grown / 2) + this.#missedBy;
    return Math.floor(grown * (EXPECTED[idle % EXPECTED.length] ?? 0));
  }

  /** The rank of the stretch's first record; undefined where no record of it is known. */
  placed(stretch: PositionStretch): number | undefined {
    const first = this.ranks.place(stretch);
    if (first !== undefined) this.reader.sawFront(first + stretch.start);
    return first;
  }

  /**
   * Ranks a stretch that should contain the rank, in a list without totals. If it has no known
   * record, its heights show whether it lies before or behind the rank.
   */
  placeAt(stretch: PositionStretch, rank: number): number | undefined {
    const first = this.placed(stretch);
    if (first !== undefined) {
      this.#missedBy = 0;
      return first;
    }
    const oldest = stretch.heights.at(-1);
    const isInFront = oldest !== undefined && oldest >= (this.ranks.at(rank)?.height ?? 0);
    this.#missedBy += isInFront ? this.reader.most : -Math.ceil(this.reader.most / 2);
    return undefined;
  }
}

/**
 * Detects repeated pages in a list whose records have no identity. The same page at two positions
 * may be real, or one may be a repeat of the other. Reading both in pages of another size decides:
 * a repeated page then contradicts itself. Pages of one record have no smaller size, so there the
 * list is read again from its front.
 */
class RepeatedPages {
  readonly #reading: Reading;
  readonly #ranks = new Map<string, { readonly first: number; readonly isDoubted: boolean }>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /**
   * The first ranks of this page and of its earlier occurrence, where they must be read again in
   * pages of fewer than `size` records. Throws ContradictionError where there are none.
   */
  doubted({ records, total = 0, start }: PositionStretch, size: number): number[] {
    const { slice } = this.#reading;
    const [sample] = records;
    if (sample === undefined || identityOf(slice, sample) !== undefined) return [];
    const text = pageText(records);
    const rank = total - start;
    const { first, isDoubted } = this.#ranks.get(text) ?? { first: rank, isDoubted: false };
    const isRepeated = first !== rank;
    this.#ranks.set(text, { first, isDoubted: isDoubted || isRepeated });
    if (!isRepeated) return [];
    if (size === 1) throw new ContradictionError('two pages of one record are equal');
    return isDoubted ? [rank] : [first, rank];
  }
}
