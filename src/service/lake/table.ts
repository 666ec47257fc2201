import { compareDecimals } from '../../catalogue/decimal.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';
import type { ServedDataset } from './columns.ts';
import { POSITION, RECORD, recordOf } from './columns.ts';
import { type Conditions, conditionsOf, heightsSql } from './conditions.ts';
import { type Candidates, candidatesOf, heightsOfSql } from './hash-index.ts';
import type { LakeStore, Rows } from './store.ts';

/** Positions that match a selection, ascending: a range, or a list. */
type Matches =
  | { readonly first: number; readonly length: number }
  | { readonly positions: Uint32Array; readonly length: number };

/** The cached matches of a query. */
interface CachedMatches {
  readonly found: Promise<Matches>;
  /**
   * Number of cached positions, including the length of the query's own text; 0 during the search.
   */
  size: number;
}

/** Bound on cached positions: walks request many pages of few queries at a time. */
const CACHED_POSITIONS = 4_000_000;
/**
 * Reading single rows is slow: if a question has more positions than these, its heights are
 * scanned.
 */
const MOST_CANDIDATES = 1000;

/**
 * Answers questions about one dataset's table. The matches of a query are found once and cached for
 * its next pages. A page is then read by position.
 */
export class ServedTable {
  readonly of: ServedDataset;
  readonly #store: LakeStore;
  /** The least recently used comes first. */
  readonly #cached = new Map<string, CachedMatches>();
  readonly #mostPositions: number;
  #keptPositions = 0;

  /** Caches the matches of the newest queries, up to `mostPositions` positions in total. */
  constructor(of: ServedDataset, store: LakeStore, mostPositions = CACHED_POSITIONS) {
    this.of = of;
    this.#store = store;
    this.#mostPositions = mostPositions;
  }

  /** Called when the table has changed: cached matches are no longer valid. */
  forget(): void {
    this.#cached.clear();
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

  /** The records at these positions, in this order; a position may occur twice. */
  async #recordsAt(positions: readonly number[]): Promise<CanonicalRecord[]> {
    const [newest, oldest] = [positions[0], positions.at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const isGapless = newest - oldest === positions.length - 1;
    // Either condition alone is answered from the index; both together would cause a scan.
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

  /** The naming by which a selection looks up records by hash; undefined for other selections. */
  hashesAsked({ keys, filters }: Selection): Naming | undefined {
    const namings = keys === undefined ? filters : [keys, ...filters];
    return namings.find(({ columns }) => columns.every((each) => this.of.hashes.includes(each)));
  }

  /** By hash: the lowest height of the records that name it. */
  async heightsOf(values: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.of.hashes.length === 0 || values.length === 0) return new Map();
    const rows = await this.#store.rows(heightsOfSql(this.of, values));
    return new Map(rows.map(([nth, height]) => [values[Number(nth)] ?? '', Number(height)]));
  }

  #matches(asked: Selection): Promise<Matches> {
    const key = JSON.stringify(asked);
    const known = this.#cached.get(key);
    if (known !== undefined) {
      this.#cached.delete(key);
      this.#cached.set(key, known);
      return known.found;
    }
    const kept: CachedMatches = { found: this.#search(asked), size: 0 };
    this.#cached.set(key, kept);
    const isKept = (): boolean => this.#cached.get(key) === kept;
    kept.found.then(
      (matches) => {
        if (isKept()) this.#count(kept, key.length + positionsIn(matches));
      },
      () => {
        if (isKept()) this.#cached.delete(key);
      },
    );
    return kept.found;
  }

  /** Adds to the cached size, and evicts the least recently used entries beyond the bound. */
  #count(found: CachedMatches, size: number): void {
    found.size = size;
    this.#keptPositions += size;
    for (const [key, kept] of this.#cached) {
      if (this.#keptPositions <= this.#mostPositions) return;
      // The newest entry stays regardless of its size: its next page is the most likely question.
      if (kept === found || kept.size === 0) continue;
      this.#cached.delete(key);
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
    const candidates = candidatesOf(this.of, asked);
    const positions = candidates?.isAll
      ? await this.#store.numbers(candidates.sql)
      : ((await this.#lookAt(conditions, candidates)) ?? (await this.#scan(conditions, heights)));
    positions.sort();
    return { positions, length: positions.length };
  }

  /** Undefined if there are no candidate positions, or too many. */
  async #lookAt(conditions: Conditions, candidates?: Candidates): Promise<Uint32Array | undefined> {
    if (candidates === undefined) return undefined;
    const found = await this.#store.numbers(`${candidates.sql} LIMIT ${MOST_CANDIDATES + 1}`);
    if (found.length === 0) return found;
    if (found.length > MOST_CANDIDATES) return undefined;
    // The index is used for positions alone: with a further condition, rows would be scanned.
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
   * Positions of the rows in `among` that agree with `matching`, evaluated row by row. Values that
   * SQL cannot compare are compared here, and a row is listed once for every key it names.
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

/** A range holds no more than its two ends. */
function positionsIn(matches: Matches): number {
  return 'first' in matches ? 2 : matches.length;
}
