import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../catalogue/entry.ts';
import { hullOf, type Interval, normalise } from '../coverage/ranges.ts';
import type { DataFile } from '../land/delta/actions.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import { ledger } from '../land/delta/ledger.ts';
import { type StorageSettings, StoredTable } from '../land/delta/stored-table.ts';
import { columnList, countRows } from '../land/storage/scan.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import type { ChunkFile, TableJob } from './chunk-job.ts';
import type { CuratedShape } from './chunk-planner.ts';
import type { CuratedTable } from './curated-tables.ts';
import { FilePlan } from './heights/file-plan.ts';
import { type Among, heightsAmong } from './rule/heights-among.ts';

/**
 * Rows per row group, the unit that filters skip, unless the table says otherwise. With a Bloom
 * filter for every value, a hash among 2 million transactions is found in 31 instead of 146 ms of
 * CPU; files of `transactions` are 10 to 25 % larger with them, and are written in 50 to 80 % more
 * time. Most row groups hold most tokens, so filters hardly help a look-up of token transfers by
 * token (202 instead of 260 ms).
 */
const ROW_GROUP_ROWS = 61_440;

const UNION = ' UNION ALL ';

/** Rows and files of a commit of a curated table. */
export interface CuratedCommit {
  readonly table: string;
  readonly rows: number;
  readonly files: number;
}

/** Writes one curated table: files chunk by chunk, then one commit. */
export class TableWriter {
  readonly table: CuratedTable;
  readonly #settings: StorageSettings;
  readonly #stored: StoredTable;
  readonly #snapshot: Snapshot;
  readonly #files: FilePlan<DataFile>;
  /** Chunks that no file has rows of yet, apart from those that were there before. */
  readonly #open: Set<readonly Interval[]>;
  readonly #columns: readonly Column[];
  readonly #staged: { path: string; rows: number }[] = [];
  readonly #isFull: boolean;
  #rows = 0;

  constructor(options: {
    readonly table: CuratedTable;
    readonly shape: CuratedShape | undefined;
    readonly settings: StorageSettings;
    /** The version that the new one follows. */
    readonly snapshot: Snapshot;
    /** Heights that are computed again. */
    readonly chunks: readonly (readonly Interval[])[];
    /** These are all heights. */
    readonly isFull: boolean;
  }) {
    const { table, shape, settings, snapshot, chunks } = options;
    if (shape === undefined) throw new Error(`${table.name} has no shape`);
    this.table = table;
    this.#settings = settings;
    this.#snapshot = { ...snapshot };
    this.#files = new FilePlan(snapshot.files.values());
    this.#open = new Set(chunks);
    this.#isFull = options.isFull;
    this.#columns = shape.columns;
    this.#stored = new StoredTable(settings, {
      name: table.name,
      ...shape,
      heightColumn: table.heightColumn,
      sortedBy: table.sortedBy,
      isBySource: false,
    });
  }

  /** The file of a chunk, and the query that writes it. */
  output(relation: string): NonNullable<TableJob['output']> {
    const path = join(this.#settings.staging, `part-${randomUUID()}.parquet`);
    return { path, copy: this.#copySql(path, [this.#rowsSql(relation)]) };
  }

  /** Takes the file of a chunk. */
  async take(
    chunk: readonly Interval[],
    { path, rows }: ChunkFile,
    connection: DuckDBConnection,
  ): Promise<void> {
    if (this.#isFull) {
      // Older files keep no rows, and may lack columns.
      this.#files.next(hullOf(chunk), 0);
      await this.#keep(path, rows);
      this.#rows += rows;
      return;
    }
    await this.#settings.disk.fetch([path]);
    await this.write(chunk, connection, `read_parquet(${literal(path)})`);
    await this.#settings.disk.remove(path);
  }

  /**
   * Writes the rows of a relation that differ from those on disk. Chunks may be written side by
   * side, each over a connection of its own.
   */
  async write(
    chunk: readonly Interval[],
    connection: DuckDBConnection,
    relation: string,
  ): Promise<void> {
    const { freshRows, former } = await this.#compare(connection, chunk, relation);
    // From here to the next `await`, no other chunk takes files.
    const isThere = (path: string) => !this.#files.removed.some((file) => file.path === path);
    const left = former.filter(({ path }) => isThere(path));
    const losing = new Set(left.filter(({ isLosing }) => isLosing).map(({ path }) => path));
    const newRows = left.reduce(
      (sum, { isLosing, count }) => sum - (isLosing ? 0 : count),
      freshRows,
    );
    const isLosing = ({ path }: DataFile): boolean => losing.has(path);
    const { merged, rewritten } = this.#files.next(hullOf(chunk), newRows, isLosing);
    await this.#fetch([...merged, ...rewritten]);
    const staying = left.filter(({ path }) => isThere(path));
    const open = normalise([...this.#open].flat());
    this.#open.delete(chunk);
    if (newRows === 0 && merged.length + rewritten.length === 0) return;
    const isOpen = await heightsAmong(connection, 'open', open);
    for (const file of rewritten) await this.#copy(connection, [this.#keptSql(file, isOpen)]);
    const kept = merged.map((file) => this.#keptSql(file, isOpen));
    const isLeft = `filename IN (${staying.map(({ path }) => this.#literalOf(path)).join(', ')})`;
    const same =
      staying.length === 0 ? '' : `EXCEPT ALL ${this.#rowsSql('temp.former')} WHERE ${isLeft}`;
    const written = await this.#copy(connection, [...kept, `(FROM temp.fresh ${same})`]);
    const old = kept.length === 0 ? 0 : await countRows(connection, `(${kept.join(UNION)})`);
    this.#rows += written - old;
  }

  /**
   * Compares the rows of the chunk, as `temp.fresh`, with those on disk, as `temp.former`. Returns
   * their number, and the files with rows at these heights.
   */
  async #compare(connection: DuckDBConnection, chunk: readonly Interval[], relation: string) {
    const height = identifier(this.table.heightColumn);
    const among = await heightsAmong(connection, 'entered', chunk);
    const files = this.#files.overlapping(hullOf(chunk));
    await this.#fetch(files);
    const paths = files.map(({ path }) => this.#literalOf(path));
    const former =
      files.length === 0
        ? `${this.#rowsSql(relation, ", '' AS filename")} WHERE false`
        : `${this.#rowsSql(`read_parquet([${paths}], filename = true)`, ', filename')}
           WHERE ${among(height)}`;
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE fresh AS ${this.#rowsSql(relation)};
       CREATE OR REPLACE TEMP TABLE former AS ${former};
       CREATE OR REPLACE TEMP TABLE lost AS
         SELECT DISTINCT ${height}
         FROM (${this.#rowsSql('temp.former')} EXCEPT ALL FROM temp.fresh)`,
    );
    const compared = await connection.runAndReadAll(
      `SELECT filename, count(*), bool_or(${height} IN (FROM temp.lost)) FROM temp.former
       GROUP BY filename`,
    );
    const freshRows = await countRows(connection, 'temp.fresh');
    const rowsOf = compared.getRows().map(([path, count, isLosing]) => {
      return { path: basename(String(path)), count: Number(count), isLosing: isLosing === true };
    });
    return { freshRows, former: rowsOf };
  }

  async #fetch(files: readonly DataFile[]): Promise<void> {
    const { disk, folder } = this.#settings;
    await disk.fetch(files.map(({ path }) => join(folder, path)));
  }

  #literalOf(path: string): string {
    return literal(join(this.#settings.folder, path));
  }

  #rowsSql(relation: string, more = ''): string {
    return `SELECT ${columnList(this.#columns)}${more} FROM ${relation}`;
  }

  /** The rows of an older file that are not computed again. */
  #keptSql({ path }: DataFile, isOpen: Among): string {
    const isDirty = isOpen(identifier(this.table.heightColumn));
    return this.#rowsSql(`read_parquet(${this.#literalOf(path)}) WHERE NOT ${isDirty}`);
  }

  /** Writes all rows into one file, and returns their number. */
  async #copy(connection: DuckDBConnection, parts: readonly string[]): Promise<number> {
    const path = join(this.#settings.staging, `part-${randomUUID()}.parquet`);
    const copied = await connection.runAndReadAll(this.#copySql(path, parts));
    const rows = Number(copied.getRows()[0]?.[0]);
    await this.#keep(path, rows);
    return rows;
  }

  async #keep(path: string, rows: number): Promise<void> {
    if (rows > 0) this.#staged.push({ path, rows });
    else await this.#settings.disk.remove(path);
  }

  #copySql(path: string, parts: readonly string[]): string {
    const order = this.table.sortedBy.map(sortKey).join(', ');
    return `COPY (SELECT * ${this.#enumsSql()} FROM (${parts.join(UNION)}) ORDER BY ${order})
       TO ${literal(path)}
       (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ${this.#rowGroups()})`;
  }

  /**
   * Texts of a few known values are sorted and written as numbers, in less time. In the file they
   * are the same texts, but their statistics name all values, so filters skip no row group.
   */
  #enumsSql(): string {
    const { values = {} } = this.table;
    const casts = Object.entries(values).map(([column, all]) => {
      const name = identifier(column);
      return `CAST(${name} AS ENUM (${all.map(literal).join(', ')})) AS ${name}`;
    });
    return casts.length === 0 ? '' : `REPLACE (${casts.join(', ')})`;
  }

  /**
   * DuckDB writes Bloom filters for columns with a dictionary of all values of a row group. A
   * ledger needs none: its row groups are skipped by address, and hashes have no dictionary.
   */
  #rowGroups(): string {
    const { rowGroupRows = ROW_GROUP_ROWS, hasBloomFilters = false, legs } = this.table;
    const size = `ROW_GROUP_SIZE ${rowGroupRows}`;
    if (legs !== undefined) return `${size}, WRITE_BLOOM_FILTER false`;
    return hasBloomFilters ? `${size}, DICTIONARY_SIZE_LIMIT ${rowGroupRows}` : size;
  }

  /**
   * Publishes the files as the next version, made from these versions of raw tables. Returns
   * undefined if another process has published a version meanwhile.
   */
  async commit(versions: ReadonlyMap<string, number>): Promise<CuratedCommit | undefined> {
    const removed = this.#files.removed;
    const result = await this.#stored.publish('WINDROW CURATE', async (newest) => {
      if (newest.version !== this.#snapshot.version) return undefined;
      const rowsReplaced = removed.reduce((sum, file) => sum + (file.rows ?? 0), 0);
      return {
        ledger: ledger(this.#settings.run, {}),
        removed,
        counts: { rowsAdded: this.#rows, rowsReplaced },
        staged: this.#staged,
        versions,
        isNewSchema: this.#isFull,
      };
    });
    if (result === undefined) {
      for (const { path } of this.#staged) await this.#settings.disk.remove(path);
      return undefined;
    }
    return { table: this.table.name, rows: this.#rows, files: result.files.length };
  }
}

/**
 * DuckDB sorts by numbers faster than by text. The first 16 digits tell hashes and addresses apart,
 * those with many zeros in front, too; the rows of two that share them may alternate, which no
 * reader of the file notices.
 */
function sortKey(column: string): string {
  const name = identifier(column);
  const isHex = column.endsWith('hash') || column.endsWith('address');
  const key = isHex ? `TRY_CAST(substr(${name}, 1, 18) AS UBIGINT)` : name;
  return `${key} NULLS FIRST`;
}
