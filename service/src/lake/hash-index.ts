import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import type { ServedDataset } from './columns.ts';
import type { LakeStore } from './store.ts';

/** Heights of single hashes beyond this number are not listed: the table is read instead. */
export const MOST_HEIGHTS = 1000;

/**
 * The heights of the records that name a hash, by the digest of the hash. Digests have 64 bits, so
 * records that are read at a height must be compared with the hash itself. Files of curated tables
 * never change, so the index follows them one by one.
 */
export class HashIndex {
  readonly #dataset: ServedDataset;
  readonly #store: LakeStore;
  readonly #table: string;
  readonly #files = new Map<string, number>();
  #next = 0;

  constructor(dataset: ServedDataset, store: LakeStore) {
    this.#dataset = dataset;
    this.#store = store;
    this.#table = identifier(`${dataset.name}.hashes`);
  }

  async create(): Promise<void> {
    await this.#store.rows(
      `CREATE TABLE ${this.#table} (digest UBIGINT, height BIGINT, file UINTEGER)`,
    );
  }

  /** Makes the index that of these files. After an error, the next call tries again. */
  async show(paths: readonly string[]): Promise<void> {
    if (this.#dataset.hashes.length === 0) return;
    const added = paths.filter((path) => !this.#files.has(path));
    if (added.length > 0) {
      const numbers = new Map(added.map((path, i) => [path, this.#next + i]));
      await this.#store.rows(`INSERT INTO ${this.#table} ${this.#entriesSql(numbers)}`);
      this.#next += added.length;
      for (const [path, number] of numbers) this.#files.set(path, number);
    }
    const removed = [...this.#files].filter(([path]) => !paths.includes(path));
    if (removed.length === 0) return;
    const numbers = removed.map(([, number]) => number).join(', ');
    await this.#store.rows(`DELETE FROM ${this.#table} WHERE file IN (${numbers})`);
    for (const [path] of removed) this.#files.delete(path);
  }

  /** Heights of the records of each hash, in the order of `values`, the lowest first. */
  async heightsOf(values: readonly string[]): Promise<readonly [value: string, height: number][]> {
    if (this.#dataset.hashes.length === 0 || values.length === 0) return [];
    const digests = values.map((value, nth) => `(${nth}, hash(${literal(value)}))`).join(', ');
    const rows = await this.#store.rows(
      `WITH wanted (nth, digest) AS (VALUES ${digests})
       SELECT DISTINCT nth, height FROM ${this.#table} JOIN wanted USING (digest)
       ORDER BY nth, height LIMIT ${MOST_HEIGHTS + 1}`,
    );
    return rows.map(([nth, height]) => [values[Number(nth)] ?? '', Number(height)]);
  }

  #entriesSql(numbers: ReadonlyMap<string, number>): string {
    const paths = [...numbers.keys()].map(literal).join(', ');
    const names = [...numbers].map(([path, number]) => `(${literal(path)}, ${number})`).join(', ');
    const height = identifier(this.#dataset.heightColumn);
    const entries = this.#dataset.hashes.map(
      (column) =>
        `SELECT DISTINCT hash(${identifier(column)}) AS digest, ${height} AS height, filename
         FROM read_parquet([${paths}], filename = true) WHERE ${identifier(column)} IS NOT NULL`,
    );
    return `SELECT digest, height, number
      FROM (${entries.join(' UNION ')}) JOIN (VALUES ${names}) AS files (filename, number)
        USING (filename)
      ORDER BY digest, height`;
  }
}
