import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Cell } from '../../catalogue/column-kind.ts';
import { type Column, column } from '../../catalogue/entry.ts';
import type { CoveragePart } from '../../coverage/coverage.ts';
import { append, declared } from '../../land/storage/appending.ts';
import { noRowsSql } from '../../land/storage/scan.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { isOfLookUps, type ListCoverage } from './list-coverage.ts';
import { bestOf, statusRank } from './reach.ts';

const text = (name: string): Column => column(name, 'VARCHAR', '');
const number = (name: string): Column => column(name, 'BIGINT', '');
const HEIGHTS = ['from_block', 'to_block'].map(number);

const COVERED = [
  number('list'),
  ...['dataset', 'scope', 'key_kind'].map(text),
  column('key', 'VARCHAR[]', ''),
  ...HEIGHTS,
  number('status_rank'),
];
/** A row of these stands for one row per key. */
const PER_KEY = '* REPLACE (unnest(key) AS key)';
const BEST = [...['dataset', 'scope', 'key', 'side'].map(text), ...HEIGHTS, number('status_rank')];

/** Rows of one coverage file that are skipped or read together. */
const ROW_GROUP_ROWS = 20_480;

/**
 * Coverage, and results of queries over the whole lake, as Parquet files that jobs read. Methods
 * return SQL for the rows. A job reads the row groups of its heights.
 */
export class HandedRows {
  readonly #connection: DuckDBConnection;
  readonly #lists: readonly ListCoverage[];
  readonly #folder: string | undefined;
  /** Paths of the files. */
  readonly files: string[] = [];

  /** Without a folder, only empty tables can be handed over. */
  constructor(
    connection: DuckDBConnection,
    lists: readonly ListCoverage[],
    folder: string | undefined,
  ) {
    this.#connection = connection;
    this.#lists = lists;
    this.#folder = folder;
  }

  /** The coverage of all lists but look-ups by hash. */
  coverage(): Promise<string> {
    const others = this.#lists.filter((list) => !isOfLookUps(list));
    return this.#table(COVERED, others.flatMap(coveredRows), PER_KEY);
  }

  /** The look-ups that are not complete. Rows stand for the others (`lookUpsSql`). */
  openLookUps(): Promise<string> {
    return this.#table(COVERED, this.#lists.filter(isOfLookUps).flatMap(coveredRows), PER_KEY);
  }

  /** The best coverage of every key. */
  best(): Promise<string> {
    const best = bestOf(this.#lists).map(({ dataset, scope, key, side, entry }) => {
      return [dataset, scope, key, side, ...heightsOf(entry)];
    });
    return this.#table(BEST, best);
  }

  /** The rows of a query. */
  async query(sql: string): Promise<string> {
    if (this.#folder === undefined) return sql;
    const path = join(this.#folder, `part-${randomUUID()}.parquet`);
    this.files.push(path);
    await this.#connection.run(
      `COPY (${sql}) TO ${literal(path)}
       (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
    );
    return `SELECT * FROM read_parquet(${literal(path)})`;
  }

  async #table(
    columns: readonly Column[],
    rows: readonly (readonly Cell[])[],
    values = '*',
  ): Promise<string> {
    if (rows.length === 0) return `SELECT ${values} FROM (${noRowsSql(columns)})`;
    await this.#connection.run(`CREATE OR REPLACE TABLE plan.handed (${declared(columns)})`);
    await append(this.#connection, 'handed', columns, rows, 'plan');
    const sql = await this.query(`SELECT ${values} FROM plan.handed ORDER BY from_block`);
    await this.#connection.run('DROP TABLE plan.handed');
    return sql;
  }
}

/** One row per group of keys and interval; of look-ups without their list as a whole. */
function coveredRows(coverage: ListCoverage) {
  const { number: list, dataset, scope, keyKind } = coverage.traits;
  const listed = [BigInt(list), dataset, scope, keyKind];
  return coverage.groups.flatMap(({ keys: all, parts }) => {
    const keys = isOfLookUps(coverage) ? all.filter((key) => key !== '') : all;
    if (keys.length === 0) return [];
    return parts.map((part) => [...listed, keys, ...heightsOf(part)]);
  });
}

function heightsOf({ from, to, status }: Pick<CoveragePart, 'from' | 'to' | 'status'>) {
  return [BigInt(from), BigInt(to), BigInt(statusRank(status))];
}
