import { describe, expect, it, test } from 'vitest';
import { ListFacts } from '../../../../../src/fetch/walk/list-facts.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';
import {
  fetched,
  NORMAL,
  record,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: undocumented record caps are detected and the list is read completely; other short pages
 * are not taken for a cap.
 */

const every = (blocks: number, count: number) =>
  Array.from({ length: count }, (_, i) => record(1 + i * blocks)).reverse();
const wide = sliceOf({ list: listNamed(NORMAL), interval: { from: 0, to: 9_999 } });

async function read(list: ReturnType<typeof every>, options: ListerOptions, pageSize = 20) {
  const facts = new ListFacts({});
  const lister = new Lister(list, options);
  const parts = await fetched(lister, wide, { facts, pageSize });
  return { facts, parts, lister };
}

describe('a cap smaller than a page', () => {
  it('of one record leaves each height truncated, because it may have more', async () => {
    const list = every(7, 12);
    const { parts } = await read(list, { cap: 1 });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    const withRecords = parts.filter(({ records }) => records.length > 0);
    expect(statusesOf(withRecords)).toEqual(['truncated']);
  });

  it.each([{ from: true }, { to: true }, { from: true, to: true }])(
    'is detected if ranges exclude an edge: %j',
    async (excludes) => {
      const list = every(7, 72);
      const { parts } = await read(list, { cap: 7, excludes });
      expect(statusesOf(parts)).toEqual(['complete']);
      expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    },
  );

  it('is detected in an oldest-first list', async () => {
    const list = every(7, 72).reverse();
    const { parts } = await read(list, { cap: 7 });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });

  it('is detected in an unsorted list', async () => {
    const list = every(7, 72).map((entry, i) => ({ entry, at: (i * 31) % 72 }));
    list.sort((a, b) => a.at - b.at);
    const { parts } = await read(
      list.map(({ entry }) => entry),
      { cap: 12 },
    );
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(parts.flatMap(({ records }) => records)).toHaveLength(72);
  });

  it('is detected if one height has most of the records', async () => {
    const one = Array.from({ length: 15 }, (_, i) => record(500, { txId: `0x500.${i}` }));
    const list = [record(700), ...one, record(20)];
    const { parts } = await read(list, { cap: 16 });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });
});

test('a cap larger than a page changes nothing', async () => {
  const list = every(7, 333);
  const { parts, lister } = await read(list, { cap: 57 });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  const uncapped = await read(list, {});
  expect(lister.requests).toBe(uncapped.lister.requests);
});

test('a list that ends below its page size is not taken for a capped one', async () => {
  const { facts, lister } = await read(every(7, 12), {});
  expect(facts.caps()).toEqual(new Map());
  // The page, the heights beyond its last one, and whether ranges include their first block.
  expect(lister.requests).toBe(3);
});

test('a short list after a longer one is read with one request', async () => {
  const list = every(7, 12);
  const facts = new ListFacts({});
  const lister = new Lister(list);
  await fetched(lister, wide, { facts, pageSize: 20 });
  const before = lister.requests;
  const shorter = { ...wide, interval: { from: 0, to: 40 } };
  const parts = await fetched(lister, shorter, { facts, pageSize: 20 });
  expect(parts.flatMap(({ records }) => records)).toHaveLength(6);
  expect(lister.requests - before).toBe(1);
  // With `proof: strict` the heights beyond each short page are read, twice if they are empty.
  await fetched(lister, shorter, { facts, pageSize: 20, proof: 'strict' });
  expect(lister.requests - before).toBeGreaterThan(2);
});

test('a single page that is cut by mistake is not taken for a cap', async () => {
  const list = every(7, 12);
  let isOnce = true;
  const { parts, facts } = await read(list, {
    tamper: (reply) => {
      if (!isOnce) return reply;
      isOnce = false;
      return { ...reply, records: reply.records.slice(0, 3) };
    },
  });
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  expect(facts.caps()).toEqual(new Map());
});

test('a nearly full page is checked even after longer pages', async () => {
  const list = every(7, 38);
  // The last record of the list is missing on the page that reaches its end.
  const { parts } = await read(list, {
    tamper: (reply) => {
      const isEnd = reply.records.some(({ height }) => height === '1');
      return isEnd && reply.records.length > 10
        ? { ...reply, records: reply.records.slice(0, -1), totalPage: 1 }
        : reply;
    },
  });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});

describe('a page size that the list does not give', () => {
  it('is remembered, and the smaller size is requested', async () => {
    const list = every(50, 90);
    const facts = new ListFacts({});
    // A service that answers larger pages with an empty one.
    const lister = new Lister(list, {
      tamper: (reply, { limit }) =>
        limit > 25 ? { records: [], page: 0, totalPage: 0, limit: 25 } : reply,
    });
    for (let run = 0; run < 2; run += 1) {
      const parts = await fetched(lister, wide, { facts, pageSize: 100 });
      expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    }
    expect(facts.memory()).toEqual({ [NORMAL]: { pageSize: 25 } });
  });

  it('is requested again if a smaller size was echoed only once', async () => {
    let isOnce = true;
    const list = every(7, 30);
    const { parts, facts } = await read(list, {
      tamper: (reply) => {
        if (!isOnce) return reply;
        isOnce = false;
        return { ...reply, records: [], page: 0, totalPage: 0, limit: 1 };
      },
    });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    expect(facts.pageSize(NORMAL, 20)).toBe(20);
  });
});
