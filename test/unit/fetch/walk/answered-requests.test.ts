import { expect, test } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { listOf } from '../../../../src/coverage/list.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import { AnsweredRequests } from '../../../../src/fetch/walk/answered-requests.ts';
import { listed } from '../../../fixtures/listed.ts';
import { A, record, sliceOf } from '../../../fixtures/walk-setup.ts';

/** Goal: an empty answer is judged by the requests of lists that can be asked for a known record. */

const transfers = (protocolType: string) =>
  listOf(endpointAt('mainchain/address/token-transaction-list'), { protocolType });

test('a list with records above the safe height alone is judged by those of its endpoint', () => {
  const answered = new AnsweredRequests();
  const coins = sliceOf({ list: transfers('token_20'), interval: { from: 0, to: 35 } });
  const newest = { list: transfers('token_721'), interval: { from: 34, to: 36 } };
  const seen = (height: number, slice: Partial<Slice>) =>
    answered.add(sliceOf(slice), listed(coins.list.entry, [record(height)]), true);
  seen(26, coins);
  seen(36, { ...newest, provisional: true });
  const wide = { list: newest.list, interval: coins.interval };
  expect(answered.proves(wide)).toBe(true);
  expect(answered.newestOf(newest.list)).toMatchObject({
    keys: [A],
    interval: { from: 26, to: 26 },
  });
  // From its first record below the safe height on, it is judged by its own requests.
  seen(31, { ...newest, interval: { from: 30, to: 33 } });
  expect(answered.proves(wide)).toBe(false);
  expect(answered.newestOf(newest.list)).toMatchObject({ interval: { from: 31, to: 31 } });
});
