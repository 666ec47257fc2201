import { expect, test } from 'vitest';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';
import { unlearned } from '../unlearned.ts';
import { gathered, Lister, type ListerOptions } from './walk-lister.ts';

const slice: Slice = {
  endpoint: 'mainchain/zone/block/transaction-list-multi',
  variant: variant({}),
  keys: [''],
  interval: { from: 1000, to: 1999 },
  provisional: false,
};

const record = (i: number): WireRecord => ({ hash: `0x${i}`, blockHeight: String(1000 + i) });
const NEWER = { hash: '0xffff', height: '5000', blockHeight: '5000' };
const records = (count: number): WireRecord[] => Array.from({ length: count }, (_, i) => record(i));

async function fetched(
  list: readonly WireRecord[],
  options: ListerOptions = {},
): Promise<{ readonly part: Fetched; readonly parts: Fetched[]; readonly lister: Lister }> {
  const lister = new Lister([NEWER, ...list], options);
  const settings = {
    chain: 'ZONECHAIN',
    pageSize: 10,
    recordCap: 10_000,
    ...unlearned(),
  };
  const parts = await gathered(fetchSlice(lister, slice, settings));
  const [part] = parts;
  if (part === undefined) throw new Error('no part');
  return { part, parts, lister };
}

const isPage = (page: number, query: Readonly<Record<string, string>>): boolean =>
  query['startBlockHeight'] !== undefined && query['page'] === String(page);

test.each([1, 9, 10, 11, 25, 100, 173])(
  'a list of %i records is read to its end',
  async (count) => {
    const { part, lister } = await fetched(records(count));
    expect(part).toMatchObject({ status: 'complete', reason: '', requests: lister.requests });
    expect(part.records).toEqual(records(count));
  },
);

test('exactly the end is asked, which belongs to the range', async () => {
  const { lister } = await fetched(records(5));
  const ends = new Set(lister.asked.map(({ query }) => query['endBlockHeight']));
  expect([...ends]).toEqual(['1999']);
});

test('a short page is no end, but a page size that the service made smaller', async () => {
  const { part } = await fetched(records(25), { clamp: 4 });
  expect(part.status).toBe('complete');
  expect(part.records).toEqual(records(25));
});

test('an empty list is proven around a request for the newest block', async () => {
  const { part, lister } = await fetched([]);
  expect(part).toMatchObject({ status: 'complete', records: [] });
  expect(lister.asked.map(({ endpoint }) => endpoint.path.split('/').at(-1))).toEqual([
    'transaction-list-multi',
    'block-list',
    'transaction-list-multi',
  ]);
});

test('an empty first page that is full when asked again is no end', async () => {
  let isSilent = true;
  const { part } = await fetched(records(5), {
    tamper: (reply, { query }) => {
      if (!isSilent || !isPage(1, query)) return reply;
      isSilent = false;
      return { records: [] };
    },
  });
  expect(part.records).toEqual(records(5));
});

test('an empty list on a chain without a block proves nothing', async () => {
  const { part } = await fetched([], { tamper: (reply) => ({ ...reply, records: [] }) });
  expect(part.status).toBe('inconsistent');
});

test.each([2, 3, 5, 7])('page %i, which comes empty once, hides nothing', async (page) => {
  let isSilent = true;
  const { part } = await fetched(records(65), {
    tamper: (reply, { query }) => {
      if (!isSilent || !isPage(page, query)) return reply;
      isSilent = false;
      return { records: [] };
    },
  });
  expect(part.status).toBe('complete');
  expect(part.records).toEqual(records(65));
});

test('a service that throttles half of its answers in silence hides nothing', async () => {
  let turn = 0;
  const { part } = await fetched(records(95), {
    tamper: (reply) => {
      turn += 1;
      return turn % 3 === 0 ? { ...reply, records: [] } : reply;
    },
  });
  expect(part.status).toBe('complete');
  expect(part.records).toEqual(records(95));
});

test('a list with a page that stays empty before a full one is read in parts', async () => {
  const { parts } = await fetched(records(65), {
    tamper: (reply, { query }) => (isPage(5, query) ? { records: [] } : reply),
  });
  // Shorter parts have no such page.
  expect(parts.every(({ status }) => status === 'complete')).toBe(true);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.flatMap((part) => part.records)).toHaveLength(65);
});

test('a page served again under a later number is not taken for a new one', async () => {
  const { parts } = await fetched(records(30), {
    tamper: (reply, { query }) => (isPage(3, query) ? { records: records(10) } : reply),
  });
  const hashes = parts.flatMap((part) => part.records.map(({ hash }) => hash));
  expect(hashes).toHaveLength(30);
  expect(new Set(hashes).size).toBe(30);
  expect(parts.length).toBeGreaterThan(1);
});

test('a service that has no end is not asked for ever', async () => {
  const { parts, lister } = await fetched([], {
    tamper: (reply, { query, page }) =>
      query['startBlockHeight'] === undefined || page > 1
        ? { records: records(10) }
        : { ...reply, records: records(10) },
  });
  expect(parts.every(({ status }) => status !== 'complete')).toBe(true);
  expect(lister.requests).toBeLessThan(50_000);
});

test('a record that comes while the pages are read begins the walk anew', async () => {
  let isLate = true;
  const { part } = await fetched(records(25), {
    before: (lister) => {
      if (!isLate || lister.requests < 3) return;
      isLate = false;
      lister.records = [record(99), ...lister.records];
    },
  });
  expect(part.records).toEqual([record(99), ...records(25)]);
});

test('a record that leaves the last page while the others are read is noticed', async () => {
  let isThere = true;
  const { part } = await fetched(records(25), {
    before: (lister) => {
      if (!isThere || !lister.asked.some(({ page }) => page === 4)) return;
      isThere = false;
      lister.records = lister.records.slice(0, -1);
    },
  });
  expect(part.records).toEqual(records(24));
});

test('a page that is shorter than the first and not the last is drift', async () => {
  const { parts } = await fetched(records(30), {
    tamper: (reply, { query }) =>
      isPage(2, query) ? { records: reply.records.slice(0, 9) } : reply,
  });
  expect(parts.some(({ records: found }) => found.length === 29)).toBe(false);
});

test('a record outside the range is a contradiction', async () => {
  const { part } = await fetched(records(5), {
    tamper: (reply, { query }) =>
      isPage(1, query) ? { records: [{ hash: '0xabc', blockHeight: '2000' }] } : reply,
  });
  expect(part.status).toBe('inconsistent');
  expect(part.reason).toContain('height 2000');
  expect(part.records).toEqual([]);
});
