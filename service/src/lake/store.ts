import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { openConnection } from '../../../src/land/storage/connection.ts';
import { literal } from '../../../src/land/storage/sql-text.ts';

/** Rows of a result, with one value per column. */
export type Rows = readonly (readonly DuckDBValue[])[];

/** Small row groups: reading a few entries of an index reads few others. */
const ROW_GROUP_ROWS = 8192;
/** Queries that run concurrently; others wait. */
const CONNECTIONS = 4;

/**
 * A database that reads the files of curated tables. Its indexes lie in a temporary folder of its
 * own, which `close` removes.
 */
export class LakeStore {
  readonly #instance: DuckDBInstance;
  readonly #connections: readonly DuckDBConnection[];
  readonly #folder: string;
  readonly #idle: DuckDBConnection[];
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];

  private constructor(
    instance: DuckDBInstance,
    connections: readonly DuckDBConnection[],
    folder: string,
  ) {
    this.#instance = instance;
    this.#connections = connections;
    this.#idle = [...connections];
    this.#folder = folder;
  }

  /** Queries and indexes use up to `memoryBytes`. */
  static async open(memoryBytes: number): Promise<LakeStore> {
    const folder = await mkdtemp(join(tmpdir(), 'windrow-serve-'));
    try {
      return await LakeStore.#openIn(folder, memoryBytes);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  static async #openIn(folder: string, memoryBytes: number): Promise<LakeStore> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(memoryBytes / 2 ** 20)}MiB`,
      temp_directory: join(folder, 'spilled'),
    });
    const connections: DuckDBConnection[] = [];
    for (let i = 0; i < CONNECTIONS; i += 1) connections.push(await openConnection(instance));
    const [first] = connections;
    // Files never change: their footers are read once.
    await first?.run('SET GLOBAL parquet_metadata_cache = true');
    const file = literal(join(folder, 'served.duckdb'));
    await first?.run(`ATTACH ${file} AS served (ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
    for (const connection of connections) await connection.run('USE served');
    return new LakeStore(instance, connections, folder);
  }

  /** Runs one or several statements and returns the rows of the last one. */
  async rows(sql: string): Promise<Rows> {
    return this.#with(async (connection) => (await connection.runAndReadAll(sql)).getRows());
  }

  /** Resolves when all queries have ended. */
  async close(): Promise<void> {
    for (let i = 0; i < this.#connections.length; i += 1) (await this.#taken()).closeSync();
    this.#instance.closeSync();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #with<T>(ask: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.#taken();
    try {
      return await ask(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else next(connection);
    }
  }

  #taken(): Promise<DuckDBConnection> {
    const connection = this.#idle.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
