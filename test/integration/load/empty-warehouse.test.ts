import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { builtWarehouses, emptyWarehouse } from '../../../src/load/empty-warehouse.ts';
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

/** Each takes a second, and is the same every time: the second test compares it with others. */
let built: Awaited<ReturnType<typeof builtWarehouses>>;
beforeAll(async () => {
  built = await builtWarehouses();
});

const at = () => `${folder}/`;

const NAMES = ['with names', 'without names'] as const;

test('is read from the folder where the build stored it, under a name of its version', async () => {
  const files = built.map(({ path }) => path.split('/').at(-1) ?? '');
  expect(files[0]).toMatch(/^empty-warehouse-[0-9a-f]{16}-with-names\.duckdb$/);
  expect(files[1]).toBe(files[0]?.replace('with', 'without'));
  for (const name of files) await writeFile(join(folder, name), name);
  const stored = await emptyWarehouse(at());
  for (const [i, names] of NAMES.entries()) {
    expect(Buffer.from(await stored.bytes(names)).toString()).toBe(files[i]);
  }
});

test('is built where only another version is stored', async () => {
  const other = 'empty-warehouse-0123456789abcdef-with-names.duckdb';
  await writeFile(join(folder, other), 'of another version');
  const { bytes, views } = await emptyWarehouse(at());
  for (const [i, options] of NAMES.entries()) {
    const content = await contentOf(await bytes(options));
    const names = content.map(([schema, name]) => (schema === 'main' ? name : `${schema}.${name}`));
    for (const view of views) expect(names).toContain(view);
    expect(content).toEqual(await contentOf(built[i]?.bytes ?? new Uint8Array()));
  }
});

test('has the same columns, types and comments without names, and joins no table of names', async () => {
  const { bytes } = await emptyWarehouse(at());
  const [named = [], plain = []] = await Promise.all(
    NAMES.map(async (names) => contentOf(await bytes(names))),
  );
  const withoutSql = (content: unknown[][]): unknown[][] =>
    content.map(([schema, name, , comment]) => [schema, name, comment]);
  expect(withoutSql(plain)).toEqual(withoutSql(named));
  const joins = (content: unknown[][]): number =>
    content.filter(([, , sql]) => /JOIN \(?lake\.(labels|tokens|methods)/.test(String(sql))).length;
  expect(joins(named)).toBeGreaterThan(15);
  expect(joins(plain)).toBe(0);
});
