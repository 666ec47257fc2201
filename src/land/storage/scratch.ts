import type { DuckDBConnection } from '@duckdb/node-api';
import { openConnection, openDatabase } from './connection.ts';

/**
 * Runs work with a temporary in-memory DuckDB, which spills into the temporary folder of the
 * system. Closes it when the work ends or fails.
 */
export async function withScratch<T>(
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await openDatabase(':memory:');
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
