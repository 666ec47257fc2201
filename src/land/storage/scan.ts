import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../../catalogue/entry.ts';
import { localDisk } from './disk.ts';
import { identifier, literal } from './sql-text.ts';

/**
 * SQL for all rows of the data files, with exactly these columns, in this order and with their
 * declared types. Columns are matched by name; a column that a file lacks is NULL. Without files
 * the relation is empty.
 */
export async function scanSql(
  connection: DuckDBConnection,
  paths: readonly string[],
  columns: readonly Column[],
): Promise<string> {
  if (paths.length === 0) return noRowsSql(columns);
  await localDisk.fetch(paths);
  const source = `read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)`;
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
  const present = new Set(described.getRows().map(([name]) => String(name)));
  const value = (name: string): string => (present.has(name) ? identifier(name) : 'NULL');
  return `SELECT ${list(columns, value)} FROM ${source}`;
}

/** SQL for an empty relation with these columns. */
export function noRowsSql(columns: readonly Column[]): string {
  return `SELECT ${list(columns, () => 'NULL')} WHERE false`;
}

/** The number of rows of a relation, or of a query in brackets. */
export async function countRows(connection: DuckDBConnection, from: string): Promise<number> {
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${from}`);
  return Number(counted.getRows()[0]?.[0]);
}

/** The names of the columns. */
export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => identifier(name)).join(', ');
}

function list(columns: readonly Column[], value: (name: string) => string): string {
  return columns
    .map(({ name, type }) => `CAST(${value(name)} AS ${type}) AS ${identifier(name)}`)
    .join(', ');
}
