import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { Lister } from '../../../../fixtures/walk-lister.ts';
import { fetched, summary, TOKEN, TRANSFERS } from '../../../../fixtures/walk-positions-setup.ts';

/** Goal: a positional list that exceeds the record cap lands its listed part as complete. */

const LIST = Array.from({ length: 700 }, (_, i): WireRecord => {
  const height = String(1 + Math.floor((699 - i) / 2));
  return { txid: '0x1', height, tokenContractAddress: TOKEN, amount: String(i % 7) };
});

test('an interval that the cap cuts is complete above the cut and truncated below it', async () => {
  const lister = new Lister(LIST, { cap: 200 });
  const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
  expect(summary(parts)).toEqual([
    ['complete', 252, 300, 98],
    ['truncated', 10, 251, 2],
  ]);
  expect(parts[1]?.reason).toBe(
    'the service lists at most 200 records; lists by address or by block have more',
  );
});

test('an interval below the cap is truncated as a whole', async () => {
  const lister = new Lister(LIST, { cap: 200 });
  const parts = await fetched(TRANSFERS, [10, 100], lister, { recordCap: 200 });
  expect(summary(parts)).toEqual([['truncated', 10, 100, 0]]);
});

test('amount bounds of the pipeline are part of each request', async () => {
  const params = { minAmount: '2', maxAmount: '4' };
  const lister = new Lister(LIST, { cap: 400 });
  const parts = await fetched(TRANSFERS, [1, 350], lister, { recordCap: 400, params });
  expect(summary(parts)).toEqual([['complete', 1, 350, 300]]);
});

test.each([2, 3, 4])('an interval is complete although request %i is empty', async (request) => {
  const lister = new Lister(LIST, {
    cap: 400,
    tamper: (reply, question) =>
      question.request === request ? { ...reply, records: [], totalPage: 0, total: 0 } : reply,
  });
  const parts = await fetched(TRANSFERS, [200, 300], lister, { recordCap: 400 });
  expect(lister.requests).toBeGreaterThan(request);
  expect(summary(parts)).toEqual([['complete', 200, 300, 202]]);
});
