import { expect, test } from 'vitest';
import { LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';

test('times are UTC, whatever the time zone of the machine', async () => {
  process.env['TZ'] = 'Asia/Tokyo';
  expect(new Date(0).getHours()).toBe(9);
  const small = await SmallLake.open();
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
  expect(
    await small.rows('SELECT block_time::VARCHAR, hour(block_time), block_time FROM transactions'),
  ).toEqual([['2023-11-14 22:13:20.123+00', 22, '2023-11-14T22:13:20.123Z']]);
  await small.close();
});
