import { totalmem } from 'node:os';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

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

/** Memory that one DuckDB may take before it spills to disk: a quarter of the machine. */
export function memoryLimitBytes(): number {
  return Math.max(512 * 2 ** 20, Math.floor(totalmem() / 4));
}
