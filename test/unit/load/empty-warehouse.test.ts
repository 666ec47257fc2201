import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtWarehouse, emptyWarehouse } from '../../../src/load/empty-warehouse.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-empty-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const CONTENT = `
  SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal
  UNION ALL SELECT schema_name, table_name, sql, comment FROM duckdb_tables() WHERE NOT internal
  UNION ALL SELECT schema_name, function_name, macro_definition, comment FROM duckdb_functions()
    WHERE NOT internal
  UNION ALL SELECT schema_name, table_name, column_name, comment FROM duckdb_columns()
    WHERE NOT internal
  ORDER BY ALL`;

async function contentOf(bytes: Uint8Array): Promise<unknown[][]> {
  const path = join(folder, `${(await readdir(folder)).length}.duckdb`);
  await writeFile(path, bytes);
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(CONTENT)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

const at = () => pathToFileURL(`${folder}/`);

test('is read from the folder where the build stored it, under a name of its version', async () => {
  const { path, bytes } = await builtWarehouse();
  const name = path.pathname.split('/').at(-1) ?? '';
  expect(name).toMatch(/^empty-warehouse-[0-9a-f]{16}\.duckdb$/);
  await writeFile(join(folder, name), 'stored');
  const stored = await emptyWarehouse(at());
  expect(Buffer.from(await stored.bytes()).toString()).toBe('stored');
  expect(await contentOf(bytes)).toEqual(await contentOf((await builtWarehouse()).bytes));
});

test('is built where only another version is stored', async () => {
  await writeFile(join(folder, 'empty-warehouse-0123456789abcdef.duckdb'), 'of another version');
  const { bytes, views } = await emptyWarehouse(at());
  const content = await contentOf(await bytes());
  const names = content.map(([schema, name]) => (schema === 'main' ? name : `${schema}.${name}`));
  for (const view of views) expect(names).toContain(view);
  expect(content).toEqual(await contentOf((await builtWarehouse()).bytes));
});
