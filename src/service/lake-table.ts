import type { CanonicalRecord } from '../catalogue/record.ts';
import { identifier, literal } from '../land/parquet.ts';
import { compareDecimals } from './decimal.ts';
import type { ServedDataset } from './lake-columns.ts';
import { canonicalSql, POSITION, recordOf } from './lake-columns.ts';
import { type Conditions, conditionsOf, heightsSql } from './lake-conditions.ts';
import type { LakeStore, Rows } from './lake-store.ts';
import type { Found, Query, Selection } from './source.ts';

/** Positions that match a selection, ascending: all between two, or these. */
type Matches =
  | { readonly first: number; readonly length: number }
  | { readonly positions: Uint32Array; readonly length: number };

/** So many positions are kept: walks ask for many pages of few queries at a time. */
const KEPT_POSITIONS = 4_000_000;

/** Name of the table that says where the hashes of a column stand. */
export function placesTable(dataset: string, column: string): string {
  return identifier(`${dataset}.${column}`);
}

/**
 * The questions to one dataset's table. What a query matches is found once and kept for its next
 * pages; a page is then read by position.
 */
export class LakeTable {
  readonly of: ServedDataset;
  readonly #store: LakeStore;
  readonly #kept = new Map<string, Promise<Matches>>();
  readonly #columns: string;
  #keptPositions = 0;

  constructor(of: ServedDataset, store: LakeStore) {
    this.of = of;
    this.#store = store;
    this.#columns = of.words.map(canonicalSql).join(', ');
  }

  /** Called when the table has changed: what was found before is no longer there. */
  forget(): void {
    this.#kept.clear();
    this.#keptPositions = 0;
  }

  async find({ offset, count, ...asked }: Query): Promise<Found> {
    const matches = await this.#matches(asked);
    const end = matches.length - offset;
    const positions: number[] = [];
    for (let at = end - 1; at >= Math.max(0, end - count); at -= 1) {
      positions.push('first' in matches ? matches.first + at : (matches.positions[at] ?? -1));
    }
    return { total: matches.length, records: await this.#recordsAt(positions) };
  }

  /** The records at these positions, in this order; a position may stand twice. */
  async #recordsAt(positions: readonly number[]): Promise<CanonicalRecord[]> {
    const [newest, oldest] = [positions[0], positions.at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const isGapless = newest - oldest === positions.length - 1;
    // Either is answered from the index; both at once would be scanned for.
    const where = isGapless
      ? `BETWEEN ${oldest} AND ${newest}`
      : `IN (${[...new Set(positions)].join(', ')})`;
    const rows = await this.#store.rows(
      `SELECT ${POSITION}, ${this.#columns} FROM ${identifier(this.of.name)}
       WHERE ${POSITION} ${where}`,
    );
    const records = new Map<number, CanonicalRecord>();
    for (const row of rows) records.set(Number(row[0]), recordOf(this.of.words, row, 1));
    const found = positions.map((position) => records.get(position));
    return found.filter((record) => record !== undefined);
  }

  #matches(asked: Selection): Promise<Matches> {
    const key = JSON.stringify(asked);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      // Taken out and put back, so that the first key is always the one used longest ago.
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const found = this.#search(asked);
    this.#kept.set(key, found);
    found.then(
      (matches) => this.#keep(key, found, matches),
      () => this.#kept.delete(key),
    );
    return found;
  }

  /** Counts what is kept, and lets go of the oldest beyond the bound. */
  #keep(key: string, found: Promise<Matches>, { length }: Matches): void {
    if (this.#kept.get(key) !== found) return;
    this.#keptPositions += length + 1;
    if (this.#keptPositions <= KEPT_POSITIONS) return;
    this.forget();
    this.#kept.set(key, found);
    this.#keptPositions = length + 1;
  }

  async #search(asked: Selection): Promise<Matches> {
    const table = identifier(this.of.name);
    const conditions = conditionsOf(this.of, asked);
    const heights = heightsSql(this.of, asked);
    if (conditions.where.length === 0) {
      const [row] = await this.#store.rows(
        `SELECT min(${POSITION}), count(*) FROM ${table} WHERE ${heights}`,
      );
      return { first: Number(row?.[0] ?? 0), length: Number(row?.[1] ?? 0) };
    }
    const places = await this.#placesOf(asked);
    if (places?.length === 0) return { positions: new Uint32Array(), length: 0 };
    const at = places === undefined ? 'true' : `${POSITION} IN (${places.join(', ')})`;
    const where = [at, heights, ...conditions.where].join(' AND ');
    const positions =
      conditions.open.length === 0 && conditions.keysNamed === undefined
        ? await this.#store.numbers(`SELECT ${POSITION} FROM ${table} WHERE ${where}`)
        : await this.#searchEach(conditions, where);
    positions.sort();
    return { positions, length: positions.length };
  }

  /** Positions of rows that are compared one by one, or listed once for every key they name. */
  async #searchEach({ open, keysNamed }: Conditions, where: string): Promise<Uint32Array> {
    const times = keysNamed === undefined ? '1' : `len(${keysNamed})`;
    const texts = open.map(({ text }) => text);
    const rows: Rows = await this.#store.rows(
      `SELECT ${[POSITION, times, ...texts].join(', ')} FROM ${identifier(this.of.name)}
       WHERE ${where}`,
    );
    const positions: number[] = [];
    for (const [position, count, ...values] of rows) {
      const isWithin = open.every(({ bound: { least, most } }, i) => {
        const value = values[i];
        if (typeof value !== 'string') return true;
        if (least !== undefined && compareDecimals(value, least) < 0) return false;
        return most === undefined || compareDecimals(value, most) <= 0;
      });
      for (let i = 0; isWithin && i < Number(count); i += 1) positions.push(Number(position));
    }
    return Uint32Array.from(positions);
  }

  /** Where records may stand that are looked up by hash; undefined for other questions. */
  async #placesOf({ keys, filters }: Selection): Promise<Uint32Array | undefined> {
    const namings = keys === undefined ? filters : [keys, ...filters];
    const { lookedUp } = this.of;
    const hashes = namings.find(({ columns }) => columns.every((each) => lookedUp.includes(each)));
    if (hashes === undefined) return undefined;
    // Hashes of two columns may lead to one record.
    const found = hashes.columns.map(
      (column) => `SELECT place FROM ${placesTable(this.of.name, column)}
        WHERE digest IN (${hashes.values.map((each) => `hash(${literal(each)})`).join(', ')})`,
    );
    return this.#store.numbers(found.join(' UNION '));
  }
}
