import {
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Cell } from '../../catalogue/column-kind.ts';
import type { Column } from '../../catalogue/entry.ts';
import { scanSql } from './scan.ts';
import { withScratch } from './scratch.ts';

/**
 * Rows of data files that meet the SQL condition, with one decoded cell per column. Holds all rows
 * in memory.
 */
export async function readRows(
  paths: readonly string[],
  columns: readonly Column[],
  condition = 'true',
): Promise<Cell[][]> {
  if (paths.length === 0) return [];
  return withScratch(async (connection) => {
    const rows = await scanSql(connection, paths, columns);
    const reader = await connection.runAndReadAll(`SELECT * FROM (${rows}) WHERE ${condition}`);
    return reader.getRows().map((row) => row.map(cellOf));
  });
}

function cellOf(value: DuckDBValue): Cell {
  if (value instanceof DuckDBDecimalValue) return value.value;
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  if (value instanceof DuckDBListValue) return value.items.map(String);
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value;
  throw new Error(`no column of a table holds ${String(value)}`);
}
