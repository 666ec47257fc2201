import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { partyColumns } from '../protocol/record-values.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';
import type { TimeSlices } from '../protocol/time-slices.ts';
import type { ChunkColumns } from './chunk-columns.ts';
import { ColumnsBuilder, Marks } from './chunk-columns.ts';
import type { ChunkRecords } from './chunk-matching.ts';
import { positionOfHash } from './chunk-matching.ts';
import { HeightCache } from './height-cache.ts';

/** The origin of an axis's records. */
export interface Heights {
  /** The records of any height from 0 up, by the name of their dataset; deterministic. */
  recordsAt(height: number): Readonly<Record<string, readonly CanonicalRecord[]>>;
  /** Number of heights that are computed and indexed together on first use; at most 65,536. */
  readonly chunkBlocks: number;
  /** Number of heights whose records are cached. */
  readonly keptHeights: number;
  /** Size limit of cached columns, in bytes. Evicted columns are computed again on use. */
  readonly mostBytes: number;
  /** The dataset with exactly one record a height, whose pages follow from heights alone. */
  readonly dense: string;
  /** Columns with hashes that each occur in the records of one height only. */
  readonly located: ReadonlySet<string>;
}

/** The records of one axis, computed on demand. */
export interface Chunks {
  /**
   * The chunks that may contain selected records, the newest first. Each is computed when the
   * caller has finished with the one before.
   */
  parts(asked: Selection): AsyncIterable<ChunkRecords>;
  /** The part of the dataset that begins at this height, computed again if it was evicted. */
  part(dataset: string, first: number): Promise<ChunkRecords>;
  /** The answer by arithmetic, if the dataset has one record a height; otherwise undefined. */
  dense(query: Query): Promise<Found> | undefined;
  /**
   * Chunks with these records below a height, and others from there on. These stay unchanged.
   */
  forked(from: number, recordsAt: Heights['recordsAt']): Chunks;
}

/** Columns by dataset; none for the dense one, whose positions are its heights. */
interface Chunk {
  readonly columns: ReadonlyMap<string, ChunkColumns>;
  readonly bytes: number;
}

/** The parts that a fork shares with its origin. */
interface Shared {
  readonly marks: Marks;
  readonly chunks: ReadonlyMap<number, Chunk>;
  readonly kept: HeightCache;
}

/** Lazily computes and caches the chunks of an axis. */
export function chunksOf(heights: Heights, slices: TimeSlices, shared?: Shared): Chunks {
  const { chunkBlocks, dense, located } = heights;
  const marks = shared?.marks ?? new Marks();
  const kept = shared?.kept ?? new HeightCache(heights.recordsAt, heights.keptHeights);
  /** The least recently used comes first. */
  const chunks = new Map<number, Chunk>(shared?.chunks);
  const coming = new Map<number, Promise<Chunk>>();
  let bytes = [...chunks.values()].reduce((sum, chunk) => sum + chunk.bytes, 0);
  const ofDense = denseColumns(chunkBlocks);

  const keep = (number: number, chunk: Chunk): void => {
    chunks.set(number, chunk);
    bytes += chunk.bytes;
    for (const [oldest, old] of chunks) {
      if (bytes <= heights.mostBytes || oldest === number) break;
      chunks.delete(oldest);
      bytes -= old.bytes;
    }
  };
  const computed = async (number: number): Promise<Chunk> => {
    const builders = new Map<string, ColumnsBuilder>();
    for (let above = 0; above < chunkBlocks; above += 1) {
      if (slices.isOver()) await slices.next();
      const records = kept.fill(number * chunkBlocks + above);
      for (const [dataset, added] of Object.entries(records)) {
        if (dataset === dense) continue;
        const builder = builders.get(dataset) ?? new ColumnsBuilder(dataset, marks);
        builders.set(dataset, builder);
        builder.add(added, above);
      }
    }
    const columns = new Map([...builders].map(([name, builder]) => [name, builder.columns()]));
    const sizes = [...columns.values()].map((each) => each.bytes);
    return { columns, bytes: sizes.reduce((sum, each) => sum + each, 0) };
  };
  const chunkAt = async (number: number): Promise<Chunk> => {
    const known = chunks.get(number);
    if (known !== undefined) {
      chunks.delete(number);
      chunks.set(number, known);
      return known;
    }
    const before = coming.get(number);
    if (before !== undefined) return before;
    const chunk = computed(number);
    coming.set(number, chunk);
    try {
      const done = await chunk;
      keep(number, done);
      return done;
    } finally {
      coming.delete(number);
    }
  };
  const recordsIn = async (dataset: string, number: number): Promise<ChunkRecords | undefined> => {
    const first = number * chunkBlocks;
    const columns = dataset === dense ? ofDense : (await chunkAt(number)).columns.get(dataset);
    if (columns === undefined) return undefined;
    return {
      columns,
      marks,
      first,
      parties: partyColumns(dataset),
      record: (position) => recordAt(kept, dataset, first, columns.heights, position),
    };
  };
  const numbersIn = function* ({ from, to }: Interval): Generator<number> {
    if (from > to) return;
    const oldest = Math.floor(from / chunkBlocks);
    for (let number = Math.floor(to / chunkBlocks); number >= oldest; number -= 1) yield number;
  };
  const hasHash = async (number: number, hash: string): Promise<boolean> => {
    for (const dataset of (await chunkAt(number)).columns.keys()) {
      const of = await recordsIn(dataset, number);
      for (const column of located) {
        if (of !== undefined && positionOfHash(of, column, hash) !== undefined) return true;
      }
    }
    return false;
  };

  /** Chunks with one of the hashes: computed chunks are searched before others are computed. */
  const numbersWith = async (hashes: readonly string[], interval: Interval): Promise<number[]> => {
    const missing = new Set(hashes);
    const found = new Set<number>();
    const [there, others] = parted([...numbersIn(interval)], (number) => chunks.has(number));
    for (const number of [...there, ...others]) {
      if (missing.size === 0) break;
      if (slices.isOver()) await slices.next();
      for (const hash of [...missing]) {
        if (!(await hasHash(number, hash))) continue;
        missing.delete(hash);
        found.add(number);
      }
    }
    return [...found].sort((a, b) => b - a);
  };

  const denseRecords = async (newest: number, oldest: number): Promise<CanonicalRecord[]> => {
    const records: CanonicalRecord[] = [];
    for (let height = newest; height >= oldest; height -= 1) {
      if (slices.isOver()) await slices.next();
      const record = kept.at(height)[dense]?.[0];
      if (record !== undefined) records.push(record);
    }
    return records;
  };

  return {
    parts: async function* (asked) {
      const hashes = hashesIn(asked, located);
      const numbers =
        hashes === undefined
          ? numbersIn(asked.interval)
          : await numbersWith(hashes, asked.interval);
      for (const number of numbers) {
        if (slices.isOver()) await slices.next();
        const part = await recordsIn(asked.dataset, number);
        if (part !== undefined) yield part;
      }
    },
    part: async (dataset, first) => {
      const part = await recordsIn(dataset, first / chunkBlocks);
      if (part === undefined) throw new RangeError(`${dataset} has no part at ${first}`);
      return part;
    },
    dense: (query) => {
      const { dataset, interval, keys, filters, bounds, offset, count } = query;
      const isPlain = keys === undefined && filters.length === 0 && bounds.length === 0;
      if (dataset !== dense || !isPlain) return undefined;
      const newest = interval.to - offset;
      const total = Math.max(0, interval.to - interval.from + 1);
      return denseRecords(newest, Math.max(interval.from, newest - count + 1)).then((records) => {
        return { total, records };
      });
    },
    forked: (from, recordsAt) => {
      const first = Math.floor(from / chunkBlocks);
      const lower = new Map([...chunks].filter(([number]) => number < first));
      const shares = { marks, chunks: lower, kept: kept.forked(from, recordsAt) };
      return chunksOf({ ...heights, recordsAt }, slices, shares);
    },
  };
}

/** The dense dataset has a record at each height and is looked up by height only. */
function denseColumns(chunkBlocks: number): ChunkColumns {
  const heights = Uint16Array.from({ length: chunkBlocks }, (_, above) => above);
  return { heights, named: new Map(), bounded: new Map(), bytes: 0 };
}

function recordAt(
  kept: HeightCache,
  dataset: string,
  first: number,
  heights: Uint16Array,
  position: number,
): CanonicalRecord {
  const above = heights[position] ?? 0;
  let nth = 0;
  while (heights[position - nth - 1] === above) nth += 1;
  const record = kept.at(first + above)[dataset]?.[nth];
  if (record === undefined) throw new RangeError(`no record at ${position}`);
  return record;
}

/** The numbers that match, and the others. */
function parted(numbers: readonly number[], agrees: (number: number) => boolean) {
  const agreeing = new Set(numbers.filter(agrees));
  return [[...agreeing], numbers.filter((number) => !agreeing.has(number))] as const;
}

/** The hashes of which every selected record names one; undefined if other records match too. */
function hashesIn(asked: Selection, located: ReadonlySet<string>): readonly string[] | undefined {
  const isLocated = ({ columns }: Naming): boolean => columns.every((each) => located.has(each));
  const namings = asked.keys === undefined ? asked.filters : [asked.keys, ...asked.filters];
  return namings.find(isLocated)?.values;
}
