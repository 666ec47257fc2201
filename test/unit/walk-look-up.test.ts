import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';
import { unlearned } from '../unlearned.ts';
import { gathered, Lister, type ListerOptions } from './walk-lister.ts';

const hash = (i: number): string => `0x${String(i).padStart(64, '0')}`;

async function fetched(
  slice: Partial<Slice>,
  list: readonly WireRecord[],
  options: ListerOptions = {},
  recordCap = 10_000,
): Promise<{ readonly parts: Fetched[]; readonly lister: Lister }> {
  const lister = new Lister(list, options);
  const settings = { chain: 'X', pageSize: 10, recordCap, ...unlearned() };
  const whole: Slice = {
    endpoint: '',
    variant: variant({}),
    keys: [''],
    interval: { from: 0, to: 99 },
    provisional: false,
    ...slice,
  };
  return { parts: await gathered(fetchSlice(lister, whole, settings)), lister };
}

const statusAndKeys = (parts: readonly Fetched[]) =>
  parts.map(({ status, slice, records }) => [status, slice.keys, records.length]);

describe('records by hash, without pages', () => {
  const endpoint = 'mainchain/transaction/transaction-multi';
  const keys = [hash(1), hash(2), hash(3)];
  const transactions = [3, 2, 1].map((i) => ({ txId: hash(i), height: String(10 * i) }));

  test('as many answers as hashes asked are a proof', async () => {
    const { parts } = await fetched({ endpoint, keys }, transactions);
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 3]]);
    expect(parts[0]?.requests).toBe(1);
  });

  test('a hash without an answer is asked once more, alone, and then named', async () => {
    const { parts, lister } = await fetched({ endpoint, keys }, transactions.slice(1));
    expect(statusAndKeys(parts)).toEqual([
      ['complete', [hash(1), hash(2)], 2],
      ['inconsistent', [hash(3)], 0],
    ]);
    expect(lister.asked.map(({ query }) => query['txId'])).toEqual([keys.join(','), hash(3)]);
  });

  test('an empty answer to all is throttling until each was asked alone', async () => {
    const { parts } = await fetched({ endpoint, keys }, transactions, {
      tamper: (reply, { request }) => (request === 1 ? { records: [] } : reply),
    });
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 3]]);
  });

  test('a record of another hash makes the answer worthless', async () => {
    const stranger = { txId: hash(9), height: '7' };
    const { parts } = await fetched({ endpoint, keys }, transactions, {
      tamper: (reply) => ({ ...reply, records: [...reply.records, stranger] }),
    });
    expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(parts[0]?.records).toHaveLength(3);
  });

  test('a hash that identifies a record has one', async () => {
    const twice = [{ txId: hash(1), height: '11' }, ...transactions];
    const { parts } = await fetched({ endpoint, keys }, twice);
    expect(statusAndKeys(parts)).toEqual([
      ['complete', [hash(2), hash(3)], 2],
      ['inconsistent', [hash(1)], 2],
    ]);
  });

  test('a record at a height that was not asked is not taken', async () => {
    const moved = transactions.map((each) => ({ ...each, height: '200' }));
    const { parts } = await fetched({ endpoint, keys: [hash(1)] }, moved);
    expect(statusAndKeys(parts)).toEqual([['inconsistent', [hash(1)], 0]]);
    expect(parts[0]?.reason).toContain('height 200');
  });

  test('a hash that names several records of a dataset without identity may have several', async () => {
    const crossing = { zoneTxHash: hash(1), zoneBlockHeight: '5', value: '1' };
    const { parts } = await fetched(
      { endpoint: 'mainchain/zone/cross/transaction-multi', keys: [hash(1)] },
      [crossing, crossing],
    );
    expect(statusAndKeys(parts)).toEqual([['complete', [hash(1)], 2]]);
  });
});

describe('records by hash, in pages', () => {
  const endpoint = 'mainchain/transaction/token-transfer-multi';
  const transfers = (key: number, count: number): WireRecord[] =>
    Array.from({ length: count }, (_, i) => ({ txId: hash(key), height: '7', amount: String(i) }));

  test('an explicitly empty list is a proof', async () => {
    const { parts } = await fetched({ endpoint, keys: [hash(1), hash(2)] }, []);
    expect(statusAndKeys(parts)).toEqual([['complete', [hash(1), hash(2)], 0]]);
  });

  test('a list at the record cap is split by keys', async () => {
    const list = [...transfers(1, 15), ...transfers(2, 18)];
    const keys = [hash(1), hash(2)];
    const { parts, lister } = await fetched({ endpoint, keys }, list, { cap: 30 }, 30);
    expect(parts.map(({ requests }) => requests)).toEqual([4, 3]);
    expect(lister.requests).toBe(7);
    expect(statusAndKeys(parts)).toEqual([
      ['complete', [hash(1)], 15],
      ['complete', [hash(2)], 18],
    ]);
  });

  test('one hash with more records than the cap is truncated', async () => {
    const { parts } = await fetched(
      { endpoint, keys: [hash(1)] },
      transfers(1, 45),
      { cap: 30 },
      30,
    );
    expect(statusAndKeys(parts)).toEqual([['truncated', [hash(1)], 30]]);
  });
});

describe('all of one block', () => {
  const block = { endpoint: 'mainchain/zone/block/transaction-list', interval: { from: 7, to: 7 } };
  const inBlock = (count: number): WireRecord[] =>
    Array.from({ length: count }, (_, i) => ({ hash: hash(i), blockHeight: '7' }));

  test('all its pages and a total that agrees are a proof', async () => {
    const { parts, lister } = await fetched(block, inBlock(25));
    expect(statusAndKeys(parts)).toEqual([['complete', [''], 25]]);
    expect(lister.requests).toBe(4);
  });

  test('an exactly full end needs no second reading where a total proves it', async () => {
    const { parts, lister } = await fetched(block, inBlock(20));
    expect(statusAndKeys(parts)).toEqual([['complete', [''], 20]]);
    expect(lister.requests).toBe(3);
  });

  test('a record of another height is a contradiction', async () => {
    const { parts } = await fetched(block, inBlock(3), {
      tamper: (reply) => ({
        ...reply,
        total: 4,
        records: [...reply.records, { hash: hash(9), blockHeight: '8' }],
      }),
    });
    expect(statusAndKeys(parts)).toEqual([['inconsistent', [''], 3]]);
  });

  test('the record cap of the primary chain is none of the zone chain', async () => {
    const { parts } = await fetched(block, inBlock(25), {}, 10);
    expect(statusAndKeys(parts)).toEqual([['complete', [''], 25]]);
    const primary = { ...block, endpoint: 'mainchain/block/transaction-list' };
    const list = inBlock(25).map(({ hash: txid }) => ({ txid, height: '7' }));
    const capped = await fetched(primary, list, { cap: 10 }, 10);
    expect(statusAndKeys(capped.parts)).toEqual([['truncated', [''], 10]]);
  });
});

describe('a list with a total', () => {
  const endpoint = 'mainchain/zone/address/transaction-list';
  const from = `0x${'a'.repeat(40)}`;
  const keys = [from];
  const list: WireRecord[] = Array.from({ length: 25 }, (_, i) => ({
    hash: hash(i),
    blockHeight: String(90 - i),
    from,
  }));

  test('is complete when it holds as many records as it says', async () => {
    const { parts, lister } = await fetched({ endpoint, keys }, list);
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 25]]);
    expect(new Set(lister.asked.map(({ query }) => query['endBlockHeight']))).toEqual(
      new Set(['99']),
    );
  });

  test.each([
    ['says more than it lists', 26, 1],
    ['says less than it lists', 24, 1],
    ['changes its total on the way', 26, 3],
  ])('that %s is no proof', async (_name, total, since) => {
    const { parts } = await fetched({ endpoint, keys }, list, {
      tamper: (reply, { page }) =>
        reply.totalPage === 3 && page >= since ? { ...reply, total } : reply,
    });
    // The halves are short enough to be let alone by the fault.
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.flatMap((part) => part.records)).toHaveLength(25);
  });

  test('that changed its total behind the walk begins it anew', async () => {
    let isOld = true;
    const { parts, lister } = await fetched({ endpoint, keys }, list, {
      tamper: (reply, { request }) => {
        if (!isOld || request < 4) return reply;
        isOld = false;
        return { ...reply, total: 26 };
      },
    });
    expect(statusAndKeys(parts)).toEqual([['complete', keys, 25]]);
    expect(lister.requests).toBe(8);
  });
});
