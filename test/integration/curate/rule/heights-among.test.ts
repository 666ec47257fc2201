import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { heightsAmong } from '../../../../src/curate/rule/heights-among.ts';
import { openConnection } from '../../../../src/land/storage/connection.ts';

test.each([1, 5000])('many intervals of %d blocks have the heights in them alone', async (size) => {
  const intervals = Array.from({ length: 150 }, (_, i) => {
    return { from: i * 10_000, to: i * 10_000 + size - 1 };
  });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await openConnection(instance);
  const isAmong = (await heightsAmong(connection, 'heights', intervals))('height');
  const answer = await connection.runAndReadAll(
    `SELECT height FROM (VALUES (0), (20000), (24999), (25000), (1500000)) AS h (height)
     WHERE ${isAmong} ORDER BY height`,
  );
  expect(answer.getRows().map(([height]) => Number(height))).toEqual(
    size === 1 ? [0, 20_000] : [0, 20_000, 24_999],
  );
  connection.closeSync();
  instance.closeSync();
});
