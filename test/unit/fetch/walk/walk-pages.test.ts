import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import { asSent, parsedRecord } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { Lister, type ListerOptions } from '../../../fixtures/walk-lister.ts';
import { fetched, sliceOf, statusesOf, textsOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: lists without bounds to move (of one block, or of hashes) are read by their pages, and a
 * page that does not match the others is detected.
 */

const BLOCK = 'mainchain/block/transaction-list';
const ZONE_BLOCK = 'mainchain/zone/block/transaction-list';
const block = sliceOf({ list: listNamed(BLOCK), keys: [''], interval: { from: 7, to: 7 } });
const hash = (i: number): string => `0x${String(i).padStart(64, '0')}`;
const inBlock = (count: number, more: WireRecord = {}): WireRecord[] =>
  Array.from({ length: count }, (_, i) => ({ txid: hash(i), height: '7', ...more }));
const RECORDS = inBlock(25);
const whole = textsOf([{ records: RECORDS }]);

type Tamper = NonNullable<ListerOptions['tamper']>;

test('answers that arrive out of order are put in page order', async () => {
  const list = inBlock(45);
  const lister: Lister = new Lister(list, {
    turns: () => (lister.requests % 2 === 0 ? 9 : 1),
  });
  const [part] = await fetched(lister, block);
  expect(part?.status).toBe('complete');
  expect(part?.records.map(parsedRecord)).toEqual(list);
});

const faults: [string, number, Tamper][] = [
  ['says that it is another page', 2, (reply) => ({ ...reply, page: 1 })],
  ['has another page size', 3, (reply) => ({ ...reply, limit: 20 })],
  ['counts other pages', 3, (reply) => ({ ...reply, totalPage: 4 })],
  ['lacks a record in the middle', 2, (reply) => ({ ...reply, records: reply.records.slice(1) })],
  ['is empty at the end', 3, (reply) => ({ ...reply, records: [] })],
  ['is another one under its number', 2, (reply) => ({ ...reply, records: RECORDS.slice(0, 10) })],
];

describe('a page that', () => {
  test.each(faults)('%s is read again', async (_name, page, tamper) => {
    let isOnce = true;
    const lister = new Lister(RECORDS, {
      tamper: (reply, call) => {
        if (!isOnce || call.page !== page || call.limit !== 10) return reply;
        isOnce = false;
        return tamper(reply, call);
      },
    });
    const parts = await fetched(lister, block);
    expect(isOnce).toBe(false);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(whole);
  });

  test.each(faults)('always %s makes the block inconsistent', async (_name, page, tamper) => {
    const lister = new Lister(RECORDS, {
      tamper: (reply, call) => (call.page === page ? tamper(reply, call) : reply),
    });
    const parts = await fetched(lister, block);
    expect(statusesOf(parts)).toEqual(['inconsistent']);
    expect(parts[0]?.reason).not.toBe('');
  });

  test('has a record of another block contradicts its request', async () => {
    const lister = new Lister(inBlock(3), {
      tamper: (reply) => ({
        ...reply,
        records: [...reply.records, { txid: hash(9), height: '8' }],
      }),
    });
    const [part] = await fetched(lister, block);
    expect(part).toMatchObject({ status: 'inconsistent', records: asSent(inBlock(3)) });
    expect(part?.reason).toContain('height 8 was listed');
  });
});

test('a transaction that is listed twice contradicts its identity', async () => {
  const lister = new Lister([...inBlock(3), ...inBlock(1)]);
  const [part] = await fetched(lister, block);
  expect(part?.status).toBe('inconsistent');
  expect(part?.reason).toContain('two records have the identity');
});

describe('two readings in pages of two sizes', () => {
  const pagesBeyondFirst = (calls: Lister['calls']): number[] => [
    ...new Set(calls.map(({ limit }) => limit)),
  ];

  test('are required for a list of several pages', async () => {
    const lister = new Lister(RECORDS);
    await fetched(lister, block);
    expect(pagesBeyondFirst(lister.calls)).toHaveLength(2);
  });

  test('are required for a list whose only page is exactly full', async () => {
    // In pages of ten the list seems to end after record 10.
    const lister = new Lister(inBlock(12), {
      tamper: (reply, { limit }) =>
        limit === 10 ? { ...reply, records: reply.records.slice(0, 10), totalPage: 1 } : reply,
    });
    const parts = await fetched(lister, block);
    expect(statusesOf(parts)).toEqual(['inconsistent']);
  });

  test('are required for a full page if the next page has records, whatever is counted', async () => {
    const lister = new Lister(inBlock(11), {
      tamper: ({ totalPage = 0, ...reply }) => ({ ...reply, totalPage: totalPage - 1 }),
    });
    const [part] = await fetched(lister, block);
    expect([part?.status, part?.records.length]).not.toEqual(['complete', 10]);
  });

  test('must agree in every copy, whatever the order of equal records', async () => {
    const shuffled = (records: readonly WireRecord[], by: number): WireRecord[] => {
      return [...records.slice(by), ...records.slice(0, by)];
    };
    // Two answers from replicas with different orders show one record twice and another never.
    let request = 0;
    const lister = new Lister(RECORDS, {
      before: (list) => {
        request += 1;
        list.records = request < 6 ? shuffled(RECORDS, request * 3) : RECORDS;
      },
    });
    const parts = await fetched(lister, block);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(whole);
  });
});

describe('a list with a total', () => {
  const zone = { ...block, list: listNamed(ZONE_BLOCK) };
  const list = Array.from({ length: 25 }, (_, i) => ({ hash: hash(i), blockHeight: '7' }));

  test('is complete if its number of records equals the total', async () => {
    const parts = await fetched(new Lister(list), zone);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });

  test.each([
    ['says more than it lists', 26, 1],
    ['says less than it lists', 24, 1],
    ['changes its total on the way', 26, 3],
  ])('that %s is inconsistent', async (_name, total, since) => {
    const lister = new Lister(list, {
      tamper: (reply, { page }) => (page >= since ? { ...reply, total } : reply),
    });
    expect(statusesOf(await fetched(lister, zone))).toEqual(['inconsistent']);
  });

  test('has no record cap on the zone chain', async () => {
    const parts = await fetched(new Lister(list), zone, { recordCap: 10 });
    expect(statusesOf(parts)).toEqual(['complete']);
    const capped = await fetched(new Lister(RECORDS, { cap: 10 }), block, { recordCap: 10 });
    expect(capped.map(({ status, records }) => [status, records.length])).toEqual([
      ['truncated', 10],
    ]);
  });
});

describe('records of several hashes', () => {
  const endpoint = 'mainchain/transaction/token-transfer-multi';
  const transfers = (key: number, count: number): WireRecord[] =>
    Array.from({ length: count }, (_, i) => ({ txId: hash(key), height: '7', amount: String(i) }));
  const slice = sliceOf({
    list: listNamed(endpoint, { protocolType: 'token_20' }),
    keys: [hash(1), hash(2), hash(3)],
    interval: { from: 0, to: 99 },
  });
  const list = [1, 2, 3].flatMap((key) => transfers(key, 15));

  test('are split by hash at the record cap, and each part is complete', async () => {
    const parts = await fetched(new Lister(list, { cap: 30 }), slice, { recordCap: 30 });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    expect(parts.map(({ requests }) => requests).every((requests) => requests > 0)).toBe(true);
  });

  test('are split where an undocumented cap may have cut them', async () => {
    for (const cap of [16, 33, 44]) {
      const parts = await fetched(new Lister(list, { cap }), slice);
      expect(statusesOf(parts)).toEqual(['complete']);
      expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    }
  });

  test('are split if their last page is exactly full', async () => {
    const full = [1, 2].flatMap((key) => transfers(key, 10));
    const two = { ...slice, keys: [hash(1), hash(2)] };
    const lister = new Lister(full);
    const parts = await fetched(lister, two);
    expect(parts.map(({ slice: part }) => part.keys)).toEqual([[hash(1)], [hash(2)]]);
    expect(textsOf(parts)).toEqual(textsOf([{ records: full }]));
  });

  test('are truncated for a hash that exceeds the cap', async () => {
    const long = [...transfers(1, 45), ...transfers(2, 5)];
    const parts = await fetched(new Lister(long, { cap: 30 }), slice, { recordCap: 30 });
    const ends = parts.map(({ slice: part, status, records }) => {
      return [part.keys.length, status, records.length];
    });
    expect(ends).toContainEqual([1, 'truncated', 30]);
    expect(parts.filter(({ status }) => status === 'truncated')).toHaveLength(1);
  });

  /** Refuses pages beyond record 30. */
  const shallow: Tamper = (reply, { page, limit }) => {
    if ((page - 1) * limit < 30) return { ...reply, records: reply.records.slice(0, 30) };
    throw new CallFailure('permanent', { code: '50036', endpoint, detail: 'too deep' });
  };

  test('with a refused page are split', async () => {
    const parts = await fetched(new Lister(list, { tamper: shallow }), slice);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });

  test('of one hash with a refused page are truncated', async () => {
    const one = { ...slice, keys: [hash(1)] };
    const lister = new Lister(transfers(1, 45), { tamper: shallow, clamp: 10 });
    const parts = await fetched(lister, one);
    expect(parts.map(({ status, records }) => [status, records.length])).toEqual([
      ['truncated', 30],
    ]);
  });

  test('are not complete where empty answers follow answers that listed some', async () => {
    const nothing = { records: [], page: 0, totalPage: 0 };
    const emptyFrom = (request: number): Lister =>
      new Lister(list, {
        tamper: (reply, call) => (call.request >= request ? { ...reply, ...nothing } : reply),
      });
    // The second page is empty, and so is everything after it.
    const one = await fetched(emptyFrom(2), { ...slice, keys: [hash(1)] });
    expect(statusesOf(one)).toEqual(['inconsistent']);
    // The group has a last page that is full, so its hashes are asked alone.
    const full = [1, 2].flatMap((key) => transfers(key, 5));
    const lister = new Lister(full, {
      tamper: (reply, { query }) =>
        query['txId']?.includes(',') ? reply : { ...reply, ...nothing },
    });
    const alone = await fetched(lister, { ...slice, keys: [hash(1), hash(2)] });
    expect(statusesOf(alone)).toEqual(['inconsistent']);
  });

  test('must each match one of the hashes', async () => {
    const lister = new Lister(transfers(1, 5), {
      tamper: (reply) => ({ ...reply, records: [...reply.records, ...transfers(9, 1)] }),
    });
    const parts = await fetched(lister, { ...slice, keys: [hash(1)] });
    expect(parts).toMatchObject([{ status: 'inconsistent', records: asSent(transfers(1, 5)) }]);
  });
});

test('a smaller page size is believed when it is returned a second time', async () => {
  const lister = new Lister(RECORDS, { clamp: 4 });
  const parts = await fetched(lister, block);
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(whole);
});
