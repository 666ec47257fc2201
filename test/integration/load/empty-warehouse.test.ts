import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { builtWarehouse, emptyWarehouse } from '../../../src/load/empty-warehouse.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

let folder: string;

beforeEach(async () => {
  folder = await freshFolder();
});

const CONTENT = `
  SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal
  UNION ALL SELECT schema_name, table_name, sql, comment FROM duckdb_tables() WHERE NOT internal
  UNION ALL SELECT schema_name, function_name, macro_definition, comment FROM duckdb_functions()
    WHERE NOT internal
  UNION ALL SELECT schema_name, table_name || '.' || column_name, data_type, comment FROM duckdb_columns()
    WHERE NOT internal
  ORDER BY ALL`;

async function contentOf(bytes: Uint8Array): Promise<unknown[][]> {
  // Contents may be read side by side.
  const path = join(folder, `${randomUUID()}.duckdb`);
  await writeFile(path, bytes);
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(CONTENT)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** It takes a second, and is the same every time: the second test compares it with another. */
let built: Awaited<ReturnType<typeof builtWarehouse>>;
beforeAll(async () => {
  built = await builtWarehouse();
});

const at = () => `${folder}/`;

test('is read from the folder where the build stored it, under a name of its version', async () => {
  const file = built.path.split('/').at(-1) ?? '';
  expect(file).toMatch(/^empty-warehouse-[0-9a-f]{16}\.duckdb$/);
  await writeFile(join(folder, file), 'stored');
  const stored = await emptyWarehouse(at());
  expect(Buffer.from(await stored.bytes()).toString()).toBe('stored');
});

test('is built where only another version is stored', async () => {
  const other = 'empty-warehouse-0123456789abcdef.duckdb';
  await writeFile(join(folder, other), 'of another version');
  const { bytes, views } = await emptyWarehouse(at());
  const content = await contentOf(await bytes());
  const names = content.map(([schema, name]) => (schema === 'main' ? name : `${schema}.${name}`));
  for (const view of views) expect(names).toContain(view);
  expect(content).toEqual(await contentOf(built.bytes));
});
