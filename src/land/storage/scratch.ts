import { tmpdir } from 'node:os';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openConnection } from './connection.ts';

/**
 * Does work with a DuckDB of its own that tells times in UTC and spills into the temporary folder
 * of the system. It is closed when the work has ended, however that ends.
 */
export async function withScratch<T>(
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', { temp_directory: tmpdir() });
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
