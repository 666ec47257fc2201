import type { SqlType } from '../catalogue/column-kind.ts';
import type { Axis, Column } from '../catalogue/entry.ts';
import { datasetNamed } from '../catalogue/index.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { DataFile } from '../land/delta/actions.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { type ChunkJob, computeChunk, type TableJob } from './chunk-job.ts';
import { CURATED_TABLES, type CuratedTable, readsOf } from './curated-tables.ts';
import { evidenceBegin, evidenceSteps } from './evidence/evidence.ts';
import { cutByRows, groupByRows, rowsIn, rowsOfChunk } from './heights/chunks.ts';
import { contradictionSteps } from './rule/contradictions.ts';
import { bestSql, type EnteredRange, type RangePlanner, storedSql } from './rule/range-planner.ts';
import type { JobStep } from './rule/steps.ts';

export interface ChunkLimits {
  /** Raw rows that are computed at once: more need more memory, fewer give small files. */
  readonly chunkRows: number;
  /** Intervals with up to this many raw rows are computed whole; -1: none. */
  readonly gapRows: number;
}

const LIMITS: ChunkLimits = { chunkRows: 100_000, gapRows: 100_000 };

/** Columns and meaning of a curated table, from its query. */
export interface CuratedShape {
  readonly columns: readonly Column[];
  readonly summary: string;
}

export type Shapes = ReadonlyMap<CuratedTable, CuratedShape>;

/** The shapes depend on the files of `sql/curated` alone, so they are found once per process. */
const shapesOf = new Map<Axis, Shapes>();

/** Plans the jobs that compute the curated tables of one axis, chunk by chunk. */
export class ChunkPlanner {
  readonly range: RangePlanner;
  readonly #limits: ChunkLimits;
  readonly #stored: readonly string[];
  #begin: readonly JobStep[] | undefined;

  /** `stored` has the paths of the curated table that queries of the axis read. */
  constructor(range: RangePlanner, stored: readonly string[] = [], limits: ChunkLimits = LIMITS) {
    this.range = range;
    this.#stored = stored;
    this.#limits = limits;
  }

  /** The job of a chunk. `outputOf` gives the file of a table's rows. */
  async job(
    heights: readonly Interval[],
    tables: readonly CuratedTable[],
    outputOf: (table: TableJob) => TableJob['output'] = () => undefined,
  ): Promise<ChunkJob> {
    const begin = await this.prepare();
    const { entered, steps, files } = await this.range.enter(heights);
    const legs = this.range.axis === 'zone' ? MAIN_LEGS : [];
    const others = [...this.range.handed.files, ...this.#stored];
    return {
      heights,
      files: [
        ...[...files].map(([path, bytes]) => ({ path, bytes })),
        ...others.map((path) => ({ path })),
      ],
      begin,
      steps: [...NO_TABLES, ...steps, ...legs, ...contradictionSteps(entered)],
      tables: tables.map((table) => {
        const job = this.#tableJob(table, entered);
        const output = outputOf(job);
        return output === undefined ? job : { ...job, output };
      }),
    };
  }

  /** Shows the planner the tables that it reads at all heights, and plans the first steps, once. */
  async prepare(): Promise<readonly JobStep[]> {
    if (this.#begin !== undefined) return this.#begin;
    const { range } = this;
    const { axis, handed, lists } = range;
    const { raw, stored } = readsOf(axis);
    await range.addRaw(raw);
    await range.addStored(stored, this.#stored);
    const steps = [...(await range.begin()), ...evidenceBegin(axis, lists)];
    if (axis === 'zone') steps.push(storedSql(stored, this.#stored));
    else {
      const standards = await handed.query(STANDARDS_SQL);
      steps.push(`CREATE TABLE known.token_standards AS ${standards}`);
    }
    this.#begin = steps;
    return steps;
  }

  /** The shapes of all tables of the axis, by computing them over no heights. */
  async shapes(): Promise<Shapes> {
    const { axis, session } = this.range;
    const cache = shapesOf.get(axis);
    if (cache !== undefined) return cache;
    const shapes = new Map<CuratedTable, CuratedShape>();
    const tables = CURATED_TABLES.filter((table) => table.axis === axis);
    await computeChunk(session, await this.job([], tables));
    for (const table of tables) shapes.set(table, await this.#shapeOf(table));
    shapesOf.set(axis, shapes);
    return shapes;
  }

  async #shapeOf(table: CuratedTable): Promise<CuratedShape> {
    const query = this.#queryOf(table.file);
    const described = await this.range.session.connection.runAndReadAll(
      `DESCRIBE curated.${identifier(table.name)}`,
    );
    const columns = described.getRows().map(([name, type]) => {
      const comment = query.columns.get(String(name));
      if (comment === undefined) throw new Error(`${table.file}.sql does not describe ${name}`);
      return { name: String(name), type: sqlType(String(type)), comment, volatile: false };
    });
    return { columns, summary: query.meaning };
  }

  /**
   * Cuts the heights into chunks by the number of raw rows, as the logs tell it, so that each of
   * the sessions has work.
   */
  chunks(dirty: readonly Interval[], sessions: number): Interval[][] {
    const files = this.#files();
    const maxRows = this.#limits.chunkRows;
    const rows = rowsOfChunk(dirty, files, { sessions, maxRows });
    return groupByRows(cutByRows(dirty, files, rows), files, rows);
  }

  /** Whether computing the heights costs less than looking for the rows that name some keys. */
  isSmall(interval: Interval): boolean {
    return this.rowsIn([interval]) <= this.#limits.gapRows;
  }

  /** The number of raw rows at the heights, as the logs tell it. */
  rowsIn(heights: readonly Interval[]): number {
    const files = this.#files();
    return heights.reduce((sum, interval) => sum + rowsIn(interval, files), 0);
  }

  #files(): DataFile[] {
    const { raw, axis } = this.range;
    const tables = raw.filter(({ dataset }) => datasetNamed(dataset).axis === axis);
    return tables.flatMap(({ files }) => files);
  }

  /** No query reads a ledger, so its rows are computed when they are written. */
  #tableJob(table: CuratedTable, entered: EnteredRange): TableJob {
    const { name } = table;
    const relation = `curated.${identifier(name)}`;
    const { sql } = this.#queryOf(table.file);
    if (table.legs === undefined) {
      const evidence = table.isEvidence === true ? evidenceSteps(entered, relation) : [];
      const steps = [`CREATE TABLE ${relation} AS ${sql}`, ...evidence];
      return { name, relation, steps };
    }
    const steps = [
      `CREATE OR REPLACE VIEW known.legs AS ${this.#queryOf(table.legs).sql}`,
      `CREATE VIEW ${relation} AS ${sql}`,
    ];
    return { name, relation, steps };
  }

  #queryOf(file: string) {
    const query = this.range.rule.queries.get(file);
    if (query === undefined) throw new Error(`sql/curated has no file ${file}.sql`);
    return query;
  }
}

/** A session holds the tables of one chunk, and not those of the last one beside them. */
const NO_TABLES = ['DROP SCHEMA IF EXISTS curated CASCADE', 'CREATE SCHEMA curated'];

const [MAIN_FROM, MAIN_TO] = ["getvariable('main_from')", "getvariable('main_to')"];

/** Steps that show transactions of the primary chain that cross-chain transfers name. */
const MAIN_LEGS = [
  `CREATE OR REPLACE TEMP TABLE main_heights AS
    SELECT coalesce(min(main_block_number), 1) AS lowest,
      coalesce(max(main_block_number), 0) AS highest,
      coalesce(bool_or(main_block_number IS NULL AND main_tx_hash IS NOT NULL), false) AS is_unknown
    FROM known.cross_chain_transfers`,
  'SET VARIABLE main_from = (SELECT lowest FROM temp.main_heights)',
  'SET VARIABLE main_to = (SELECT highest FROM temp.main_heights)',
  'SET VARIABLE main_is_unknown = (SELECT is_unknown FROM temp.main_heights)',
  `CREATE OR REPLACE TABLE known.main_legs AS
    SELECT block_number AS named_block, tx_hash, block_number, block_time, tx_status
    FROM stored.transactions
    WHERE (getvariable('main_is_unknown') OR block_number BETWEEN ${MAIN_FROM} AND ${MAIN_TO})
      AND tx_hash IN (SELECT main_tx_hash FROM known.cross_chain_transfers)`,
  // For transfers that do not name the block: its newest one.
  `INSERT INTO known.main_legs
    SELECT -1, tx_hash, block_number, block_time, tx_status FROM known.main_legs
    QUALIFY row_number() OVER (PARTITION BY tx_hash ORDER BY block_number DESC) = 1`,
  bestSql('main_best', { from: MAIN_FROM, to: MAIN_TO }),
];

/** The one standard that other transfers give the tokens of transfers without one. */
const STANDARDS_SQL = `
  SELECT token_address, min(token_standard) AS token_standard
  FROM lake.token_transfers
  WHERE token_standard IS NOT NULL AND token_address IN (
    SELECT token_address FROM lake.token_transfers WHERE token_standard IS NULL
  )
  GROUP BY token_address
  HAVING min(token_standard) = max(token_standard)`;

const TYPES: readonly SqlType[] = [
  'VARCHAR',
  'VARCHAR[]',
  'BIGINT',
  'DECIMAL(20,0)',
  'DECIMAL(38,0)',
  'DECIMAL(38,18)',
  'BOOLEAN',
  'DOUBLE',
  'DATE',
];

function sqlType(text: string): SqlType {
  if (text === 'TIMESTAMP WITH TIME ZONE') return 'TIMESTAMPTZ';
  const type = TYPES.find((type) => type === text);
  if (type === undefined) throw new Error(`no column of a curated table may be ${text}`);
  return type;
}
