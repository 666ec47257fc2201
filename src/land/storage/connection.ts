import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/**
 * Settings of every connection that windrow opens. Times are UTC, whatever the time zone of the
 * machine. DuckDB 1.5.2 to 1.5.6 end the process with a segmentation fault when LIMIT without
 * ORDER BY stops a query over UNNEST and joins while an operator holds back rows; without that
 * cache they do not.
 */
const SETTINGS = "SET TimeZone = 'UTC'; SET enable_caching_operators = false";

/** Opens a connection with these settings; all connections of windrow are opened here. */
export async function openConnection(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(SETTINGS);
  return connection;
}
