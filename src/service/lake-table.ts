import type { CanonicalRecord } from '../catalogue/record.ts';
import { identifier } from '../land/parquet.ts';
import { compareDecimals } from './decimal.ts';
import type { ServedDataset } from './lake-columns.ts';
import { POSITION, RECORD, recordOf } from './lake-columns.ts';
import { type Conditions, conditionsOf, heightsSql } from './lake-conditions.ts';
import { type Places, placesOf } from './lake-places.ts';
import type { LakeStore, Rows } from './lake-store.ts';
import type { Found, Query, Selection } from './source.ts';

/** Positions that match a selection, ascending: all between two, or these. */
type Matches =
  | { readonly first: number; readonly length: number }
  | { readonly positions: Uint32Array; readonly length: number };

/** So many positions are kept: walks ask for many pages of few queries at a time. */
const KEPT_POSITIONS = 4_000_000;
/** Single rows are dear: where a question leads to more of them, its heights are scanned. */
const MOST_PLACES = 1000;

/**
 * The questions to one dataset's table. What a query matches is found once and kept for its next
 * pages; a page is then read by position.
 */
export class LakeTable {
  readonly of: ServedDataset;
  readonly #store: LakeStore;
  readonly #kept = new Map<string, Promise<Matches>>();
  #keptPositions = 0;

  constructor(of: ServedDataset, store: LakeStore) {
    this.of = of;
    this.#store = store;
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
      `SELECT ${POSITION}, ${RECORD} FROM ${identifier(this.of.name)}
       WHERE ${POSITION} ${where}`,
    );
    const records = new Map<number, CanonicalRecord>();
    for (const [position, text] of rows) {
      records.set(Number(position), recordOf(this.of.words, String(text)));
    }
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
    const places = placesOf(this.of, asked);
    const positions = places?.isAll
      ? await this.#store.numbers(places.sql)
      : ((await this.#lookAt(conditions, places)) ?? (await this.#scan(conditions, heights)));
    positions.sort();
    return { positions, length: positions.length };
  }

  /** Undefined where nothing tells where records may stand, or they may in many places. */
  async #lookAt(conditions: Conditions, places?: Places): Promise<Uint32Array | undefined> {
    if (places === undefined) return undefined;
    const found = await this.#store.numbers(`${places.sql} LIMIT ${MOST_PLACES + 1}`);
    if (found.length === 0) return found;
    if (found.length > MOST_PLACES) return undefined;
    // The index answers for positions alone: with more beside them, rows would be scanned for.
    const at = `${POSITION} IN (${found.join(', ')})`;
    return this.#each(conditions, at, conditions.where.join(' AND '));
  }

  async #scan(conditions: Conditions, heights: string): Promise<Uint32Array> {
    const where = [heights, ...conditions.where].join(' AND ');
    const { open, keysNamed } = conditions;
    if (open.length > 0 || keysNamed !== undefined) return this.#each(conditions, where, 'true');
    const table = identifier(this.of.name);
    return this.#store.numbers(`SELECT ${POSITION} FROM ${table} WHERE ${where}`);
  }

  /**
   * Positions of the rows `among` all that are `matching`, one by one: values that SQL cannot
   * compare are compared here, and a row is listed once for every key it names.
   */
  async #each(
    { open, keysNamed }: Conditions,
    among: string,
    matching: string,
  ): Promise<Uint32Array> {
    const times = keysNamed === undefined ? '1' : `len(${keysNamed})`;
    const listed = `CASE WHEN ${matching} THEN ${times} ELSE 0 END`;
    const texts = open.map(({ text }) => text);
    const rows: Rows = await this.#store.rows(
      `SELECT ${[POSITION, listed, ...texts].join(', ')} FROM ${identifier(this.of.name)}
       WHERE ${among}`,
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
}
