import type { DuckDBConnection } from '@duckdb/node-api';
import { openConnection, openDatabase } from '../../land/storage/connection.ts';
import { type JobStep, runSteps } from './steps.ts';

/** Settings of every session, whatever executes its statements. */
export const SETTINGS = [
  "SET TimeZone = 'UTC'",
  'SET enable_caching_operators = false',
  'SET preserve_insertion_order = false',
  // DuckDB would keep the bytes of every file that it reads; the system has them anyway.
  'SET enable_external_file_cache = false',
  // Queries over chunks read the footers of the same files again and again.
  'SET parquet_metadata_cache = true',
  // Two threads need a quarter more time in sum: sessions run side by side instead.
  'SET threads = 1',
];

export interface SessionOptions {
  /** Rows beyond the memory limit spill into a folder whose name begins so; see `openDatabase`. */
  readonly spilledTo: string;
  readonly memoryBytes: number;
}

/** A DuckDB in memory that plans jobs, or executes them. */
export class RangeSession {
  readonly connection: DuckDBConnection;
  readonly #close: () => void;
  #begun: readonly JobStep[] | undefined;

  private constructor(connection: DuckDBConnection, close: () => void) {
    this.connection = connection;
    this.#close = close;
  }

  static async open({ spilledTo, memoryBytes }: SessionOptions): Promise<RangeSession> {
    const settings = { temp_directory: spilledTo, threads: '1' };
    const instance = await openDatabase(':memory:', settings, memoryBytes);
    const close: (() => void)[] = [() => instance.closeSync()];
    const closeAll = (): void =>
      close
        .splice(0)
        .reverse()
        .forEach((end) => void end());
    try {
      const connection = await openConnection(instance);
      close.push(() => connection.closeSync());
      await connection.run(
        [...SETTINGS, ...['plan', 'lake', 'stored'].map((name) => `CREATE SCHEMA ${name}`)].join(
          ';',
        ),
      );
      return new RangeSession(connection, closeAll);
    } catch (error) {
      closeAll();
      throw error;
    }
  }

  /**
   * Executes the first steps of a job, which several jobs share, once. It has their settings: a
   * session that is locked down refuses to change any.
   */
  async begin(steps: readonly JobStep[]): Promise<void> {
    if (this.#begun === steps) return;
    const isNew = (step: JobStep) => typeof step !== 'string' || !SETTINGS.includes(step);
    await runSteps(this.connection, steps.filter(isNew));
    this.#begun = steps;
  }

  close(): void {
    this.#close();
  }
}
