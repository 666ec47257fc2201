import type { WireRecord } from '../../../catalogue/record.ts';
import { capOf, readIfShown, readPage } from '../pages.ts';
import type { Reading } from '../walk.ts';
import { contentOf, heightOf, identityOf } from '../wire.ts';

/**
 * Places in a list that grows in front. Positions count from the front and move with every new
 * record; ranks count from the end and stay: rank = rank in front - position.
 */

/** What was read contradicts itself, or what was asked; the walk begins anew. */
export class Torn extends Error {}

/** The list moved faster than it could be read. */
export class Outrun extends Error {}

/** Consecutive records of the list, as of one moment. */
export interface PositionStretch {
  /** Position of the first one. */
  readonly start: number;
  readonly records: readonly WireRecord[];
  readonly heights: readonly number[];
  /** How many records the list had at that moment, where it says so. */
  readonly total: number | undefined;
  /** Positions from here on were not listed; an upper bound where the list has no total. */
  readonly reach: number;
  /** Nothing is listed behind it. */
  readonly isLast: boolean;
}

/**
 * Of all pages of up to `most` records that begin at `position` or before it, the one that
 * reaches furthest behind it.
 */
export function pageReaching(position: number, most: number): { page: number; limit: number } {
  let best = { page: 1, limit: most };
  let furthest = 0;
  for (let limit = most; limit >= Math.max(1, most / 2); limit -= 1) {
    const page = Math.floor(position / limit) + 1;
    if (page * limit <= furthest) continue;
    furthest = page * limit;
    best = { page, limit };
  }
  return best;
}

/**
 * Where to look next for a boundary between two positions; beyond `low` while `high` is open. Near
 * to `low` it is from a record above the height on, so that the boundary is seen from both sides.
 */
export function positionIn(low: number, high: number, step: number, most: number): number {
  const last = Math.max(0, low - 1);
  if (high === Number.POSITIVE_INFINITY) return last + step;
  return high - low < most / 2 ? last : (low + high) >> 1;
}

interface Front {
  readonly rank: number;
  /** Number of the request that showed it. */
  readonly request: number;
}

/** Reads stretches of one list, and checks each against what was asked. */
export class StretchReader {
  readonly #reading: Reading;
  readonly #cap: number;
  /** Positions from here on were refused. */
  #shown = Number.POSITIVE_INFINITY;
  /** The list says how many records it has. */
  #isCounted = false;
  #most: number;
  #requests = 0;
  /** The rank in front when it was first known and when it was last known. */
  #fronts: { readonly first: Front; readonly last: Front } | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#cap = capOf(reading.endpoint, reading.settings);
    this.#most = reading.limit;
  }

  /** Most records of a stretch. */
  get most(): number {
    return this.#most;
  }

  /** How many records will have come, since the front was last known, with so many requests. */
  grownBy(requests: number): number {
    if (this.#fronts === undefined) return 0;
    const { first, last } = this.#fronts;
    const perRequest = (last.rank - first.rank) / Math.max(1, last.request - first.request);
    return perRequest * (this.#requests - last.request + requests);
  }

  /** Told of the rank in front whenever a stretch says it. */
  sawFront(rank: number): void {
    const seen = { rank, request: this.#requests };
    const { first, last } = this.#fronts ?? { first: seen, last: seen };
    this.#fronts = { first, last: rank < last.rank ? { ...seen, rank: last.rank } : seen };
  }

  /**
   * The stretch that begins at the position, or before it, and reaches furthest. With `isOtherwise`
   * in pages of another size.
   */
  async read(position: number, isOtherwise = false): Promise<PositionStretch> {
    const most = isOtherwise ? Math.max(1, this.#most - 1) : this.#most;
    const { page, limit } = pageReaching(position, most);
    this.#requests += 1;
    const reading = { ...this.#reading, limit };
    // Without a total, a list that is cut off would look as if it ended.
    const mayBeCut = this.#isCounted && page > 1;
    const reply = mayBeCut ? await readIfShown(reading, page) : await readPage(reading, page);
    if (reply === undefined) {
      this.#shown = Math.min(this.#shown, (page - 1) * limit);
      return this.read(Math.min(position, this.#shown - 1), isOtherwise);
    }
    const { totalPage = 0, total } = reply;
    const records = reply.records.slice(0, Math.max(0, this.#shown - (page - 1) * limit));
    this.#isCounted = total !== undefined;
    const size = reply.limit === undefined || reply.limit === 0 ? limit : reply.limit;
    if (totalPage === 0) {
      if (records.length > 0) throw new Torn('records came with a page count of zero');
      const before = this.#fronts?.last.rank ?? 0;
      if (before > 0) throw new Torn(`the list is empty, and had ${before} records before`);
      return { start: 0, records, heights: [], total, reach: 0, isLast: true };
    }
    if (size < limit) {
      this.#most = size;
      return this.read(position);
    }
    if (size > limit) throw new Torn(`pages of ${limit} were asked and pages of ${size} came`);
    // Some services answer a page behind the last one with the last one.
    const isLastAgain = reply.page === totalPage && totalPage < page;
    if (reply.page !== page && !isLastAgain) {
      throw new Torn(`page ${page} was asked and page ${reply.page} came`);
    }
    const shown = isLastAgain ? totalPage : page;
    const start = (shown - 1) * limit;
    const isLast = shown >= totalPage;
    // Fewer pages than the total needs: the last one says how deep the service lists.
    const isCutOff = total !== undefined && totalPage * limit < total;
    const deepest = isCutOff && isLast ? start + records.length : totalPage * limit;
    const reach = Math.min(total ?? Number.POSITIVE_INFINITY, deepest, this.#cap, this.#shown);
    checkCount(records.length, { start, limit, reach, isLast, isExact: total !== undefined });
    return { start, records, heights: this.#heights(records), total, reach, isLast };
  }

  #heights(records: readonly WireRecord[]): number[] {
    return records.map((record) => {
      const height = heightOf(this.#reading.endpoint, record);
      if (height === undefined) throw new Torn('a record without a height was listed');
      return height;
    });
  }
}

function checkCount(
  count: number,
  of: {
    readonly start: number;
    readonly limit: number;
    readonly reach: number;
    readonly isLast: boolean;
    readonly isExact: boolean;
  },
): void {
  const due = Math.max(0, Math.min(of.limit, of.reach - of.start));
  // Without a total the last page holds as many as there are.
  const isFitting = of.isExact || !of.isLast ? count === due : count <= due;
  if (!isFitting) throw new Torn(`a page with ${due} records due held ${count}`);
}

interface Placed {
  readonly record: WireRecord;
  readonly height: number;
}

/** Records by rank, each taken once, from stretches read at different moments. */
export class Ranks {
  readonly #reading: Reading;
  readonly #byRank = new Map<number, Placed>();
  readonly #rankOf = new Map<string, number>();
  #front = 0;
  #end = Number.NEGATIVE_INFINITY;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Rank of the newest record at the latest moment seen. */
  get front(): number {
    return this.#front;
  }

  /** The list showed nothing below this rank when it was last seen to its end. */
  get end(): number {
    return this.#end;
  }

  at(rank: number): Placed | undefined {
    return this.#byRank.get(rank);
  }

  all(): IterableIterator<Placed> {
    return this.#byRank.values();
  }

  /**
   * The rank of the stretch's first record: by the total, or by a record that is already placed.
   * undefined where neither says; then nothing is taken of it. The first stretch of a list without
   * totals is placed anywhere. Throws Torn where it contradicts what was read before.
   */
  place(stretch: PositionStretch): number | undefined {
    const { records, heights, total, start } = stretch;
    const front = total ?? this.#frontBy(stretch);
    if (front === undefined) {
      this.#checkMissing(heights);
      return undefined;
    }
    this.#front = Math.max(this.#front, front);
    const first = front - start;
    for (const [i, record] of records.entries()) {
      this.#take(first - i, { record, height: heights[i] ?? 0 });
    }
    if (total !== undefined) this.#end = 1;
    else if (stretch.isLast) this.#end = Math.max(this.#end, first - records.length + 1);
    return first;
  }

  #frontBy({ records, start }: PositionStretch): number | undefined {
    if (this.#byRank.size === 0) return 0;
    const { endpoint, slice } = this.#reading;
    for (const [i, record] of records.entries()) {
      const name = identityOf(endpoint, slice, record);
      const rank = name === undefined ? undefined : this.#rankOf.get(name);
      if (rank !== undefined) return rank + i + start;
    }
    return undefined;
  }

  /** Records that are known, and that a stretch around their height does not hold, are gone. */
  #checkMissing(heights: readonly number[]): void {
    const highest = heights.at(0) ?? 0;
    const lowest = heights.at(-1) ?? 0;
    for (const { height } of this.#byRank.values()) {
      if (height < highest && height > lowest) {
        throw new Torn('a record that was listed before is not listed any more');
      }
    }
  }

  #take(rank: number, placed: Placed): void {
    const { endpoint, slice } = this.#reading;
    const known = this.#byRank.get(rank);
    if (known !== undefined) {
      if (contentOf(endpoint, known.record) !== contentOf(endpoint, placed.record)) {
        throw new Torn('the list changed elsewhere than in front while it was read');
      }
      return;
    }
    const name = identityOf(endpoint, slice, placed.record);
    if (name !== undefined) {
      if (this.#rankOf.has(name)) throw new Torn('a record is listed in two places');
      this.#rankOf.set(name, rank);
    }
    this.#byRank.set(rank, placed);
  }
}
