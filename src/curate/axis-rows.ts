import type { SqlType } from '../catalogue/column-kind.ts';
import type { Axis, Column } from '../catalogue/entry.ts';
import { datasetNamed } from '../catalogue/index.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { DataFile } from '../land/delta/actions.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { CURATED_TABLES, type CuratedTable, readsOf } from './curated-tables.ts';
import { addEvidence, prepareEvidence } from './evidence/evidence.ts';
import { cutByRows, groupByRows, rowsIn, rowsOfChunk } from './heights/chunks.ts';
import { withinSql } from './rule/range-rows.ts';
import type { RangeSession } from './rule/range-session.ts';

export interface ChunkLimits {
  /** Raw rows that are computed at once: more need more memory, fewer give small files. */
  readonly chunkRows: number;
  /** Intervals with up to this many raw rows are computed whole; -1: none. */
  readonly gapRows: number;
}

const LIMITS: ChunkLimits = { chunkRows: 132_000, gapRows: 100_000 };

/** Columns and meaning of a curated table, from its query. */
export interface CuratedShape {
  readonly columns: readonly Column[];
  readonly summary: string;
}

export type Shapes = ReadonlyMap<CuratedTable, CuratedShape>;

/** The shapes depend on the files of `sql/curated` alone, so they are found once per process. */
const shapesOf = new Map<Axis, Shapes>();

/** Computes the rows of one axis's curated tables, chunk by chunk, as `curated.<table>`. */
export class AxisRows {
  readonly session: RangeSession;
  readonly #limits: ChunkLimits;

  constructor(session: RangeSession, limits: ChunkLimits = LIMITS) {
    this.session = session;
    this.#limits = limits;
  }

  /** Creates the relations that all chunks share. */
  async prepare(): Promise<void> {
    const { connection } = this.session;
    await prepareEvidence(this.session);
    await this.session.addRaw(readsOf(this.session.axis).raw);
    if (this.session.axis === 'zone') return;
    // The one standard that other transfers give the tokens of transfers without one.
    await connection.run(
      `CREATE TABLE known.token_standards AS
       SELECT token_address, min(token_standard) AS token_standard
       FROM lake.token_transfers
       WHERE token_standard IS NOT NULL AND token_address IN (
         SELECT token_address FROM lake.token_transfers WHERE token_standard IS NULL
       )
       GROUP BY token_address
       HAVING min(token_standard) = max(token_standard)`,
    );
  }

  /** The shapes of all tables of the axis, by computing them over no heights. */
  async shapes(): Promise<Shapes> {
    const known = shapesOf.get(this.session.axis);
    if (known !== undefined) return known;
    await this.enter([]);
    const shapes = new Map<CuratedTable, CuratedShape>();
    for (const table of CURATED_TABLES.filter(({ axis }) => axis === this.session.axis)) {
      await this.compute(table);
      shapes.set(table, await this.#shapeOf(table));
    }
    shapesOf.set(this.session.axis, shapes);
    return shapes;
  }

  async #shapeOf(table: CuratedTable): Promise<CuratedShape> {
    const query = this.#queryOf(table.file);
    const described = await this.session.connection.runAndReadAll(
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
    return rowsIn(interval, this.#files()) <= this.#limits.gapRows;
  }

  #files(): DataFile[] {
    const { raw } = this.session;
    const own = raw.filter(({ dataset }) => datasetNamed(dataset).axis === this.session.axis);
    return own.flatMap(({ files }) => files);
  }

  /** Selects the heights of the next `compute` calls. */
  async enter(chunk: readonly Interval[]): Promise<void> {
    await this.session.enter(chunk);
    if (this.session.axis === 'zone') await this.#enterMainLegs();
  }

  /** Transactions of the primary chain that cross-chain transfers of the chunk name. */
  async #enterMainLegs(): Promise<void> {
    const { connection } = this.session;
    const found = await connection.runAndReadAll(
      `SELECT min(main_block_number), max(main_block_number),
         bool_or(main_block_number IS NULL AND main_tx_hash IS NOT NULL)
       FROM known.cross_chain_transfers`,
    );
    const [from, to, isUnknown] = found.getRows()[0] ?? [];
    const heights = { from: Number(from ?? 1), to: Number(to ?? 0) };
    const within = isUnknown === true ? 'true' : withinSql('block_number', [heights]);
    const hashes = 'SELECT main_tx_hash FROM known.cross_chain_transfers';
    await connection.run(`
      CREATE OR REPLACE TABLE known.main_legs AS
        SELECT block_number AS named_block, tx_hash, block_number, block_time, tx_status
        FROM stored.transactions WHERE ${within} AND tx_hash IN (${hashes});
      -- For transfers that do not name the block: its newest one.
      INSERT INTO known.main_legs
        SELECT -1, tx_hash, block_number, block_time, tx_status FROM known.main_legs
        QUALIFY row_number() OVER (PARTITION BY tx_hash ORDER BY block_number DESC) = 1`);
    await this.session.selectBest('main_best', heights);
  }

  /**
   * Computes the rows of one table in the chunk. No query reads a ledger, so its rows are computed
   * when they are written.
   */
  async compute(table: CuratedTable): Promise<void> {
    const { connection } = this.session;
    const relation = `curated.${identifier(table.name)}`;
    const { sql } = this.#queryOf(table.file);
    if (table.legs === undefined) {
      await connection.run(`CREATE OR REPLACE TABLE ${relation} AS ${sql}`);
      if (table.isEvidence === true) await addEvidence(this.session, relation);
      return;
    }
    const legs = this.#queryOf(table.legs);
    await connection.run(`CREATE OR REPLACE VIEW known.legs AS ${legs.sql}`);
    await connection.run(`CREATE OR REPLACE VIEW ${relation} AS ${sql}`);
  }

  #queryOf(file: string) {
    const query = this.session.rule.queries.get(file);
    if (query === undefined) throw new Error(`sql/curated has no file ${file}.sql`);
    return query;
  }
}

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
  const type = TYPES.find((each) => each === text);
  if (type === undefined) throw new Error(`no column of a curated table may be ${text}`);
  return type;
}
