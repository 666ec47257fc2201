import type { CanonicalRecord } from '../../../src/catalogue/record.ts';

/** The records of one height, by the name of their dataset. */
export type RecordsOfHeight = Readonly<Record<string, readonly CanonicalRecord[]>>;

/** Computes the records of single heights, and caches the most recently used ones. */
export class HeightCache {
  readonly #recordsAt: (height: number) => RecordsOfHeight;
  readonly #most: number;
  /** The least recently used comes first. */
  readonly #kept: Map<number, RecordsOfHeight>;

  constructor(
    recordsAt: (height: number) => RecordsOfHeight,
    most: number,
    kept: Iterable<readonly [number, RecordsOfHeight]> = [],
  ) {
    this.#recordsAt = recordsAt;
    this.#most = most;
    this.#kept = new Map(kept);
  }

  at(height: number): RecordsOfHeight {
    const records = this.#kept.get(height) ?? this.#recordsAt(height);
    this.#kept.delete(height);
    this.#kept.set(height, records);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break;
      this.#kept.delete(oldest);
    }
    return records;
  }

  /** Like `at`, without eviction: a scan over all heights would only push out others. */
  fill(height: number): RecordsOfHeight {
    const known = this.#kept.get(height);
    if (known !== undefined) return known;
    const records = this.#recordsAt(height);
    if (this.#kept.size < this.#most) this.#kept.set(height, records);
    return records;
  }

  /** A cache that keeps the heights below `from`; `recordsAt` computes the others. */
  forked(from: number, recordsAt: (height: number) => RecordsOfHeight): HeightCache {
    const lower = [...this.#kept].filter(([height]) => height < from);
    return new HeightCache(recordsAt, this.#most, lower);
  }
}
