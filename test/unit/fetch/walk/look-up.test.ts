import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import type { FetchedPart } from '../../../../src/coverage/slice-part.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { unlearned } from '../../../fixtures/unlearned.ts';
import { gathered, Lister, type ListerOptions } from '../../../fixtures/walk-lister.ts';

const hash = (i: number): string => `0x${String(i).padStart(64, '0')}`;

async function fetched(
  slice: Partial<Slice>,
  list: readonly WireRecord[],
  options: ListerOptions = {},
  recordCap = 10_000,
): Promise<{
  readonly parts: FetchedPart[];
  readonly lister: Lister;
  readonly answers: { readonly right: number; readonly false: number };
}> {
  const lister = new Lister(list, options);
  const settings = { chain: 'X', pageSize: 10, recordCap, ...unlearned() };
  const whole: Slice = {
    list: listNamed('mainchain/transaction/transaction-multi'),
    keys: [''],
    interval: { from: 0, to: 99 },
    provisional: false,
    ...slice,
  };
  const parts = await gathered(fetchSlice(lister, whole, settings));
  return { parts, lister, answers: settings.facts.answers };
}

const statusAndKeys = (parts: readonly FetchedPart[]) =>
  parts.map(({ status, slice, records }) => [status, slice.keys, records.length]);

describe('records by hash, without pages', () => {
  const keys = [hash(1), hash(2), hash(3)];
  const transactions = [3, 2, 1].map((i) => ({ txId: hash(i), height: String(10 * i) }));

  test('one record for each hash is a proof', async () => {
    const { parts } = await fetched({ keys }, transactions);
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 3]]);
    expect(parts[0]?.requests).toBe(1);
  });

  test('a hash without an answer is requested once more, alone, and then reported', async () => {
    const { parts, lister } = await fetched({ keys }, transactions.slice(1));
    expect(statusAndKeys(parts)).toEqual([
      ['complete', [hash(1), hash(2)], 2],
      ['inconsistent', [hash(3)], 0],
    ]);
    expect(lister.calls.map(({ query }) => query['txId'])).toEqual([keys.join(','), hash(3)]);
  });

  test('an empty answer counts as throttling until each hash was requested alone', async () => {
    const { parts } = await fetched({ keys }, transactions, {
      tamper: (reply, { request }) => (request === 1 ? { records: [] } : reply),
    });
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 3]]);
  });

  test('a hash that has a record only the second time shows that empty answers can be false', async () => {
    const { answers } = await fetched({ keys }, transactions, {
      tamper: (reply, { request }) => (request === 1 ? { records: [] } : reply),
    });
    expect(answers).toEqual({ right: 3, false: 3 });
    const unknown = await fetched({ keys }, transactions.slice(1));
    expect(unknown.answers).toEqual({ right: 2, false: 0 });
  });

  test('a record of another hash refutes the answer', async () => {
    const stranger = { txId: hash(9), height: '7' };
    const { parts } = await fetched({ keys }, transactions, {
      tamper: (reply) => ({ ...reply, records: [...reply.records, stranger] }),
    });
    expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(parts[0]?.records).toHaveLength(3);
  });

  test('a hash that identifies a record has exactly one', async () => {
    const twice = [{ txId: hash(1), height: '11' }, ...transactions];
    const { parts } = await fetched({ keys }, twice);
    expect(statusAndKeys(parts)).toEqual([
      ['complete', [hash(2), hash(3)], 2],
      ['inconsistent', [hash(1)], 2],
    ]);
  });

  test('a record at another height is rejected', async () => {
    const moved = transactions.map((row) => ({ ...row, height: '200' }));
    const { parts } = await fetched({ keys: [hash(1)] }, moved);
    expect(statusAndKeys(parts)).toEqual([['inconsistent', [hash(1)], 0]]);
    expect(parts[0]?.reason).toContain('height 200');
  });

  test('a hash may have several records in a dataset without identity', async () => {
    const crossing = { zoneTxHash: hash(1), zoneBlockHeight: '5', value: '1' };
    const { parts } = await fetched(
      { list: listNamed('mainchain/zone/cross/transaction-multi'), keys: [hash(1)] },
      [crossing, crossing],
    );
    expect(statusAndKeys(parts)).toEqual([['complete', [hash(1)], 2]]);
  });
});
