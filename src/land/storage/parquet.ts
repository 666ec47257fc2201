import { createHash } from 'node:crypto';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { Column } from '../../catalogue/entry.ts';
import { type ListId, listKey } from '../../coverage/list.ts';
import { Fault } from '../../fault.ts';
import { type AddedRows, type AddedTexts, append, declared, storeTexts } from './appending.ts';
import { openConnection, openDatabase } from './connection.ts';
import { localDisk } from './disk.ts';
import { memoryLimitBytes } from './memory-limit.ts';
import { scanSql } from './scan.ts';
import { identifier, literal } from './sql-text.ts';

/** Writing takes no more than this, however large the machine is. */
const MEMORY_BYTES = 4_000_000_000;
/**
 * Rows of other files are copied within this, or what rows of the usual widths need: compressed
 * files of a few huge texts may hold a thousand times their size.
 */
const COPY_BYTES = 256 * 2 ** 20;
const ROW_BYTES = 2048;

const ROW_GROUP_ROWS = 40_960;

const SETTINGS = {
  // A second thread would wait for work most of the time, which costs a tenth more CPU time.
  threads: '1',
  // A writer reads each file once or twice. DuckDB would keep the bytes of every file that it
  // reads, and a follower, whose writer is open for days, would grow by hundreds of MiB an hour.
  enable_external_file_cache: 'false',
};

const NO_TEXTS: AddedTexts = { groups: [], lineages: { columns: [], rows: [] } };

/** The list of a file's rows; undefined in tables whose files mix lists. */
type FileSource = RowSource | undefined;

export interface RowSource extends ListId {
  /** SQL condition on the height, set if final and provisional rows have separate files. */
  readonly heights?: string;
}

/** The lowest provisional height by `listKey`. */
export type ProvisionalFrom = ReadonlyMap<string, number>;

/** Rows for new files. */
export interface RowsToWrite {
  readonly added: AddedRows;
  readonly texts?: AddedTexts;
  /** Older files, whose rows are copied unless they match the condition. */
  readonly kept: readonly { readonly path: string; readonly except: string }[];
}

/** A complete Parquet file that was read back after writing. */
export interface WrittenFile {
  readonly rows: number;
  readonly sizeBytes: number;
  readonly heights: { readonly from: number; readonly to: number } | undefined;
  readonly sha256: string;
}

/**
 * Writes rows to Parquet files through DuckDB in memory, which sorts them. It serves one
 * commit after the other, never two at the same time (`inTurn`).
 */
export class ParquetWriter {
  readonly #connection: DuckDBConnection;
  readonly #close: () => void;
  readonly #memoryBytes: number;
  #lastTurn: Promise<unknown> = Promise.resolve();

  private constructor(connection: DuckDBConnection, memoryBytes: number, close: () => void) {
    this.#connection = connection;
    this.#memoryBytes = memoryBytes;
    this.#close = close;
  }

  /** Rows beyond `memoryBytes` spill into a folder whose name begins so; see `openDatabase`. */
  static async open(
    spilledTo: string,
    memoryBytes = Math.min(MEMORY_BYTES, memoryLimitBytes()),
  ): Promise<ParquetWriter> {
    const options = { temp_directory: spilledTo, ...SETTINGS };
    const instance = await openDatabase(':memory:', options, memoryBytes);
    const connection = await openConnection(instance);
    return new ParquetWriter(connection, memoryBytes, () => {
      connection.closeSync();
      instance.closeSync();
    });
  }

  close(): void {
    this.#close();
  }

  /** Does the work of one commit after those before. Commits must not be nested. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Takes the rows of the next files. They stay in the writer until they are dropped. */
  async take(
    columns: readonly Column[],
    { added, texts = NO_TEXTS, kept }: RowsToWrite,
  ): Promise<TakenRows> {
    await this.#connection.run(`CREATE OR REPLACE TEMP TABLE taken (${declared(columns)})`);
    await append(this.#connection, 'taken', columns, added);
    let rows = added.length;
    await localDisk.fetch(kept.map(({ path }) => path));
    for (const { path, except } of kept) {
      rows += await this.#changed(
        `INSERT INTO taken BY NAME
         SELECT * FROM read_parquet(${literal(path)}) WHERE (${except}) IS NOT TRUE`,
      );
    }
    // Texts are decoded while they are written.
    const decoded = await storeTexts(this.#connection, texts);
    rows += texts.groups.reduce((sum, group) => sum + group.texts.length, 0);
    return takenRows(this, rows, decoded);
  }

  /** Runs a statement; returns the number of rows that it has written. */
  async #changed(sql: string): Promise<number> {
    const [row] = await this.read(sql);
    return Number(row?.[0]);
  }

  /** Number of rows of the file that match the condition. */
  async countIn(file: string, condition: string): Promise<number> {
    await localDisk.fetch([file]);
    const source = `read_parquet(${literal(file)})`;
    const [row] = await this.read(`SELECT count(*) FILTER (WHERE ${condition}) FROM ${source}`);
    return Number(row?.[0] ?? 0);
  }

  /** Writes this many rows of other files into one, sorted. Does not sync the file. */
  async copy(
    file: string,
    { paths, rows }: { readonly paths: readonly string[]; readonly rows: number },
    columns: readonly Column[],
    sortedBy: readonly string[],
  ): Promise<void> {
    const sql = await scanSql(this.#connection, paths, columns);
    await this.#limit(Math.min(Math.max(COPY_BYTES, rows * ROW_BYTES), this.#memoryBytes));
    try {
      await this.export(sql, sortedBy, file);
    } finally {
      await this.#limit(this.#memoryBytes);
    }
  }

  async #limit(bytes: number): Promise<void> {
    await this.#connection.run(`SET memory_limit = '${Math.floor(bytes / 2 ** 20)}MiB'`);
  }

  /**
   * Files of hashes and amounts are no larger with level 1 than with the default of DuckDB, 3, and
   * are written in a quarter less time. Readers of few heights skip all other row groups: with row
   * groups of a third of DuckDB's default, curating takes a tenth less CPU time, and files are 2 %
   * larger.
   */
  export(rows: string, sortedBy: readonly string[], file: string): Promise<number> {
    const order = sortedBy.map((name) => `${identifier(name)} NULLS FIRST`).join(', ');
    return this.#changed(
      `COPY (SELECT * FROM (${rows}) ORDER BY ${order})
       TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
         ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
    );
  }

  /** Reads row count, heights, size and sha256 of a finished file. Throws Fault('lake'). */
  async inspect(file: string, expected: number, heightColumn: string): Promise<WrittenFile> {
    const column = heightColumn === '' ? 'NULL' : identifier(heightColumn);
    const [row] = await this.read(
      `SELECT count(*), min(${column}), max(${column}) FROM read_parquet(${literal(file)})`,
    );
    const rows = Number(row?.[0]);
    if (rows !== expected) {
      throw new Fault('lake', `${rows} rows were read back of ${expected} written.`, {
        where: file,
        advice: 'The disk may be failing. Nothing was committed: run the pipeline again.',
      });
    }
    const range = { from: Number(row?.[1] ?? 0), to: Number(row?.[2] ?? 0) };
    const heights = heightColumn === '' ? undefined : range;
    return { rows, heights, ...(await digestedFile(file)) };
  }

  /** The rows of a query, for example over data files of a table. */
  async read(
    sql: string,
    values: Record<string, DuckDBValue> = {},
  ): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRows();
  }
}

type Decoded = Awaited<ReturnType<typeof storeTexts>>;
/** The rows of one commit. A list with provisional rows has a source for each kind of rows. */
function takenRows(writer: ParquetWriter, count: number, decoded: Decoded) {
  /** Planning to decode the rows of all lists takes longer than writing a few rows of one. */
  const rowsSql = (source?: FileSource): string => {
    const ofList = decoded.filter(({ list }) => !source || listKey(list) === listKey(source));
    const all = ['FROM temp.taken', ...ofList.map(({ sql }) => sql)].join(' UNION ALL BY NAME ');
    return `SELECT * FROM (${all}) WHERE ${sourceCondition(source)}`;
  };
  return {
    count,
    rowsSql,
    async sources(heightColumn: string, provisionalFrom: ProvisionalFrom): Promise<RowSource[]> {
      const kept = await writer.read('SELECT DISTINCT _endpoint, _variant FROM temp.taken');
      const lists = new Map(decoded.map(({ list }) => [listKey(list), list]));
      for (const [endpoint, variant] of kept) {
        const list = { endpoint: String(endpoint), variant: String(variant) };
        lists.set(listKey(list), list);
      }
      const sources: RowSource[] = [];
      for (const [, list] of [...lists].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const at = provisionalFrom.get(listKey(list));
        if (at === undefined) sources.push(list);
        for (const side of at === undefined ? [] : ['<', '>=']) {
          const part = { ...list, heights: `${identifier(heightColumn)} ${side} ${at}` };
          const some = `SELECT 1 FROM (${rowsSql(part)}) LIMIT 1`;
          if ((await writer.read(some)).length > 0) sources.push(part);
        }
      }
      return sources;
    },
    /** Writes the rows of one source, or of all, sorted. Does not sync the file. */
    write: (file: string, source: FileSource, sortedBy: readonly string[]): Promise<number> =>
      writer.export(rowsSql(source), sortedBy, file),
    async drop(): Promise<void> {
      for (const table of ['taken', 'texts', 'lineages']) await writer.read(`DROP TABLE ${table}`);
    },
  };
}

type TakenRows = ReturnType<typeof takenRows>;

function sourceCondition(source: FileSource): string {
  if (source === undefined) return 'true';
  const { endpoint, variant, heights = 'true' } = source;
  return `_endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)} AND ${heights}`;
}

/** Size and SHA-256 of a file, in hex. */
export async function digestedFile(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  for await (const part of localDisk.parts(file)) {
    digest.update(part);
    sizeBytes += part.length;
  }
  return { sizeBytes, sha256: digest.digest('hex') };
}

/** SHA-256 of a file's bytes, in hex. */
export async function sha256Of(file: string): Promise<string> {
  return (await digestedFile(file)).sha256;
}
