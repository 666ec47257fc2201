import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { parsedRecord } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { type Asked, Lister, type ListerOptions } from '../../../fixtures/walk-lister.ts';
import { fetched, sliceOf, statusesOf, textsOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: a list without page counts and totals is read completely. A short page of it may have a
 * smaller page size, or be cut anywhere.
 */

const slice = sliceOf({
  list: listNamed('mainchain/zone/block/transaction-list-multi'),
  keys: [''],
  interval: { from: 1000, to: 1999 },
});
const record = (i: number, more: WireRecord = {}): WireRecord => {
  return { hash: `0x${i}`, blockHeight: String(1990 - i), ...more };
};
const records = (count: number): WireRecord[] => Array.from({ length: count }, (_, i) => record(i));
const read = (list: readonly WireRecord[], options: ListerOptions = {}) =>
  fetched(new Lister(list, options), slice);

test('its ranges include both edges, so exactly the interval is requested', async () => {
  const lister = new Lister([record(-9), record(990)]);
  const parts = await fetched(lister, slice);
  expect(parts.flatMap((part) => part.records)).toHaveLength(2);
  const bounds = lister.calls.map(({ query }) => [
    Number(query['startBlockHeight']),
    Number(query['endBlockHeight']),
  ]);
  expect(Math.min(...bounds.flat())).toBe(1000);
  expect(Math.max(...bounds.flat())).toBe(1999);
});

test('a page that was refused once does not end a height', async () => {
  const list = Array.from({ length: 4 }, (_, i) => record(i, { blockHeight: '1500' }));
  const refused = new Set<number>();
  const parts = await read(list, {
    clamp: 1,
    tamper: (reply, { endpoint, page, limit }) => {
      if (page !== 2 || refused.has(limit)) return reply;
      refused.add(limit);
      throw new CallFailure('permanent', { code: '50036', endpoint: endpoint.path, detail: 'no' });
    },
  });
  const proven = parts.filter(({ status }) => status === 'complete');
  expect(proven.flatMap((part) => part.records)).toEqual([]);
});

test('a page that was repeated once does not end a height', async () => {
  const list = Array.from({ length: 9 }, (_, i) => record(i, { blockHeight: '1500' }));
  const repeated = new Set<number>();
  const parts = await read(list, {
    clamp: 4,
    // The last page of every size comes as the page before it, once.
    tamper: (reply, { page, limit }) => {
      const size = Math.min(4, limit);
      if (page !== Math.ceil(list.length / size) || page < 2 || repeated.has(size)) return reply;
      repeated.add(size);
      return { ...reply, records: list.slice((page - 2) * size, (page - 1) * size) };
    },
  });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});

describe('a short page', () => {
  test('is not an end if the service lowered the page size', async () => {
    const parts = await read(records(25), { clamp: 4 });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: records(25) }]));
  });

  test('is not an end if the page size is lowered during the walk', async () => {
    // The first page is read twice before it counts.
    const parts = await read(records(25), {
      tamper: (reply, { request }) =>
        request > 2 ? { records: reply.records.slice(0, 4) } : reply,
    });
    expect(textsOf(parts)).toEqual(textsOf([{ records: records(25) }]));
  });

  test('is not an end after longer pages', async () => {
    const facts = new ListFacts({});
    facts.pageShown(slice.list.endpoint, 12);
    const parts = await fetched(new Lister(records(25), { clamp: 4 }), slice, { facts });
    expect(textsOf(parts)).toEqual(textsOf([{ records: records(25) }]));
  });

  test('is not an end if the part behind it has another record instead of its last', async () => {
    const list = records(6);
    const parts = await read(list, {
      clamp: 3,
      tamper: (reply, { request }) => (request === 3 ? { records: list.slice(5) } : reply),
    });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });

  test('of one height is read by page number, because no other height shows its further records', async () => {
    const height = Array.from({ length: 9 }, (_, i) => ({ hash: `0x${i}`, blockHeight: '1500' }));
    const parts = await read(height, { clamp: 4 });
    expect(parts.flatMap((part) => part.records)).toHaveLength(9);
  });
});

test('with strict proof, one cut answer to the check of a short page hides no record', async () => {
  const list = [0, 0, 0, 1, 2, 3].map((i, at) => record(at, { blockHeight: String(1990 - i) }));
  const lister = new Lister(list, {
    clamp: 5,
    tamper: (reply, { request }) =>
      request === 3 ? { ...reply, records: reply.records.slice(0, 1) } : reply,
  });
  const parts = await fetched(lister, slice, { proof: 'strict' });
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});

test('a block of several pages is read completely', async () => {
  const height = Array.from({ length: 25 }, (_, i) => ({ hash: `0xb${i}`, blockHeight: '1500' }));
  const list = [...records(3), ...height];
  const parts = await read(list);
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});

test.each([2, 3, 5, 7])('an empty answer to request %i hides no record', async (at) => {
  const parts = await read(records(65), {
    tamper: (reply, { request }) => (request === at ? { records: [] } : reply),
  });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: records(65) }]));
});

test('a service that returns every third answer empty hides no record', async () => {
  const parts = await read(records(95), {
    tamper: (reply, { request }) => (request % 3 === 0 ? { records: [] } : reply),
  });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: records(95) }]));
});

test('a page that is repeated for lower heights contradicts its request', async () => {
  const isLower = ({ query }: Asked): boolean => Number(query['endBlockHeight']) < 1985;
  const parts = await read(records(30), {
    tamper: (reply, question) => (isLower(question) ? { records: records(10) } : reply),
  });
  const wrong = parts.filter(({ status }) => status !== 'complete');
  expect(wrong.map(({ status }) => status)).toEqual(['inconsistent']);
  const hashes = parts.flatMap((part) => part.records.map((entry) => parsedRecord(entry)['hash']));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('a record outside the range makes the part inconsistent', async () => {
  const parts = await read(records(5), {
    tamper: (reply) => ({ records: [...reply.records, { hash: '0xabc', blockHeight: '2000' }] }),
  });
  expect(statusesOf(parts)).toEqual(['inconsistent']);
  expect(parts[0]?.reason).toContain('height 2000');
});
