import { compareDecimals } from '../../catalogue/decimal.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';
import type { ServedDataset } from './columns.ts';
import { POSITION, RECORD, recordOf } from './columns.ts';
import { type Conditions, conditionsOf, heightsSql } from './conditions.ts';
import { heightsOfSql, type Places, placesOf } from './hash-index.ts';
import type { LakeStore, Rows } from './store.ts';

/** Positions that match a selection, ascending: all between two, or these. */
type Matches =
  | { readonly first: number; readonly length: number }
  | { readonly positions: Uint32Array; readonly length: number };

/** What is remembered of a query. */
interface Kept {
  readonly found: Promise<Matches>;
  /** In positions, the query's own text among them; 0 as long as it is looked for. */
  size: number;
}

/** So many positions are kept: walks ask for many pages of few queries at a time. */
const KEPT_POSITIONS = 4_000_000;
/** Single rows are dear: where a question leads to more of them, its heights are scanned. */
const MOST_PLACES = 1000;

/**
 * The questions to one dataset's table. What a query matches is found once and kept for its next
 * pages; a page is then read by position.
 */
export class ServedTable {
  readonly of: ServedDataset;
  readonly #store: LakeStore;
  /** The one used longest ago comes first. */
  readonly #kept = new Map<string, Kept>();
  readonly #mostPositions: number;
  #keptPositions = 0;

  /** Keeps what the newest queries match, up to so many positions in all. */
  constructor(of: ServedDataset, store: LakeStore, mostPositions = KEPT_POSITIONS) {
    this.of = of;
    this.#store = store;
    this.#mostPositions = mostPositions;
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

  /** The naming by which records of a selection are looked up by hash; undefined for others. */
  hashesAsked({ keys, filters }: Selection): Naming | undefined {
    const namings = keys === undefined ? filters : [keys, ...filters];
    return namings.find(({ columns }) => columns.every((each) => this.of.hashes.includes(each)));
  }

  /** By hash: the lowest height of the records that any hash of theirs names. */
  async heightsOf(values: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.of.hashes.length === 0 || values.length === 0) return new Map();
    const rows = await this.#store.rows(heightsOfSql(this.of, values));
    return new Map(rows.map(([nth, height]) => [values[Number(nth)] ?? '', Number(height)]));
  }

  #matches(asked: Selection): Promise<Matches> {
    const key = JSON.stringify(asked);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.found;
    }
    const kept: Kept = { found: this.#search(asked), size: 0 };
    this.#kept.set(key, kept);
    const isKept = (): boolean => this.#kept.get(key) === kept;
    kept.found.then(
      (matches) => {
        if (isKept()) this.#count(kept, key.length + positionsIn(matches));
      },
      () => {
        if (isKept()) this.#kept.delete(key);
      },
    );
    return kept.found;
  }

  /** Counts what was found, and lets go of what was used longest ago beyond the bound. */
  #count(found: Kept, size: number): void {
    found.size = size;
    this.#keptPositions += size;
    for (const [key, kept] of this.#kept) {
      if (this.#keptPositions <= this.#mostPositions) return;
      // Its next page is the likeliest question, however much it takes.
      if (kept === found || kept.size === 0) continue;
      this.#kept.delete(key);
      this.#keptPositions -= kept.size;
    }
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

/** All between two are no more than these two. */
function positionsIn(matches: Matches): number {
  return 'first' in matches ? 2 : matches.length;
}
