import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openConnection, openDatabase } from '../../../../src/land/storage/connection.ts';
import { withScratch } from '../../../../src/land/storage/scratch.ts';
import { withWarehouse } from '../../../../src/load/query/open-warehouse.ts';
import { SmallLake } from '../../../fixtures/load-lake.ts';

/**
 * Goal: no connection of windrow runs with the operator cache that crashes DuckDB 1.5. That every
 * connection is opened by openConnection is a rule of test/architecture.test.ts.
 */

const SETTINGS = "SELECT current_setting('enable_caching_operators'), current_setting('TimeZone')";

test('a connection has no caching operators, and its times are UTC', async () => {
  const instance = await DuckDBInstance.create();
  for (let i = 0; i < 2; i += 1) {
    const connection = await openConnection(instance);
    expect((await connection.runAndReadAll(SETTINGS)).getRows()).toEqual([[false, 'UTC']]);
    connection.closeSync();
  }
  instance.closeSync();
});

test('databases spill into folders of their own, whatever they are told', async () => {
  const folders = new Set<unknown>();
  for (const path of [':memory:', ':memory:', join(tmpdir(), 'windrow-absent.duckdb')]) {
    const instance = await openDatabase(path, { temp_directory: join(tmpdir(), 'spilled') });
    const connection = await openConnection(instance);
    const setting = "SELECT current_setting('temp_directory')";
    folders.add((await connection.runAndReadAll(setting)).getRows()[0]?.[0]);
    connection.closeSync();
    instance.closeSync();
  }
  await rm(join(tmpdir(), 'windrow-absent.duckdb'), { force: true });
  expect(folders.size).toBe(3);
  for (const folder of folders) expect(folder).toContain(join(tmpdir(), 'spilled-'));
});

test('so have those of the scratch database and of the warehouse', async () => {
  const small = await SmallLake.open();
  const { path } = await small.publish();
  for (const open of [withScratch, withWarehouse.bind(undefined, path)]) {
    const rows = await open(async (connection) =>
      (await connection.runAndReadAll(SETTINGS)).getRows(),
    );
    expect(rows).toEqual([[false, 'UTC']]);
  }
  await small.close();
});
