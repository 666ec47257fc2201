import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** A reader of Delta tables: it replays their logs and reads the files that they leave. */

let opened: Promise<DuckDBConnection> | undefined;

function database(): Promise<DuckDBConnection> {
  opened ??= DuckDBInstance.create(':memory:', { threads: '1' }).then((engine) => engine.connect());
  return opened;
}

/** Rows of a table, each as a list of texts; none where there is no such table. */
export async function rowsOf(
  root: string,
  chain: string,
  table: string,
  columns: readonly string[],
): Promise<readonly (readonly (string | null)[])[]> {
  const files = await filesOfLog(join(root, 'lake', chain, table)).catch(() => []);
  if (files.length === 0) return [];
  const connection = await database();
  const listed = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(', ');
  const selected = columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ');
  const from = `read_parquet([${listed}], union_by_name = true)`;
  const result = await connection.runAndReadAll(`SELECT ${selected} FROM ${from}`);
  return result.getRowsJson() as (string | null)[][];
}

/** The active files of the table in a folder. */
export async function filesOfLog(folder: string): Promise<string[]> {
  const log = join(folder, '_delta_log');
  const names = await readdir(log);
  const files = new Set<string>();
  for (const name of names.filter((file) => /^\d+\.json$/.test(file)).sort()) {
    for (const line of (await readFile(join(log, name), 'utf8')).split('\n')) {
      if (line === '') continue;
      const action = JSON.parse(line) as { add?: { path: string }; remove?: { path: string } };
      if (action.remove !== undefined) files.delete(action.remove.path);
      if (action.add !== undefined) files.add(action.add.path);
    }
  }
  return [...files].map((path) => join(folder, decodeURIComponent(path))).sort();
}
