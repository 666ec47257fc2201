import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { withDatabase } from './connection.ts';
import { localDisk } from './disk.ts';

/**
 * Runs work with a temporary in-memory DuckDB, which spills into the temporary folder of the
 * system. Closes it when the work ends or fails.
 */
export function withScratch<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  return withDatabase(':memory:', work);
}

/** Runs work with the path of a temporary file, in a folder that is removed afterwards. */
export async function withScratchFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = join(tmpdir(), `windrow-scratch-${randomUUID()}`);
  await localDisk.makeFolder(folder, 0o700);
  try {
    return await work(join(folder, 'scratch'));
  } finally {
    await localDisk.remove(folder);
  }
}
