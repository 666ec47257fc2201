import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { capOf, readIfShown, readPage } from '../pages.ts';
import { contentOf, identityOf } from '../record-reader.ts';
import type { Reading } from '../walk.ts';

/**
 * Positions and ranks in a list that grows at its front. Positions count from the front and shift
 * with every new record. Ranks count from the end and stay: rank = rank at the front - position.
 */

/** The records contradict each other or the request; the walk restarts. */
export class ContradictionError extends Error {}

/** The list shifted faster than it could be read. */
export class OutpacedError extends Error {}

/** Consecutive records of the list at one moment. */
export interface PositionStretch {
  /** Position of the first one. */
  readonly start: number;
  readonly records: readonly ListedRecord[];
  readonly heights: readonly number[];
  /** Total records of the list at that moment, where the reply has it. */
  readonly total: number | undefined;
  /** The first position that was not listed; an upper bound where the list has no total. */
  readonly depth: number;
  /** No record is listed behind this stretch. */
  readonly isLast: boolean;
}

/**
 * The page that ends furthest behind `position`, of all pages of at most `most` records that begin
 * at or before it.
 */
export function pageCovering(position: number, most: number): { page: number; limit: number } {
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
 * The next position in the search for a boundary between two positions, or beyond `low` while
 * `high` is infinite. Near `low` it includes a record above the height, so that one stretch shows
 * both sides of the boundary.
 */
export function positionIn(low: number, high: number, step: number, most: number): number {
  const last = Math.max(0, low - 1);
  if (high === Number.POSITIVE_INFINITY) return last + step;
  return high - low < most / 2 ? last : (low + high) >> 1;
}

interface Front {
  readonly rank: number;
  /** Number of the request that returned it. */
  readonly request: number;
}

/** Reads stretches of one list and verifies each against its request. */
export class StretchReader {
  readonly #reading: Reading;
  readonly #cap: number;
  /** The first position that the service refused. */
  #shown = Number.POSITIVE_INFINITY;
  /** The list has totals. */
  #isCounted = false;
  #listed = 0;
  #most: number;
  #requests = 0;
  /** The first and the last known rank at the front. */
  #fronts: { readonly first: Front; readonly last: Front } | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#cap = capOf(reading.endpoint, reading.settings);
    this.#most = reading.limit;
  }

  /** Most records per stretch. */
  get most(): number {
    return this.#most;
  }

  /** Most records that an answer listed or counted, whether it could be used or not. */
  get listed(): number {
    return this.#listed;
  }

  /** Expected new records since the front was last known, after `requests` more requests. */
  grownBy(requests: number): number {
    if (this.#fronts === undefined) return 0;
    const { first, last } = this.#fronts;
    const perRequest = (last.rank - first.rank) / Math.max(1, last.request - first.request);
    return perRequest * (this.#requests - last.request + requests);
  }

  /** Called with the rank at the front whenever a stretch shows it. */
  sawFront(rank: number): void {
    const seen = { rank, request: this.#requests };
    const { first, last } = this.#fronts ?? { first: seen, last: seen };
    this.#fronts = { first, last: rank < last.rank ? { ...seen, rank: last.rank } : seen };
  }

  /**
   * Reads the stretch that begins at or before the position and ends furthest behind it. With
   * `isOtherwise` it uses pages of another size.
   */
  async read(position: number, isOtherwise = false): Promise<PositionStretch> {
    const most = isOtherwise ? Math.max(1, this.#most - 1) : this.#most;
    const { page, limit } = pageCovering(position, most);
    this.#requests += 1;
    const reading = { ...this.#reading, limit };
    // Without a total, a list cut at a cap would look complete.
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
    this.#listed = Math.max(this.#listed, total ?? records.length);
    if (totalPage === 0) {
      if (records.length > 0)
        throw new ContradictionError('a page count of zero came with records');
      if (this.#listed > 0) {
        const { endpoint, settings } = this.#reading;
        settings.facts.sawAnswer(endpoint.path, false);
        throw new ContradictionError(`the list is empty, but had ${this.#listed} records before`);
      }
      return { start: 0, records, heights: [], total, depth: 0, isLast: true };
    }
    if (size < limit) {
      this.#most = size;
      return this.read(position);
    }
    if (size > limit)
      throw new ContradictionError(
        `pages of ${limit} were requested and pages of ${size} returned`,
      );
    // Some services answer a page after the last one with the last one.
    const isLastAgain = reply.page === totalPage && totalPage < page;
    if (reply.page !== page && !isLastAgain) {
      throw new ContradictionError(`page ${page} was requested and page ${reply.page} returned`);
    }
    const shown = isLastAgain ? totalPage : page;
    const start = (shown - 1) * limit;
    const isLast = shown >= totalPage;
    // Fewer pages than the total needs: the last page shows how deep the service lists.
    const isCutOff = total !== undefined && totalPage * limit < total;
    const deepest = isCutOff && isLast ? start + records.length : totalPage * limit;
    const depth = Math.min(total ?? Number.POSITIVE_INFINITY, deepest, this.#cap, this.#shown);
    checkCount(records.length, { start, limit, depth, isLast, isExact: total !== undefined });
    return { start, records, heights: this.#heights(records), total, depth, isLast };
  }

  #heights(records: readonly ListedRecord[]): number[] {
    return records.map((record) => {
      const height = record.height;
      if (height === undefined)
        throw new ContradictionError('a record without a height was listed');
      return height;
    });
  }
}

function checkCount(
  count: number,
  page: {
    readonly start: number;
    readonly limit: number;
    readonly depth: number;
    readonly isLast: boolean;
    readonly isExact: boolean;
  },
): void {
  const due = Math.max(0, Math.min(page.limit, page.depth - page.start));
  // Without a total the last page may be partly filled.
  const isFitting = page.isExact || !page.isLast ? count === due : count <= due;
  if (!isFitting) throw new ContradictionError(`a page that must have ${due} records has ${count}`);
}

interface RankedRecord {
  readonly record: ListedRecord;
  readonly height: number;
}

/** Records by rank, each kept once, from stretches read at different moments. */
export class Ranks {
  readonly #reading: Reading;
  readonly #byRank = new Map<number, RankedRecord>();
  readonly #rankOf = new Map<string, number>();
  #front = 0;
  #end = Number.NEGATIVE_INFINITY;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Rank of the newest record at the latest moment. */
  get front(): number {
    return this.#front;
  }

  /** The lowest rank when the list was last read to its end. */
  get end(): number {
    return this.#end;
  }

  at(rank: number): RankedRecord | undefined {
    return this.#byRank.get(rank);
  }

  all(): IterableIterator<RankedRecord> {
    return this.#byRank.values();
  }

  /**
   * Ranks a stretch by its total, or by a record with a known rank, and returns the rank of its
   * first record; undefined where it has neither, and then no record is kept. The first stretch of
   * a list without totals gets an arbitrary rank. Throws ContradictionError where it contradicts
   * earlier records.
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
    const { slice } = this.#reading;
    for (const [i, record] of records.entries()) {
      const name = identityOf(slice, record);
      const rank = name === undefined ? undefined : this.#rankOf.get(name);
      if (rank !== undefined) return rank + i + start;
    }
    return undefined;
  }

  /** Known records that are missing in a stretch around their height no longer exist. */
  #checkMissing(heights: readonly number[]): void {
    const highest = heights.at(0) ?? 0;
    const lowest = heights.at(-1) ?? 0;
    for (const { height } of this.#byRank.values()) {
      if (height < highest && height > lowest) {
        throw new ContradictionError('a record that was listed before is missing');
      }
    }
  }

  #take(rank: number, placed: RankedRecord): void {
    const { slice } = this.#reading;
    const rankedRecord = this.#byRank.get(rank);
    if (rankedRecord !== undefined) {
      if (contentOf(rankedRecord.record) !== contentOf(placed.record)) {
        throw new ContradictionError('the list changed behind its front while it was read');
      }
      return;
    }
    const name = identityOf(slice, placed.record);
    if (name !== undefined) {
      if (this.#rankOf.has(name)) throw new ContradictionError('a record has two positions');
      this.#rankOf.set(name, rank);
    }
    this.#byRank.set(rank, placed);
  }
}
