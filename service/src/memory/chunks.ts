import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';
import type { TimeSlices } from '../protocol/time-slices.ts';
import { recentAnswers } from '../simulated/primitives/recent.ts';
import { computedOnce, Recent } from './recent.ts';
import { type Matches, type RecordIndex, recordIndex } from './record-index.ts';

/** The origin of an axis's records. */
export interface Heights {
  /** The records of any height from 0 up, by the name of their dataset; deterministic. */
  recordsAt(height: number): Readonly<Record<string, readonly CanonicalRecord[]>>;
  /** Number of heights that are computed and indexed together on first use. */
  readonly chunkBlocks: number;
  /** Chunks that are kept. Others are computed again on use. */
  readonly mostChunks: number;
  /** The dataset with exactly one record a height, whose pages follow from heights alone. */
  readonly dense: string;
  /** Columns with hashes that each occur in the records of one height only. */
  readonly located: readonly string[];
}

/** Neighbouring heights. */
interface Chunk {
  /** Indexes by dataset. */
  readonly indexes: ReadonlyMap<string, RecordIndex>;
  /** The values of all located columns. */
  readonly hashes: ReadonlySet<unknown>;
}
type KeptChunks = Recent<Promise<Chunk>>;

/** The matches of a selection in one chunk. */
interface Part {
  readonly number: number;
  readonly matches: Matches;
}

/**
 * Number of queries whose matches are cached: walks request many pages of few queries at a time.
 */
const KEPT_QUERIES = 64;
/** Single heights whose records are cached, for lists of the dense dataset. */
const KEPT_HEIGHTS = 4096;

/**
 * The records of one axis, computed and indexed on demand in chunks of neighbouring heights. The
 * matches of a query are found once, and kept for its next pages.
 */
export class Chunks {
  readonly #heights: Heights;
  readonly #slices: TimeSlices;
  readonly #kept: KeptChunks;
  readonly #recordsAt: Heights['recordsAt'];
  readonly #queries = new Recent<Promise<readonly Part[]>>(KEPT_QUERIES);

  constructor(heights: Heights, slices: TimeSlices, kept?: KeptChunks) {
    this.#heights = heights;
    this.#slices = slices;
    this.#kept = kept ?? new Recent(heights.mostChunks);
    this.#recordsAt = recentAnswers(heights.recordsAt, KEPT_HEIGHTS);
  }

  async find({ offset, count, ...query }: Query): Promise<Found> {
    if (isOfHeights(query) && query.dataset === this.#heights.dense) {
      return this.#denseRecords(query.interval, offset, count);
    }
    const parts = await this.#partsOf(query);
    const records: CanonicalRecord[] = [];
    let skip = offset;
    for (const { number, matches } of parts) {
      if (records.length >= count) break;
      let at = matches.length - 1 - skip;
      skip = Math.max(0, skip - matches.length);
      if (at < 0) continue;
      const index = (await this.#chunkAt(number)).indexes.get(query.dataset);
      for (; index !== undefined && at >= 0 && records.length < count; at -= 1) {
        records.push(index.record(matches.at(at)));
      }
    }
    return { total: parts.reduce((sum, { matches }) => sum + matches.length, 0), records };
  }

  /** The first record that a selection lists, without a search for the others. */
  async newest(query: Selection): Promise<CanonicalRecord | undefined> {
    for await (const { index, matches } of this.#search(query)) {
      return index.record(matches.at(matches.length - 1));
    }
    return undefined;
  }

  /** Chunks with these records below a height, and others from there on. These stay unchanged. */
  forked(from: number, recordsAt: Heights['recordsAt']): Chunks {
    const { chunkBlocks } = this.#heights;
    const kept = this.#kept.where((key) => (Number(key) + 1) * chunkBlocks <= from);
    return new Chunks({ ...this.#heights, recordsAt }, this.#slices, kept);
  }

  #partsOf(query: Selection): Promise<readonly Part[]> {
    return computedOnce(this.#queries, JSON.stringify(query), async () => {
      const parts: Part[] = [];
      for await (const { number, matches } of this.#search(query)) parts.push({ number, matches });
      return parts;
    });
  }

  /** Chunks with selected records, the newest first, each computed when the caller needs it. */
  async *#search(query: Selection): AsyncGenerator<Part & { readonly index: RecordIndex }> {
    const hashes = this.#hashesIn(query);
    const numbers =
      hashes === undefined
        ? this.#numbersIn(query.interval)
        : await this.#numbersWith(hashes, query.interval);
    for (const number of numbers) {
      await this.#pause();
      const index = (await this.#chunkAt(number)).indexes.get(query.dataset);
      const matches = index?.match(query);
      if (index !== undefined && matches !== undefined && matches.length > 0) {
        yield { number, index, matches };
      }
    }
  }

  *#numbersIn({ from, to }: Interval): Generator<number> {
    if (from > to) return;
    const { chunkBlocks } = this.#heights;
    const oldest = Math.floor(from / chunkBlocks);
    for (let number = Math.floor(to / chunkBlocks); number >= oldest; number -= 1) yield number;
  }

  /** Chunks with one of the hashes: computed chunks are searched before others are computed. */
  async #numbersWith(hashes: readonly string[], interval: Interval): Promise<number[]> {
    const missing = new Set(hashes);
    const hits = new Set<number>();
    const numbers = [...this.#numbersIn(interval)];
    const there = numbers.filter((number) => this.#kept.get(String(number)) !== undefined);
    for (const number of new Set([...there, ...numbers])) {
      if (missing.size === 0) break;
      await this.#pause();
      const chunk = await this.#chunkAt(number);
      for (const hash of missing) {
        if (!chunk.hashes.has(hash)) continue;
        missing.delete(hash);
        hits.add(number);
      }
    }
    return [...hits].sort((a, b) => b - a);
  }

  /** The hashes of which every selected record names one; undefined if other records match too. */
  #hashesIn({ keys, filters }: Selection): readonly string[] | undefined {
    const isLocated = ({ columns }: Naming): boolean =>
      columns.every((column) => this.#heights.located.includes(column));
    return (keys === undefined ? filters : [keys, ...filters]).find(isLocated)?.values;
  }

  #chunkAt(number: number): Promise<Chunk> {
    return computedOnce(this.#kept, String(number), () => this.#computed(number));
  }

  async #computed(number: number): Promise<Chunk> {
    const { chunkBlocks, located } = this.#heights;
    const records = new Map<string, CanonicalRecord[]>();
    for (let height = number * chunkBlocks; height < (number + 1) * chunkBlocks; height += 1) {
      await this.#pause();
      for (const [dataset, added] of Object.entries(this.#recordsAt(height))) {
        const rows = records.get(dataset) ?? [];
        records.set(dataset, rows);
        rows.push(...added);
      }
    }
    const all = [...records.values()].flat();
    return {
      indexes: new Map([...records].map(([name, rows]) => [name, recordIndex(name, rows)])),
      hashes: new Set(located.flatMap((column) => all.map((record) => record[column]))),
    };
  }

  async #denseRecords({ from, to }: Interval, offset: number, count: number): Promise<Found> {
    const newest = to - offset;
    const records: CanonicalRecord[] = [];
    for (let height = newest; height >= Math.max(from, newest - count + 1); height -= 1) {
      await this.#pause();
      records.push(...(this.#recordsAt(height)[this.#heights.dense] ?? []));
    }
    return { total: Math.max(0, to - from + 1), records };
  }

  /** Lets other requests run if the slice is over. */
  async #pause(): Promise<void> {
    if (this.#slices.isOver()) await this.#slices.next();
  }
}

function isOfHeights({ keys, filters, bounds }: Selection): boolean {
  return keys === undefined && filters.length === 0 && bounds.length === 0;
}
