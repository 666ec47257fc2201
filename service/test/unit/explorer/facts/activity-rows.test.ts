import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import {
  extentOf,
  type ListPlace,
  type RowList,
  rowsFrom,
} from '../../../../src/explorer/facts/activity-rows.ts';
import type { WarehouseSession } from '../../../../src/explorer/facts/warehouse-reader.ts';

/** Goal: pages of a list hold every row once, however its rows are spread over blocks. */

async function withSession(use: (session: WarehouseSession) => Promise<void>): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await use({
    ask: async (sql, ...values) =>
      (await connection.runAndReadAll(sql, [...values])).getRowObjectsJson(),
    kept: (_, compute) => compute(),
  });
  connection.closeSync();
  instance.closeSync();
}

it.each([
  ['one block', '5'],
  ['a few full blocks', 'n // 130'],
  ['many blocks', 'n * 1000'],
  ['blocks far apart', 'CASE WHEN n < 250 THEN n ELSE n * 1000000 END'],
])('%s', async (_, block) => {
  const list: RowList = {
    table: `(SELECT ${block} AS block_number, n FROM range(500) AS numbers (n))`,
    columns: 'block_number, n',
    condition: { sql: 'n >= $1::BIGINT', values: [3n] },
    within: 'n',
  };
  await withSession(async (session) => {
    const extent = await extentOf(session, list);
    expect(extent.rows).toBe(497);
    const seen: number[] = [];
    let place: ListPlace | undefined;
    for (let pages = 0; pages < 20; pages += 1) {
      const { rows, next } = await rowsFrom(session, list, extent, place, 50);
      seen.push(...rows.map((row) => Number(row['n'])));
      place = next;
      if (next === undefined) break;
    }
    expect(seen).toHaveLength(497);
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 497 }, (__, i) => i + 3));
  });
});

it('a place beyond the list is its beginning, and one before it is its end', async () => {
  const list: RowList = {
    table: '(SELECT n + 10 AS block_number, n FROM range(5) AS numbers (n))',
    columns: 'block_number',
    condition: { sql: 'true', values: [] },
    within: 'n',
  };
  await withSession(async (session) => {
    const extent = await extentOf(session, list);
    const at = async (block: number, skip: number) =>
      (await rowsFrom(session, list, extent, { block, skip }, 50)).rows.length;
    expect([await at(999, 7), await at(14, 1), await at(9, 0)]).toEqual([5, 4, 0]);
  });
});
