import { afterEach, expect, test } from 'vitest';
import { limitMemory, memoryLimitBytes } from '../../../../src/land/storage/memory-limit.ts';
import { withScratch } from '../../../../src/land/storage/scratch.ts';
import { withWarehouse } from '../../../../src/load/query/open-warehouse.ts';
import { SmallLake } from '../../../fixtures/load-lake.ts';

/** Goal: no DuckDB of windrow takes more memory than its user allows. */

afterEach(() => limitMemory());

test.each([
  ['800MiB', 800 * 2 ** 20],
  ['300 MB', 300_000_000],
  ['1.5GiB', 1.5 * 2 ** 30],
  ['4GB', 4_000_000_000],
])('%s is a limit in bytes', (text, bytes) => {
  limitMemory(text);
  expect(memoryLimitBytes()).toBe(bytes);
});

test('without a setting it is a part of the machine', () => {
  limitMemory('1GB');
  limitMemory('');
  expect(memoryLimitBytes()).toBeGreaterThanOrEqual(512 * 2 ** 20);
  expect(memoryLimitBytes()).not.toBe(1e9);
});

test.each(['much', '100MiB', '4', '-4GB', '4TB', '1e9GB'])('%s is refused', (text) => {
  expect(() => limitMemory(text)).toThrow(`WINDROW_MEMORY_LIMIT is ${JSON.stringify(text)}.`);
});

test('queries and scratch databases have the limit', async () => {
  const small = await SmallLake.open();
  const { path } = await small.publish();
  limitMemory('400MiB');
  for (const open of [withScratch, withWarehouse.bind(undefined, path)]) {
    const rows = await open(async (connection) =>
      (await connection.runAndReadAll("SELECT current_setting('memory_limit')")).getRows(),
    );
    expect(rows).toEqual([['400.0 MiB']]);
  }
  await small.close();
});
