import type { Axis, Column } from '../../catalogue/entry.ts';
import { datasetNamed } from '../../catalogue/index.ts';
import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import { listKey } from '../../coverage/list.ts';
import { contains, hullOf, type Interval, overlaps } from '../../coverage/ranges.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import type { LookUpsSql } from '../../land/rows/empty-look-ups.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { holdersSql } from './endpoint-sets.ts';
import { HandedRows } from './handed-rows.ts';
import { type Among, amongSteps } from './heights-among.ts';
import { type ListCoverage, listCoverage } from './list-coverage.ts';
import {
  bareRowsSql,
  emptyLookUpsSql,
  type ListRows,
  lookUpsSql,
  PART_MACRO,
  partListSql,
  rangeRowsSql,
  severalSql,
  severalSteps,
} from './range-rows.ts';
import { type RangeSession, SETTINGS } from './range-session.ts';
import { oneRank } from './reach.ts';
import type { RuleSql } from './rule-sql.ts';
import type { JobStep } from './steps.ts';

/** A raw table at one version. */
export interface RawTable {
  readonly dataset: string;
  readonly files: readonly DataFile[];
  pathOf(file: DataFile): string;
  readonly coverage: Parameters<typeof listCoverage>[0][number]['coverage'];
  /** Its look-ups without a record. */
  readonly emptyLookUps?: LookUpsSql | undefined;
  /** Block hashes that were read from the chain. */
  readonly checkpoints?: readonly BlockCheckpoint[];
}

export interface RangeOptions {
  /** The chain whose heights are selected. */
  readonly axis: Axis;
  /** The raw tables of both chains. */
  readonly raw: readonly RawTable[];
  readonly rule: RuleSql;
  /** The folder of the files with handed rows; absent where there are none. */
  readonly folder?: string | undefined;
}

/** A range of heights, for statements about its rows. */
export interface EnteredRange {
  readonly axis: Axis;
  readonly rule: RuleSql;
  readonly lists: readonly ListCoverage[];
  /** From the lowest to the highest of its heights. */
  readonly range: Interval;
  /** SQL of `known.<dataset>`, by dataset with files whose heights overlap the range. */
  readonly rowsSql: ReadonlyMap<string, string>;
  /** Block hash checkpoints of a raw table in the range. */
  checkpointsOf(dataset: string): BlockCheckpoint[];
}

/**
 * Plans the statements that show the rule of curated tables its rows. After the steps of `begin`
 * and `enter`, queries of `sql/curated` see the rows and the coverage of a range of heights alone:
 *
 * - `known.<dataset>`: raw rows with `_list`, `_endpoint_rank`, `_key_kind` and `_status_rank`
 * - `known.look_ups`: look-ups at these heights, with their status; complete ones at their rows,
 *   or in their intervals if they have none
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
export class RangePlanner {
  /** Where the planner reads the lake. */
  readonly session: RangeSession;
  readonly axis: Axis;
  readonly rule: RuleSql;
  readonly lists: readonly ListCoverage[];
  readonly raw: readonly RawTable[];
  readonly handed: HandedRows;

  constructor(session: RangeSession, { axis, raw, rule, folder }: RangeOptions) {
    this.session = session;
    this.axis = axis;
    this.rule = rule;
    this.lists = listCoverage(raw);
    this.raw = raw;
    this.handed = new HandedRows(session.connection, this.lists, folder);
  }

  /** Steps that create the relations that all ranges share. */
  async begin(): Promise<JobStep[]> {
    const coverage = await this.handed.coverage();
    const open = await this.handed.openLookUps();
    const best = await this.handed.best();
    const followed = await this.handed.query(
      `SELECT DISTINCT key AS address FROM (${coverage}) WHERE key_kind = 'address'`,
    );
    const schemas = ['lake', 'known', 'stored', 'bare'];
    return [
      ...SETTINGS,
      ...schemas.map((name) => `CREATE SCHEMA IF NOT EXISTS ${name}`),
      PART_MACRO.sql,
      `CREATE VIEW lake.coverage AS ${coverage}`,
      `CREATE VIEW lake.look_ups AS ${open}`,
      `CREATE VIEW lake.best AS ${best}`,
      `CREATE TABLE known.followed AS ${followed}`,
      holdersSql(this.lists),
      ...this.rule.macros,
    ];
  }

  /** Steps that select disjoint intervals of heights, in their order, for all later queries. */
  async enter(
    heights: readonly Interval[],
  ): Promise<{ readonly entered: EnteredRange; readonly steps: JobStep[]; readonly files: Files }> {
    const range = hullOf(heights);
    const within = `from_block <= ${range.to} AND to_block >= ${range.from}`;
    const { steps: among, isAmong } = amongSteps('entered', heights);
    // Heights of the other axis are unrelated.
    const tables = this.raw.filter(({ dataset }) => datasetNamed(dataset).axis === this.axis);
    const rowsOf = new Map<RawTable, RangeRows>();
    for (const table of tables) rowsOf.set(table, await this.#rowsOf(table, heights, isAmong));
    const complete = [...rowsOf].flatMap(([{ dataset }, { lists }]) => lookUpsSql(dataset, lists));
    const looked = [...complete, `FROM lake.look_ups WHERE ${within}`].join(' UNION ALL ');
    const steps: JobStep[] = [
      ...among,
      ...[...rowsOf.values()].flatMap(({ copies }) => copies),
      `CREATE OR REPLACE TABLE known.look_ups AS ${looked}`,
      ...tables.flatMap((table) => emptyLookUpsSql(table, this.lists, within)),
      `CREATE OR REPLACE TABLE known.cover AS
        SELECT list, key, unnest(${partListSql(range)}) AS part, from_block, to_block, status_rank
        FROM (FROM lake.coverage UNION ALL FROM known.look_ups) WHERE ${within}`,
      `CREATE OR REPLACE TABLE known.looked_up AS
        SELECT dataset, key AS tx_hash, scope,
          list({'from_block': from_block, 'to_block': to_block}) AS intervals
        FROM known.look_ups
        WHERE status_rank = 1
        GROUP BY ALL`,
      bestSql('best', range),
    ];
    const rowsSql = new Map<string, string>();
    const files = new Map<string, number>();
    for (const [table, rows] of rowsOf) {
      const { dataset } = table;
      for (const file of rows.files) files.set(table.pathOf(file), file.sizeBytes);
      for (const [path, file] of table.emptyLookUps?.files ?? []) files.set(path, file.sizeBytes);
      const sql = `(${rangeRowsSql(dataset, rows.lists)})`;
      if (rows.files.length > 0) rowsSql.set(dataset, sql);
      steps.push(
        ...rows.views,
        knownSql(dataset, `FROM ${sql}`),
        `CREATE OR REPLACE VIEW bare.${identifier(dataset)} AS ${bareRowsSql(dataset, rows.lists)}`,
      );
    }
    const { axis, rule, lists, raw } = this;
    const checkpointsOf = (dataset: string): BlockCheckpoint[] => {
      const { checkpoints = [] } = raw.find((table) => table.dataset === dataset) ?? {};
      return checkpoints.filter(({ height }) => contains(range, height));
    };
    return { entered: { axis, rule, lists, range, rowsSql, checkpointsOf }, steps, files };
  }

  /** Shows the planner all raw rows, as `lake.<dataset>`; false if there is no such dataset. */
  async addRaw(dataset: string): Promise<boolean> {
    const table = this.raw.find((table) => table.dataset === dataset);
    if (table === undefined) return false;
    const paths = table.files.map((file) => table.pathOf(file));
    const scan = await scanSql(this.session.connection, paths, tableColumns(dataset));
    await this.session.connection.run(
      `CREATE OR REPLACE VIEW lake.${identifier(dataset)} AS ${scan}`,
    );
    return true;
  }

  /** Shows the planner the rows of a curated table's files, as `stored.<table>`. */
  async addStored(table: string, paths: readonly string[]): Promise<void> {
    await localDisk.fetch(paths);
    await this.session.connection.run(storedSql(table, paths));
  }

  /** The rows of every list of a table at the heights. */
  async #rowsOf(table: RawTable, heights: readonly Interval[], isAmong: Among): Promise<RangeRows> {
    const { dataset } = table;
    const range = hullOf(heights);
    const isIn = isAmong(identifier(datasetNamed(dataset).heightColumn));
    const copies: string[] = [];
    const views: JobStep[] = [];
    const files = table.files.filter(
      ({ heights }) => heights === undefined || overlaps(heights, range),
    );
    const datasetLists = this.lists.filter(({ traits }) => traits.dataset === dataset);
    const rowsIn = async (dataFiles: readonly DataFile[], condition = 'true'): Promise<string> => {
      const paths = dataFiles.map((file) => table.pathOf(file));
      const scan = await scanSql(this.session.connection, paths, rangeColumns(dataset));
      const rowsSql = `SELECT * FROM (${scan}) WHERE ${isIn} AND ${condition}`;
      if (heights.length < 2) return rowsSql;
      // Among the rows of a few heights lie many others, which only one query should read.
      const copy = `known.${identifier(`${dataset}_${copies.length + 1}`)}`;
      copies.push(`CREATE OR REPLACE TABLE ${copy} AS ${rowsSql}`);
      return `FROM ${copy}`;
    };
    const mixed = files.filter(({ source }) => source === undefined);
    const lists: ListRows[] = [];
    for (const list of datasetLists) {
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
      const rows = { traits, rowsSql, ...(constantRank === undefined ? {} : { constantRank }) };
      lists.push(rows);
      if (severalSql(traits) !== undefined) views.push(severalSteps(dataset, rows, traits));
    }
    const listed = new Set(datasetLists.map(({ traits }) => listKey(traits)));
    const strange = files.filter(
      ({ source }) => source !== undefined && !listed.has(listKey(source)),
    );
    const rest = [];
    if (strange.length > 0) rest.push(await rowsIn(strange));
    if (mixed.length > 0) {
      const conditions = datasetLists.map(({ traits }) => `(${conditionOf(traits)})`);
      rest.push(await rowsIn(mixed, `NOT (${[...conditions, 'false'].join(' OR ')})`));
    }
    if (rest.length > 0 || lists.length === 0) {
      const rowsSql = rest.length > 0 ? rest.join(' UNION ALL ') : await rowsIn([]);
      lists.push({ traits: undefined, rowsSql });
    }
    return { copies, views, lists, files };
  }
}

/** Sizes of data files [bytes], by path. */
type Files = ReadonlyMap<string, number>;

interface RangeRows {
  readonly copies: readonly string[];
  /** Steps that create the views of lists of addresses. */
  readonly views: readonly JobStep[];
  readonly lists: readonly ListRows[];
  readonly files: readonly DataFile[];
}

/** The columns of rows in a range. Lists of addresses cost the most, and repeat a text. */
function rangeColumns(dataset: string): Column[] {
  return tableColumns(dataset).filter(({ type }) => type !== 'VARCHAR[]');
}

/** Makes `known.<dataset>` a query over its rows in the range. */
export function knownSql(dataset: string, query: string): string {
  return `CREATE OR REPLACE VIEW known.${identifier(dataset)} AS ${query}`;
}

/** Makes `known.<name>` the best coverage of a range of heights: numbers, or SQL. */
export function bestSql(name: string, range: Parameters<typeof partListSql>[0]): string {
  return `CREATE OR REPLACE TABLE known.${identifier(name)} AS
    SELECT dataset, scope, key, side, unnest(${partListSql(range)}) AS part,
      from_block, to_block, status_rank
    FROM lake.best WHERE from_block <= ${range.to} AND to_block >= ${range.from}`;
}

/** Makes `stored.<table>` the rows of a curated table's files, as they are on disk. */
export function storedSql(table: string, paths: readonly string[]): string {
  const rows =
    paths.length > 0
      ? `SELECT * FROM read_parquet([${paths.map(literal).join(', ')}])`
      : `SELECT ${NO_ROWS} WHERE false`;
  return `CREATE OR REPLACE VIEW stored.${identifier(table)} AS ${rows}`;
}

/** The columns of stored tables that queries read. */
const NO_ROWS = `NULL::BIGINT AS block_number, NULL::TIMESTAMPTZ AS block_time,
  NULL::VARCHAR AS tx_hash, NULL::VARCHAR AS tx_status, NULL::VARCHAR AS token_address,
  NULL::BIGINT AS zone_block_number, NULL::VARCHAR AS zone_tx_hash, false AS main_leg_found,
  NULL::BIGINT AS main_block_number, NULL::VARCHAR AS main_tx_hash, NULL::BIGINT AS height`;

function conditionOf({ endpoint, variant }: { endpoint: string; variant: string }): string {
  return `_endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}`;
}
