import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { memoryLimitBytes } from './memory-limit.ts';

/**
 * Settings of every connection that windrow opens. Times are UTC, independent of the time zone of
 * the machine. The caching of operators is off because DuckDB 1.5.2 to 1.5.6 crash with it
 * (segmentation fault) when LIMIT without ORDER BY stops a query over UNNEST and joins.
 */
const SETTINGS = "SET TimeZone = 'UTC'; SET enable_caching_operators = false";

/** Opens a connection with these settings. All connections of windrow are opened here. */
export async function openConnection(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(SETTINGS);
  return connection;
}

/** Does work with one connection to a database, and closes both. See `openDatabase`. */
export async function withDatabase<T>(
  path: string,
  work: (connection: DuckDBConnection) => Promise<T>,
  ...options: [options?: Readonly<Record<string, string>>, memoryBytes?: number]
): Promise<T> {
  const instance = await openDatabase(path, ...options);
  try {
    const connection = await openConnection(instance);
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

/**
 * Opens a database, `:memory:` or a file, that takes no more memory than `memoryBytes`. All
 * databases of windrow are opened here, but for a served lake, which has a limit of its own.
 *
 * Rows that do not fit into memory spill into a folder of the database's own, which DuckDB makes on
 * demand and removes on closing: two databases that spill into one folder overwrite each other's
 * files, and the process crashes. The folder's name begins with `temp_directory`, whose parent must
 * exist by then; by default it lies beside the file, or in the temporary folder of the system.
 */
export async function openDatabase(
  path: string,
  options: Readonly<Record<string, string>> = {},
  memoryBytes = memoryLimitBytes(),
): Promise<DuckDBInstance> {
  const beside = path === ':memory:' ? join(tmpdir(), 'windrow-spilled') : `${path}.tmp`;
  return DuckDBInstance.create(path, {
    memory_limit: `${Math.floor(memoryBytes / 2 ** 20)}MiB`,
    ...options,
    temp_directory: `${options['temp_directory'] ?? beside}-${randomUUID()}`,
  });
}
