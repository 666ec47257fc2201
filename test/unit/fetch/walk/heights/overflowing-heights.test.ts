import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { ListFacts } from '../../../../../src/fetch/walk/list-facts.ts';
import { parsedRecord } from '../../../../fixtures/listed.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { type Asked, Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';
import {
  A,
  atHeight,
  B,
  C,
  fetched,
  INTERNAL,
  NORMAL,
  record,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: a height that fills a page is read completely: key by key, else by pages in two sizes that
 * agree, else by its two sides; any other height gets a status that says so.
 */

/**
 * Whether a request is for one height, with an extra block on each side that ranges may exclude.
 */
const isOf = (height: number, { query }: Asked): boolean =>
  Number(query['startBlockHeight']) >= height - 1 && Number(query['endBlockHeight']) <= height + 1;

const D = `0x${'d'.repeat(40)}`;
const above = [record(190), record(180)];
const below = [record(120), record(110)];
const dense = [...above, ...atHeight(150, 25), ...below];

test('page 1 is recognised under other page numbers, even in another order', async () => {
  const few = atHeight(150, 10);
  const lister = new Lister(few, {
    tamper: (reply, { page }) =>
      page === 2 ? { ...reply, page, records: few.toReversed() } : reply,
  });
  const parts = await fetched(lister);
  expect(
    parts
      .filter(({ status }) => status === 'complete')
      .flatMap((part) => part.records.map(parsedRecord)),
  ).toEqual(few);
});

test('a page served under two numbers is detected, because two page sizes disagree', async () => {
  let isOnce = true;
  const lister = new Lister(dense, {
    tamper: (reply, question) => {
      if (!isOnce || question.page !== 2) return reply;
      isOnce = false;
      return { ...reply, records: dense.slice(2, 12) };
    },
  });
  const parts = await fetched(lister);
  expect(isOnce).toBe(false);
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: dense }]));
});

test('a height without equal records is read once if its count agrees', async () => {
  const lister = new Lister(dense);
  await fetched(lister);
  const pages = lister.calls
    .filter((question) => isOf(150, question))
    .map(({ page, limit }) => [page, limit]);
  expect(pages.slice(-4)).toEqual([
    [1, 10],
    [2, 10],
    [3, 10],
    [1, 1],
  ]);
});

test('a count finds a record that is lost between two pages in each reading of one size', async () => {
  const lister = new Lister(dense, {
    tamper: (reply, question) => {
      if (!isOf(150, question) || question.limit !== 10 || question.page === 1) return reply;
      const start = 10 * (question.page - 1) + 1;
      return { ...reply, records: atHeight(150, 25).slice(start, start + 10) };
    },
  });
  const parts = await fetched(lister);
  const listed = parts.filter(({ status }) => status === 'complete');
  expect(listed.every(({ slice }) => slice.interval.from > 150 || slice.interval.to < 150)).toBe(
    true,
  );
});

test('an order that changes with every request is inconsistent if no page size helps', async () => {
  // Two page sizes agree only when both contain the whole height.
  const turned = (limit: number): ListerOptions => ({
    tamper: (reply, question) => {
      if (!isOf(150, question)) return reply;
      const height = atHeight(150, 25);
      const at = (question.request * 7) % 25;
      const all = [...height.slice(at), ...height.slice(0, at)];
      const size = Math.min(question.limit, limit);
      const shown = all.slice((question.page - 1) * size, question.page * size);
      return { ...reply, records: shown, limit: size, totalPage: Math.ceil(25 / size) };
    },
  });
  const parts = await fetched(new Lister(dense, turned(10)));
  expect(parts.map(({ status, slice }) => [status, slice.interval])).toContainEqual([
    'inconsistent',
    { from: 150, to: 150 },
  ]);
});

test('a known record must be listed again by its height', async () => {
  const lister = new Lister(dense, {
    tamper: (reply, question) => {
      // The same half of the height is missing in both page sizes.
      if (!isOf(150, question)) return reply;
      const shown = question.page === 1 ? atHeight(150, 25).slice(20) : [];
      return { ...reply, records: shown, totalPage: 1 };
    },
  });
  const parts = await fetched(lister);
  const wrong = parts.filter(({ status }) => status !== 'complete');
  expect(wrong.map(({ status, slice }) => [status, slice.interval])).toEqual([
    ['inconsistent', { from: 150, to: 150 }],
  ]);
});

describe('a height of several keys', () => {
  const shared = atHeight(150, 8, { to: B });
  const many = [...atHeight(150, 8), ...atHeight(150, 8, { from: B }), ...shared];
  const keys = [A, B];

  test('is split by key, and both parts have a record of two keys', async () => {
    const parts = await fetched(new Lister([...above, ...many, ...below]), sliceOf({ keys }));
    expect(statusesOf(parts)).toEqual(['complete']);
    const ofKey = (key: string): WireRecord[] =>
      many.filter(({ from, to }) => from === key || to === key);
    for (const key of keys) {
      const part = parts.filter(
        ({ slice }) => slice.interval.from === 150 && slice.keys.join() === key,
      );
      expect(textsOf(part)).toEqual(textsOf([{ records: ofKey(key) }]));
    }
  });

  test('is split into busy keys and the others', async () => {
    const busy = [...atHeight(150, 9, { from: B }), ...atHeight(150, 2, { from: D })];
    const lister = new Lister([...above, ...busy, ...below]);
    const parts = await fetched(lister, sliceOf({ keys: [A, B, C, D] }), { pageSize: 10 });
    expect(statusesOf(parts)).toEqual(['complete']);
    const question = lister.calls.filter((entry) => isOf(150, entry));
    expect(new Set(question.map(({ query }) => query['address']))).toEqual(
      // One that has as many records on a page as any key is checked alone.
      new Set([`${A},${D}`, B, C, D]),
    );
  });

  test('must list for each key the records that it listed for all of them', async () => {
    const lister = new Lister(atHeight(150, 12), {
      tamper: (reply, { query }) => {
        if (query['address'] !== A) return reply;
        return { ...reply, records: reply.records.slice(0, 3), totalPage: 1 };
      },
    });
    const parts = await fetched(lister, sliceOf({ keys }));
    const ofA = parts.filter(({ slice }) => slice.keys.join() === A);
    expect(statusesOf(ofA)).toEqual(['inconsistent']);
    expect(ofA[0]?.reason).toContain('listed before');
  });
});

describe('one key at one height above the record cap', () => {
  const one = sliceOf({ list: listNamed(NORMAL), interval: { from: 150, to: 150 } });
  const CAP = 30;
  const moves = (sent: number, received: number, fields: number): WireRecord[] => {
    const all = [
      ...Array.from({ length: sent }, () => ({ from: A, to: C })),
      ...Array.from({ length: received }, () => ({ from: C, to: A })),
      ...Array.from({ length: fields }, () => ({ from: A, to: A })),
    ];
    return all.map((move, i) => ({ txId: `0x${i}`, height: '150', ...move }));
  };
  const outcome = async (list: readonly WireRecord[], more = {}, cap = CAP) => {
    const parts = await fetched(
      new Lister(list, { cap }),
      { ...one, ...more },
      {
        pageSize: 7,
        recordCap: CAP,
      },
    );
    return parts.map(({ status, records }) => [status, records.length]);
  };

  test('is read by its two sides, with records to itself once', async () => {
    expect(await outcome(moves(20, 15, 0))).toEqual([['complete', 35]]);
    expect(await outcome(moves(16, 12, 7))).toEqual([['complete', 35]]);
  });

  test('is read by its two sides where the cap is not documented', async () => {
    expect(await outcome(moves(12, 9, 0), {}, 15)).toEqual([['complete', 21]]);
  });

  test('is complete where the service ignores the side that is asked', async () => {
    const list = moves(3, 2, 0);
    const tamper: NonNullable<ListerOptions['tamper']> = (reply, { query, page, limit }) =>
      query['isFromOrTo'] === undefined
        ? reply
        : { records: list.slice((page - 1) * limit, page * limit), page, limit, totalPage: 5 };
    const parts = await fetched(new Lister(list, { tamper }), one, { pageSize: 5 });
    expect(statusesOf(parts)).toEqual(['complete']);
  });

  test('is truncated with its records if one side exceeds the cap as well', async () => {
    expect(await outcome(moves(40, 5, 0))).toEqual([['truncated', CAP]]);
  });

  test('is truncated with each record once if the list turns around while it is read', async () => {
    const list = listNamed(INTERNAL, { isFromOrTo: 'from' });
    for (let at = 1; at < 30; at += 1) {
      const lister: Lister = new Lister(atHeight(150, 40), {
        cap: CAP,
        before: () => lister.requests === at && lister.records.reverse(),
      });
      const parts = await fetched(lister, { ...one, list }, { pageSize: 7, recordCap: CAP });
      expect(statusesOf(parts)).toEqual(['truncated']);
      const texts = textsOf(parts);
      expect(texts).toEqual([...new Set(texts)]);
    }
  });

  test('is truncated with the copies of its records that both page sizes list', async () => {
    const list = listNamed(INTERNAL, { isFromOrTo: 'from' });
    const equal = Array.from({ length: 40 }, () => record(150));
    const lister = new Lister(equal, {
      cap: CAP,
      // The cap cuts the last of the larger pages earlier.
      tamper: (reply, { limit, page }) =>
        limit > 7 && page > 1 ? { ...reply, records: reply.records.slice(0, -1) } : reply,
    });
    const parts = await fetched(lister, { ...one, list }, { pageSize: 7, recordCap: CAP });
    const ends = parts.map(({ status, records }) => [status, records.length]);
    expect(ends).toEqual([['truncated', CAP - 1]]);
  });

  test('is truncated if the request already names one side', async () => {
    const more = { list: listNamed(INTERNAL, { isFromOrTo: 'from' }) };
    expect(await outcome(moves(40, 5, 0), more)).toEqual([['truncated', CAP]]);
  });
});

test('a service with endless pages is read only up to its cap', async () => {
  const lister = new Lister([], {
    tamper: (_reply, { page, limit }) => ({
      records: atHeight(150, limit, { txId: String(page) }),
      page,
      limit,
      totalPage: 100_000_000,
    }),
  });
  const one = sliceOf({ interval: { from: 150, to: 150 } });
  const parts = await fetched(lister, one, { recordCap: 30 });
  expect(parts.map(({ status, records }) => [status, records.length])).toEqual([['truncated', 30]]);
  expect(lister.requests).toBeLessThan(60);
});

describe('a cap on the records of one height that is not documented', () => {
  test('is detected by reading one key at a time', async () => {
    const list = [
      ...atHeight(150, 5, { to: D }),
      ...atHeight(150, 5, { from: B, to: D }),
      record(150, { from: C, to: D }),
    ];
    const lister = new Lister(list, { cap: 6 });
    const keys = [A, B, C];
    const facts = new ListFacts({});
    const parts = await fetched(lister, sliceOf({ keys, interval: { from: 150, to: 150 } }), {
      facts,
    });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });
});

describe('extra blocks that fill the record cap', () => {
  const list = [...atHeight(150, 3), ...atHeight(149, 20)];
  const slice = sliceOf({ list: listNamed(INTERNAL), interval: { from: 150, to: 150 } });

  test.each([10, 11])('are left out once the edges are known (cap %i)', async (cap) => {
    const lister = new Lister(list, { cap });
    const parts = await fetched(lister, slice, { pageSize: 2, recordCap: cap });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: atHeight(150, 3) }]));
  });
});
