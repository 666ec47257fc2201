import type { DuckDBConnection } from '@duckdb/node-api';
import type { Axis } from '../../catalogue/entry.ts';
import { datasetNamed } from '../../catalogue/index.ts';
import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import { listKey } from '../../coverage/list.ts';
import { contains, hullOf, type Interval, overlaps } from '../../coverage/ranges.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { openConnection, openDatabase } from '../../land/storage/connection.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { holdersSql } from './endpoint-sets.ts';
import { heightsAmong } from './heights-among.ts';
import { type ListCoverage, listCoverage } from './list-coverage.ts';
import {
  type ListRows,
  lookUpsSql,
  PART_MACRO,
  partListSql,
  rangeRowsSql,
  severalSql,
} from './range-rows.ts';
import { oneRank } from './reach.ts';
import type { RuleSql } from './rule-sql.ts';
import { SessionCoverage } from './session-coverage.ts';

/** A raw table at one version. */
export interface RawTable {
  readonly dataset: string;
  readonly files: readonly DataFile[];
  pathOf(file: DataFile): string;
  readonly coverage: Parameters<typeof listCoverage>[0][number]['coverage'];
  /** Block hashes that were read from the chain. */
  readonly checkpoints?: readonly BlockCheckpoint[];
}

export interface SessionOptions {
  /** The chain whose heights are selected. */
  readonly axis: Axis;
  /** The raw tables of both chains. */
  readonly raw: readonly RawTable[];
  readonly rule: RuleSql;
  /** Rows beyond the memory limit spill into a folder whose name begins so; see `openDatabase`. */
  readonly spilledTo: string;
  readonly memoryBytes: number;
}

/**
 * A DuckDB in memory with what the rule of curated tables reads. `enter` selects heights; queries
 * of `sql/curated` then see the rows and the coverage of this range alone:
 *
 * - `known.<dataset>`: raw rows with `_list`, `_endpoint_rank`, `_key_kind` and `_status_rank`
 * - `known.look_ups`: look-ups at these heights, with their status; complete ones at their rows
 * - `known.looked_up`: transactions whose look-up is complete, by dataset and scope, with the
 *   intervals of heights
 * - `known.best`: the best status of addresses and of the whole chain
 * - `known.followed`: addresses that were asked for, at any height
 * - `known.holders`: the endpoints of a dataset that several rows come from, by the bits of their
 *   `_endpoint_rank`
 *
 * The same rows are `bare.<dataset>`, with `_list`, `_endpoint_rank` and `_key_kind` alone: these
 * need no coverage, which costs less.
 */
export class RangeSession {
  readonly connection: DuckDBConnection;
  readonly axis: Axis;
  readonly rule: RuleSql;
  readonly lists: readonly ListCoverage[];
  readonly raw: readonly RawTable[];
  readonly #coverage: SessionCoverage;
  readonly #close: () => void;
  #range: Interval = { from: 1, to: 0 };
  /** SQL of `known.<dataset>`, by dataset. */
  readonly #rowsSql = new Map<string, string>();

  private constructor(connection: DuckDBConnection, options: SessionOptions, close: () => void) {
    this.connection = connection;
    this.axis = options.axis;
    this.rule = options.rule;
    this.lists = listCoverage(options.raw);
    this.raw = options.raw;
    this.#coverage = new SessionCoverage(connection, this.lists);
    this.#close = close;
  }

  static async open(options: SessionOptions): Promise<RangeSession> {
    const { spilledTo, memoryBytes } = options;
    const settings = {
      temp_directory: spilledTo,
      preserve_insertion_order: 'false',
      // DuckDB would keep the bytes of every file that it reads; the system has them anyway.
      enable_external_file_cache: 'false',
      // Two threads need a quarter more time in sum: sessions run side by side instead.
      threads: '1',
    };
    const instance = await openDatabase(':memory:', settings, memoryBytes);
    const connection = await openConnection(instance);
    const session = new RangeSession(connection, options, () => {
      connection.closeSync();
      instance.closeSync();
    });
    try {
      await session.#begin();
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  /** The range of the heights that the session has entered. */
  get range(): Interval {
    return this.#range;
  }

  close(): void {
    this.#close();
  }

  async #begin(): Promise<void> {
    await this.connection.run(
      // Queries over chunks read the footers of the same files again and again.
      `SET parquet_metadata_cache = true;
       CREATE SCHEMA lake; CREATE SCHEMA known; CREATE SCHEMA curated; CREATE SCHEMA stored;
       CREATE SCHEMA bare;
       ${PART_MACRO.sql}`,
    );
    await this.#coverage.begin();
    await this.connection.run(
      `CREATE TABLE known.followed AS
       SELECT DISTINCT key AS address FROM lake.coverage WHERE key_kind = 'address'`,
    );
    await this.connection.run(holdersSql(this.lists));
    for (const macro of this.rule.macros) await this.connection.run(macro);
  }

  /** Selects disjoint intervals of heights, in their order, for all later queries. */
  async enter(heights: readonly Interval[]): Promise<void> {
    const range = hullOf(heights);
    const within = `from_block <= ${range.to} AND to_block >= ${range.from}`;
    // Heights of the other axis are unrelated.
    const tables = this.raw.filter(({ dataset }) => datasetNamed(dataset).axis === this.axis);
    const listsOf = new Map<string, readonly ListRows[]>();
    for (const table of tables) listsOf.set(table.dataset, await this.#rowsOf(table, heights));
    const complete = [...listsOf].flatMap(([dataset, lists]) => lookUpsSql(dataset, lists));
    const looked = [...complete, `FROM lake.open_look_ups WHERE ${within}`].join(' UNION ALL ');
    await this.connection.run(`
      CREATE OR REPLACE TABLE known.look_ups AS ${looked};
      CREATE OR REPLACE TABLE known.cover AS
        SELECT list, key, unnest(${partListSql(range)}) AS part, from_block, to_block, status_rank
        FROM (FROM lake.coverage UNION ALL FROM known.look_ups) WHERE ${within};
      CREATE OR REPLACE TABLE known.looked_up AS
        SELECT dataset, key AS tx_hash, scope,
          list({'from_block': from_block, 'to_block': to_block}) AS intervals
        FROM known.look_ups
        WHERE status_rank = 1
        GROUP BY ALL`);
    await this.selectBest('best', range);
    this.#range = range;
    for (const [dataset, lists] of listsOf) {
      this.#rowsSql.set(dataset, rangeRowsSql(dataset, lists));
      await this.showInstead(dataset, (rowsSql) => `FROM ${rowsSql}`);
      await this.#showBare(dataset, lists);
    }
  }

  async #showBare(dataset: string, lists: readonly ListRows[]): Promise<void> {
    const rows = lists.map((list) => ({ ...list, constantRank: 0 }));
    await this.connection.run(
      `CREATE OR REPLACE VIEW bare.${identifier(dataset)} AS
       SELECT * EXCLUDE (_status_rank) FROM (${rangeRowsSql(dataset, rows)})`,
    );
  }

  /** Makes `known.<dataset>` a query over its rows in the range. */
  async showInstead(dataset: string, queryOf: (rowsSql: string) => string): Promise<void> {
    const rowsSql = this.#rowsSql.get(dataset) ?? '';
    await this.connection.run(
      `CREATE OR REPLACE VIEW known.${identifier(dataset)} AS ${queryOf(`(${rowsSql})`)}`,
    );
  }

  /** Block hash checkpoints of a raw table in the range. */
  checkpointsOf(dataset: string): BlockCheckpoint[] {
    const table = this.raw.find((each) => each.dataset === dataset);
    return (table?.checkpoints ?? []).filter(({ height }) => contains(this.#range, height));
  }

  /** Makes `lake.<dataset>` the raw rows of all heights; false if there is no such dataset. */
  async addRaw(dataset: string): Promise<boolean> {
    const table = this.raw.find((each) => each.dataset === dataset);
    if (table === undefined) return false;
    const paths = table.files.map((file) => table.pathOf(file));
    const scan = await scanSql(this.connection, paths, tableColumns(dataset));
    await this.connection.run(`CREATE OR REPLACE VIEW lake.${identifier(dataset)} AS ${scan}`);
    return true;
  }

  /** Makes `stored.<table>` the rows of a curated table's files, as they are on disk. */
  async addStored(table: string, paths: readonly string[]): Promise<void> {
    await localDisk.fetch(paths);
    const rows =
      paths.length > 0
        ? `SELECT * FROM read_parquet([${paths.map(literal).join(', ')}])`
        : `SELECT ${NO_ROWS} WHERE false`;
    await this.connection.run(`CREATE OR REPLACE VIEW stored.${identifier(table)} AS ${rows}`);
  }

  /** Makes `known.<name>` the best coverage of a range of heights. */
  async selectBest(name: string, range: Interval): Promise<void> {
    await this.connection.run(
      `CREATE OR REPLACE TABLE known.${identifier(name)} AS
       SELECT dataset, scope, key, side, unnest(${partListSql(range)}) AS part,
         from_block, to_block, status_rank
       FROM lake.best WHERE from_block <= ${range.to} AND to_block >= ${range.from}`,
    );
  }

  /** The rows of every list of a table at the heights. */
  async #rowsOf(table: RawTable, heights: readonly Interval[]): Promise<ListRows[]> {
    const { dataset } = table;
    const range = hullOf(heights);
    const height = identifier(datasetNamed(dataset).heightColumn);
    const isIn = (await heightsAmong(this.connection, 'entered', heights))(height);
    let copies = 0;
    const files = table.files.filter(
      ({ heights }) => heights === undefined || overlaps(heights, range),
    );
    const own = this.lists.filter(({ traits }) => traits.dataset === dataset);
    const rowsIn = async (paths: readonly DataFile[], condition = 'true'): Promise<string> => {
      const scan = await scanSql(
        this.connection,
        paths.map((file) => table.pathOf(file)),
        tableColumns(dataset),
      );
      const rowsSql = `SELECT * FROM (${scan}) WHERE ${isIn} AND ${condition}`;
      if (heights.length < 2) return rowsSql;
      // Among the rows of a few heights lie many others, which only one query should read.
      copies += 1;
      const copy = `known.${identifier(`${dataset}_${copies}`)}`;
      await this.connection.run(`CREATE OR REPLACE TABLE ${copy} AS ${rowsSql}`);
      return `FROM ${copy}`;
    };
    const mixed = files.filter(({ source }) => source === undefined);
    const found: ListRows[] = [];
    for (const list of own) {
      const { traits } = list;
      const theirs = files.filter(
        ({ source }) => source !== undefined && listKey(source) === listKey(traits),
      );
      const parts = [];
      if (theirs.length > 0) parts.push(await rowsIn(theirs));
      if (mixed.length > 0) parts.push(await rowsIn(mixed, conditionOf(traits)));
      if (parts.length === 0) continue;
      const rowsSql = parts.join(' UNION ALL ');
      const constantRank = traits.keyKind === 'all' ? oneRank(list, range) : undefined;
      const several = severalSql(traits);
      const hasSeveral = several !== undefined && (await this.#isAny(rowsSql, several));
      found.push({
        traits,
        rowsSql,
        hasSeveral,
        ...(constantRank === undefined ? {} : { constantRank }),
      });
    }
    const listed = new Set(own.map(({ traits }) => listKey(traits)));
    const strange = files.filter(
      ({ source }) => source !== undefined && !listed.has(listKey(source)),
    );
    const rest = [];
    if (strange.length > 0) rest.push(await rowsIn(strange));
    if (mixed.length > 0) {
      const known = own.map(({ traits }) => `(${conditionOf(traits)})`);
      rest.push(await rowsIn(mixed, `NOT (${[...known, 'false'].join(' OR ')})`));
    }
    if (rest.length > 0 || found.length === 0) {
      const rowsSql = rest.length > 0 ? rest.join(' UNION ALL ') : await rowsIn([]);
      found.push({ traits: undefined, rowsSql, hasSeveral: false });
    }
    return found;
  }

  async #isAny(rowsSql: string, condition: string): Promise<boolean> {
    const found = await this.connection.runAndReadAll(
      `SELECT EXISTS (FROM (${rowsSql}) WHERE ${condition})`,
    );
    return found.getRows()[0]?.[0] === true;
  }
}

/** The columns of stored tables that queries read. */
const NO_ROWS = `NULL::BIGINT AS block_number, NULL::TIMESTAMPTZ AS block_time,
  NULL::VARCHAR AS tx_hash, NULL::VARCHAR AS tx_status, NULL::VARCHAR AS token_address,
  NULL::BIGINT AS zone_block_number, NULL::VARCHAR AS zone_tx_hash, false AS main_leg_found,
  NULL::BIGINT AS main_block_number, NULL::VARCHAR AS main_tx_hash`;

function conditionOf({ endpoint, variant }: { endpoint: string; variant: string }): string {
  return `_endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}`;
}
