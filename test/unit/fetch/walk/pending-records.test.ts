import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import type { FetchedPart } from '../../../../src/coverage/slice-part.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import type { Caller, PageReply } from '../../../../src/fetch/http/caller.ts';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { isPending } from '../../../../src/fetch/walk/pending-records.ts';
import { type AnyRecord, listedOne, listedReply, parsedRecord } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { LIST } from '../../../fixtures/load-lake.ts';
import { unlearned } from '../../../fixtures/unlearned.ts';
import { gathered } from '../../../fixtures/walk-lister.ts';

/**
 * Goal: pending transactions have no block. They come first in lists of transactions, and look-ups
 * by hash may return them. They fill places on pages, and prove nothing about blocks.
 */

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const hash = (i: number): string => `0x${String(i).padStart(64, '0')}`;

function pending(i: number, more: WireRecord = {}): WireRecord {
  const none = { height: '', blockHash: '', state: 'pending' };
  return { txId: hash(i), from: A, to: B, amount: '1', ...none, ...more };
}

function mined(i: number, height = 90 - i): WireRecord {
  const block = { height: String(height), blockHash: '0xb10c', state: 'success' };
  return { txId: hash(i), from: A, to: B, amount: '1', ...block };
}

/** A service that lists pending records first in every list, whatever the block range. */
class PendingLister implements Caller {
  readonly #records: readonly WireRecord[];
  front: readonly WireRecord[];
  readonly #before: (lister: PendingLister, page: number) => void;
  requests = 0;
  firstPages = 0;

  constructor(
    records: readonly WireRecord[],
    front: readonly WireRecord[],
    before: (lister: PendingLister, page: number) => void = () => undefined,
  ) {
    this.#records = records;
    this.front = front;
    this.#before = before;
  }

  call(endpoint: Endpoint, query: Readonly<Record<string, string>>): Promise<PageReply> {
    const page = Number(query['page'] ?? 1);
    const limit = Number(query['limit'] ?? 100);
    this.requests += 1;
    if (page === 1) this.firstPages += 1;
    this.#before(this, page);
    const [from, to] = [query['startBlockHeight'] ?? 0, query['endBlockHeight'] ?? 999];
    const hashes = query['txId']?.split(',');
    const side = query['isFromOrTo'];
    const results = [
      ...this.front,
      ...this.#records.filter((item) => {
        return Number(item['height']) >= Number(from) && Number(item['height']) <= Number(to);
      }),
    ]
      .filter(({ txId }) => hashes?.includes(String(txId)) ?? true)
      .filter((item) => side === undefined || item[side] === query['address']);
    const records = results.slice((page - 1) * limit, page * limit);
    if (endpoint.reply.shape !== 'paged')
      return Promise.resolve(listedReply(endpoint, { records }));
    const totalPage = Math.ceil(results.length / limit);
    return Promise.resolve(listedReply(endpoint, { records, page, limit, totalPage }));
  }
}

const slice: Slice = {
  list: listNamed(LIST.ownTransactions),
  keys: [A],
  interval: { from: 0, to: 99 },
  provisional: false,
};

async function fetched(
  lister: PendingLister,
  more: Partial<Slice> = {},
  settings: { readonly facts?: ListFacts; readonly proof?: 'strict' } = {},
): Promise<FetchedPart[]> {
  const all = { chain: 'X', pageSize: 10, recordCap: 10_000, ...unlearned(), ...settings };
  return gathered(fetchSlice(lister, { ...slice, ...more }, all));
}

const hashesOf = (records: readonly AnyRecord[]): unknown[] =>
  records.map((record) => parsedRecord(record)['txId']);

describe('a record is pending', () => {
  const endpoint = endpointAt(LIST.ownTransactions);

  test.each([
    ['that says so and has neither height nor block hash', pending(1), true],
    ['whose height and block hash are missing', { txId: hash(1), state: 'pending' }, true],
    [
      'and whose height and block hash are null',
      pending(1, { height: null, blockHash: null }),
      true,
    ],
    ['but not one that has a height', pending(1, { height: '7' }), false],
    ['but not one that has a block hash', pending(1, { blockHash: '0xb10c' }), false],
    ['but not one whose height is no number', pending(1, { height: 'soon' }), false],
    ['but not one without a height that has succeeded', pending(1, { state: 'success' }), false],
    ['but not one without a height and a state', pending(1, { state: '' }), false],
  ])('%s', (_name, record, is) => {
    expect(isPending(endpoint, listedOne(endpoint, record))).toBe(is);
  });

  test('only where its list may show one', () => {
    expect(
      isPending(
        endpointAt(LIST.transactions),
        listedOne(endpointAt(LIST.transactions), pending(1)),
      ),
    ).toBe(false);
    expect(
      isPending(
        endpointAt(LIST.transactionsByHash),
        listedOne(endpointAt(LIST.transactionsByHash), pending(1)),
      ),
    ).toBe(true);
  });
});

describe('a list of an address', () => {
  const block = Array.from({ length: 25 }, (_, i) => mined(i));

  test.each([1, 5, 15, 20])(
    'with %i pending records at its front is proven by the others',
    async (count) => {
      const front = Array.from({ length: count }, (_, i) => pending(100 + i));
      const parts = await fetched(new PendingLister(block, front));
      expect(parts.flatMap(({ records }) => hashesOf(records)).sort()).toEqual(
        hashesOf(block).sort(),
      );
      expect(new Set(parts.map(({ status }) => status))).toEqual(new Set(['complete']));
      expect(new Set(parts.flatMap((part) => hashesOf(part.pending)))).toEqual(
        new Set(hashesOf(front)),
      );
    },
  );

  test('is complete although each of its parts repeats the pending records', async () => {
    const front = Array.from({ length: 12 }, (_, i) => pending(100 + i));
    const facts = new ListFacts({});
    const lister = new PendingLister(block.slice(0, 24), front);
    const parts = await fetched(lister, {}, { facts, proof: 'strict' });
    expect(parts.map(({ status, records }) => [status, records.length])).toEqual([
      ['complete', 24],
    ]);
    expect(facts.caps()).toEqual(new Map());
  });

  test('is read again where its pending records changed while it was read', async () => {
    const front = Array.from({ length: 10 }, (_, i) => pending(100 + i));
    // One pending record disappears while page 3 is read, and another appears before page 1 is read
    // again: page 3 is shifted by one record, and neither end of the list has moved.
    const later = [pending(200), ...front.slice(1)];
    let thirds = 0;
    const lister = new PendingLister(block, front, (options, page) => {
      if (page === 3) thirds += 1;
      if (page === 3 && thirds === 1) options.front = front.slice(1);
      else if (options.front.length < front.length) options.front = later;
    });
    const [part] = await fetched(lister);
    expect(hashesOf(part?.records ?? [])).toEqual(hashesOf(block));
    expect(lister.firstPages).toBeGreaterThan(2);
  });

  test('keeps a record without a height that is not pending', async () => {
    const odd = pending(7, { state: 'success' });
    const [part] = await fetched(new PendingLister([], [odd]));
    expect(part?.records).toHaveLength(1);
    expect(part?.pending).toEqual([]);
  });

  test('keeps a pending record without a hash as a broken record', async () => {
    const [part] = await fetched(new PendingLister([], [pending(7, { txId: '' })]));
    expect(part?.records).toHaveLength(1);
    expect(part?.pending).toEqual([]);
  });

  test('with a pending record of other addresses is inconsistent', async () => {
    const lister = new PendingLister([], [pending(1, { from: B, to: B })]);
    const [part] = await fetched(lister);
    expect(part).toMatchObject({ status: 'inconsistent', records: [], pending: [] });
  });
});

describe('hashes', () => {
  const keys = [hash(1), hash(2), hash(3)];
  const request = { list: listNamed(LIST.transactionsByHash), keys };
  const parted = (parts: readonly FetchedPart[]) =>
    parts.map(({ status, slice: options, records, pending: waiting }) => {
      return [status, options.keys, hashesOf(records), hashesOf(waiting)];
    });

  test('that are pending are provisional and requested only once', async () => {
    const lister = new PendingLister([mined(1), mined(3)], [pending(2)]);
    expect(parted(await fetched(lister, request))).toEqual([
      ['complete', [hash(1), hash(3)], [hash(1), hash(3)], []],
      ['provisional', [hash(2)], [], [hash(2)]],
    ]);
    expect(lister.requests).toBe(1);
  });

  test('that are unknown are inconsistent beside pending ones', async () => {
    const lister = new PendingLister([mined(1)], [pending(2)]);
    expect(parted(await fetched(lister, request))).toEqual([
      ['complete', [hash(1)], [hash(1)], []],
      ['provisional', [hash(2)], [], [hash(2)]],
      ['inconsistent', [hash(3)], [], []],
    ]);
  });

  test.each([
    ['pending and in a block', [mined(1)], [pending(1)]],
    ['pending twice', [], [pending(1), pending(1, { amount: '2' })]],
  ])('that are %s at once are inconsistent', async (_name, block, front) => {
    const lister = new PendingLister(block, front);
    const parts = await fetched(lister, { ...request, keys: [hash(1)] });
    expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(parts[0]?.reason).toContain('a key that identifies one record has 2 records');
  });
});
