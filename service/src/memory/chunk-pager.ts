import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Found, Query, Selection } from '../protocol/source.ts';
import type { TimeSlices } from '../protocol/time-slices.ts';
import type { Positions } from './chunk-matching.ts';
import { positionsIn } from './chunk-matching.ts';
import type { Chunks } from './chunks.ts';

/** The matches of a query in one chunk. */
interface Part {
  /** The first height of the chunk. */
  readonly first: number;
  readonly positions: Positions;
}

/**
 * Number of queries whose matches are cached: walks request many pages of few queries at a time.
 */
const KEPT_QUERIES = 64;

/**
 * Answers queries over the chunks of one moment, page after page. The matches of a query are found
 * once and cached as positions for its next pages.
 */
export class ChunkPager {
  readonly #slices: TimeSlices;
  /** The least recently used comes first. */
  readonly #kept = new Map<string, Promise<readonly Part[]>>();

  constructor(slices: TimeSlices) {
    this.#slices = slices;
  }

  async find(chunks: Chunks, { offset, count, ...asked }: Query): Promise<Found> {
    const parts = await this.#partsOf(chunks, asked);
    const total = parts.reduce((sum, { positions }) => sum + positions.length, 0);
    const records: CanonicalRecord[] = [];
    let skip = offset;
    for (const { first, positions } of parts) {
      if (records.length >= count) break;
      const newest = positions.length - 1 - skip;
      skip = Math.max(0, skip - positions.length);
      if (newest < 0) continue;
      const part = await chunks.part(asked.dataset, first);
      for (let at = newest; at >= 0 && records.length < count; at -= 1) {
        if (this.#slices.isOver()) await this.#slices.next();
        records.push(part.record(positions.at(at)));
      }
    }
    return { total, records };
  }

  #partsOf(chunks: Chunks, asked: Selection): Promise<readonly Part[]> {
    const key = JSON.stringify(asked);
    const parts = this.#kept.get(key) ?? search(chunks, asked);
    this.#kept.delete(key);
    this.#kept.set(key, parts);
    parts.catch(() => {
      if (this.#kept.get(key) === parts) this.#kept.delete(key);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_QUERIES) break;
      this.#kept.delete(oldest);
    }
    return parts;
  }
}

async function search(chunks: Chunks, asked: Selection): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of chunks.parts(asked)) {
    const positions = positionsIn(part, asked);
    if (positions.length > 0) parts.push({ first: part.first, positions });
  }
  return parts;
}

/** The first record that a selection lists, without a search for the others. */
export async function newestInChunks(
  chunks: Chunks,
  asked: Selection,
): Promise<CanonicalRecord | undefined> {
  for await (const part of chunks.parts(asked)) {
    const positions = positionsIn(part, asked);
    if (positions.length > 0) return part.record(positions.at(positions.length - 1));
  }
  return undefined;
}
