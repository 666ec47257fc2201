import type { CanonicalRecord } from '../catalogue/record.ts';
import type { Interval } from '../plan/ranges.ts';
import type { RecordIndex } from './record-index.ts';
import { recordIndex } from './record-index.ts';
import type { Found, Naming, Query, Selection } from './source.ts';

/** Where the records of one axis come from. */
export interface Heights {
  /**
   * The records of any height from 0 up, by the name of their dataset; always the same ones but for
   * heights that were forgotten since.
   */
  recordsAt(height: number): Readonly<Record<string, readonly CanonicalRecord[]>>;
  /** So many heights are computed and indexed together, when one of them is first asked for. */
  readonly chunkBlocks: number;
  /** Has exactly one record a height, so that its pages follow from heights alone. */
  readonly dense: string;
  /** Whether the dense records are worth keeping, or computed again as fast as found. */
  readonly keepsDense: boolean;
  /** Columns whose hashes stand in the records of one height only. */
  readonly located: ReadonlySet<string>;
}

/** The records of one axis, computed as far as questions need them, and kept. */
export interface Chunks {
  /**
   * Indexes that hold all there is of what is asked, the newest first. Each is computed when the
   * one before has been looked at.
   */
  parts(asked: Selection): Iterable<RecordIndex>;
  /** The answer by arithmetic, where the dataset has one record a height; else undefined. */
  dense(query: Query): Found | undefined;
  /** Heights from here on hold other records than before; indexes given out so far are stale. */
  forget(from: number): void;
}

type Chunk = ReadonlyMap<string, RecordIndex>;

/** Nothing is computed yet. */
export function chunksOf(heights: Heights): Chunks {
  const { chunkBlocks, dense, located } = heights;
  const chunks = new Map<number, Chunk>();
  /** The chunk of every hash in the chunks computed so far. */
  const places = new Map<string, number>();

  const chunkAt = (number: number): Chunk => {
    const known = chunks.get(number);
    if (known !== undefined) return known;
    const records = recordsIn(heights, number);
    for (const list of records.values()) placeHashes(list, located, number, places);
    const built = new Map([...records].map(([name, list]) => [name, recordIndex(name, list)]));
    chunks.set(number, built);
    return built;
  };
  const numbersIn = function* ({ from, to }: Interval): Generator<number> {
    if (from > to) return;
    const oldest = Math.floor(from / chunkBlocks);
    for (let number = Math.floor(to / chunkBlocks); number >= oldest; number -= 1) yield number;
  };
  /** Chunks that are computed tell where a hash is; the others are tried, the newest first. */
  const numbersOf = (hashes: readonly string[], interval: Interval): readonly number[] => {
    const missing = new Set(hashes.filter((hash) => !places.has(hash)));
    for (const number of numbersIn(interval)) {
      if (missing.size === 0) break;
      chunkAt(number);
      for (const hash of missing) if (places.has(hash)) missing.delete(hash);
    }
    const found = hashes.flatMap((hash) => places.get(hash) ?? []);
    return [...new Set(found)].sort((a, b) => b - a);
  };

  return {
    parts: function* (asked) {
      const hashes = hashesIn(asked, located);
      const numbers =
        hashes === undefined ? numbersIn(asked.interval) : numbersOf(hashes, asked.interval);
      for (const number of numbers) {
        const index = chunkAt(number).get(asked.dataset);
        if (index !== undefined) yield index;
        else if (asked.dataset === dense) yield denseIndex(heights, number);
      }
    },
    dense: (query) => {
      const { dataset, interval, keys, filters, bounds, offset, count } = query;
      const isPlain = keys === undefined && filters.length === 0 && bounds.length === 0;
      if (dataset !== dense || !isPlain) return undefined;
      const total = Math.max(0, interval.to - interval.from + 1);
      const records: CanonicalRecord[] = [];
      const last = Math.max(interval.from, interval.to - offset - count + 1);
      for (let height = interval.to - offset; height >= last; height -= 1) {
        const kept = chunks.get(Math.floor(height / chunkBlocks))?.get(dense);
        const record = kept?.record(height % chunkBlocks) ?? heights.recordsAt(height)[dense]?.[0];
        if (record !== undefined) records.push(record);
      }
      return { total, records };
    },
    forget: (from) => {
      const first = Math.floor(from / chunkBlocks);
      for (const number of chunks.keys()) if (number >= first) chunks.delete(number);
      for (const [hash, number] of places) if (number >= first) places.delete(hash);
    },
  };
}

/** All records of a chunk, by dataset, oldest first. */
function recordsIn(heights: Heights, number: number): Map<string, CanonicalRecord[]> {
  const records = new Map<string, CanonicalRecord[]>();
  const first = number * heights.chunkBlocks;
  for (let height = first; height < first + heights.chunkBlocks; height += 1) {
    for (const [dataset, added] of Object.entries(heights.recordsAt(height))) {
      if (dataset === heights.dense && !heights.keepsDense) continue;
      const list = records.get(dataset) ?? [];
      list.push(...added);
      records.set(dataset, list);
    }
  }
  return records;
}

function denseIndex({ recordsAt, chunkBlocks, dense }: Heights, number: number): RecordIndex {
  const records = Array.from(
    { length: chunkBlocks },
    (_, nth) => recordsAt(number * chunkBlocks + nth)[dense] ?? [],
  );
  return recordIndex(dense, records.flat());
}

function placeHashes(
  records: readonly CanonicalRecord[],
  columns: ReadonlySet<string>,
  number: number,
  places: Map<string, number>,
): void {
  for (const record of records) {
    for (const column of columns) {
      const hash = record[column];
      if (typeof hash === 'string') places.set(hash, number);
    }
  }
}

/** The hashes of which every record asked for names one, or undefined where others agree too. */
function hashesIn(asked: Selection, located: ReadonlySet<string>): readonly string[] | undefined {
  const isLocated = ({ columns }: Naming): boolean => columns.every((each) => located.has(each));
  const namings = asked.keys === undefined ? asked.filters : [asked.keys, ...asked.filters];
  return namings.find(isLocated)?.values;
}
