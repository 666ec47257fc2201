import type { WireRecord } from '../../../catalogue/record.ts';
import type { Reading } from '../walk.ts';
import { Outrun, type PositionStretch, Ranks, StretchReader } from './positions.ts';
import { TwinPages } from './repeated-pages.ts';

/** How often a stretch may bring nothing new before the walk gives up. */
export const MAX_IDLE = 40;
/** Shares of the growth to expect, tried in turn while stretches bring nothing. */
const EXPECTED = [0.5, 1, 0.25, 0.75, 0, 1.5];

/** A list that is newest first and grows in front: what was read of it, and where that lies. */
export class MovingList {
  readonly ranks: Ranks;
  readonly #reader: StretchReader;
  readonly #twins: TwinPages;
  readonly #seen: WireRecord[] = [];
  #newest: number | undefined;
  /** Records the list has, and how many of them it shows; as of the latest look. */
  #shown: { readonly reach: number; readonly total: number | undefined } = {
    reach: 0,
    total: undefined,
  };

  /** Positions by which stretches of a list without totals missed what is known. */
  #missedBy = 0;

  constructor(reading: Reading) {
    this.#reader = new StretchReader(reading);
    this.ranks = new Ranks(reading);
    this.#twins = new TwinPages(reading);
  }

  /** Most records of a stretch. */
  get most(): number {
    return this.#reader.most;
  }

  /** What was read so far, wherever it lies: a sample of the list. */
  get seen(): readonly WireRecord[] {
    return this.#seen;
  }

  /** Newest height of the list when it was first looked at. */
  get newest(): number | undefined {
    return this.#newest;
  }

  /** Positions from here on are not listed; as of the latest look. */
  get reach(): number {
    return this.#shown.reach;
  }

  get hasTotal(): boolean {
    return this.#shown.total !== undefined;
  }

  /** Whether the list has more records than the service shows of it. */
  get isCapped(): boolean {
    const { total, reach } = this.#shown;
    return total !== undefined && reach < total;
  }

  /** Whether the rank lies deeper than the service lists. */
  isSunk(rank: number): boolean {
    return this.isCapped && this.ranks.front - rank >= this.reach;
  }

  /** The stretch that begins at the position, or before it; placed where the list has totals. */
  async read(position: number): Promise<PositionStretch> {
    const stretch = await this.#reader.read(position);
    const { total, reach, heights, records, start } = stretch;
    for (const record of records) this.#seen.push(record);
    if (start === 0) this.#newest ??= heights[0];
    this.#shown = { reach, total };
    if (total !== undefined) {
      this.ranks.place(stretch);
      this.#reader.sawFront(total);
      for (const rank of this.#twins.doubted(stretch)) await this.readAgain(rank, records.length);
    }
    return stretch;
  }

  /** Reads ranks of a list with totals once more, in pages of another size. */
  async readAgain(first: number, count: number): Promise<void> {
    let rank = first;
    for (let i = 0; rank > first - count; i += 1) {
      if (i === MAX_IDLE) throw new Outrun('the list moves faster than it can be read');
      const again = await this.#reader.read(Math.max(0, this.ranks.front - rank), true);
      const top = this.ranks.place(again);
      if (top !== undefined && top >= rank) rank = Math.min(rank, top - again.records.length);
    }
  }

  /** How many records will have come, since the front was last known, with so many requests. */
  grownBy(requests: number): number {
    return this.#reader.grownBy(requests);
  }

  /** How much deeper than when the front was last known a record is believed to lie. */
  sinking(grown: number, idle: number): number {
    if (!this.hasTotal) return Math.floor(grown / 2) + this.#missedBy;
    return Math.floor(grown * (EXPECTED[idle % EXPECTED.length] ?? 0));
  }

  /** The rank of a stretch's first record; undefined where nothing of it is known. */
  placed(stretch: PositionStretch): number | undefined {
    const first = this.ranks.place(stretch);
    if (first !== undefined) this.#reader.sawFront(first + stretch.start);
    return first;
  }

  /**
   * Places a stretch that should hold the rank, in a list without totals. Where it holds nothing
   * known, its heights say whether it lies in front of the rank or behind it.
   */
  placeAt(stretch: PositionStretch, rank: number): number | undefined {
    const first = this.placed(stretch);
    if (first !== undefined) {
      this.#missedBy = 0;
      return first;
    }
    const oldest = stretch.heights.at(-1);
    const isInFront = oldest !== undefined && oldest >= (this.ranks.at(rank)?.height ?? 0);
    this.#missedBy += isInFront ? this.most : -Math.ceil(this.most / 2);
    return undefined;
  }
}
