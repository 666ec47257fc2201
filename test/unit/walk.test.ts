import { expect, test } from 'vitest';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Caller, PageReply } from '../../src/fetch/caller.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { Listing } from '../../src/fetch/listing.ts';
import { walk } from '../../src/fetch/walk.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const C = `0x${'c'.repeat(40)}`;

const slice: Slice = {
  endpoint: 'mainchain/address/internal-transaction-list-multi',
  variant: variant({}),
  keys: [A, B],
  interval: { from: 100, to: 199 },
  provisional: false,
};

const settings = {
  chain: 'MAINCHAIN',
  pageSize: 10,
  recordCap: 10_000,
  canSplit: false,
  acceptCap: false,
};

function record(height: number, more: WireRecord = {}): WireRecord {
  return { txId: `0x${height}`, height: String(height), from: A, to: C, amount: '1', ...more };
}

/** 25 records, newest first: pages of 10, 10 and 5. */
const records = Array.from({ length: 25 }, (_, i) => record(190 - i));

interface Asked {
  readonly page: number;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
  readonly keys: readonly string[];
  /** Counts all requests from 1. */
  readonly request: number;
}

/** A service of these records, whose replies may be tampered with. */
function serving(
  list: readonly WireRecord[],
  tamper: (reply: PageReply, asked: Asked) => PageReply = (reply) => reply,
): Caller {
  let request = 0;
  return {
    call: (_endpoint, query) => {
      request += 1;
      const asked = {
        page: Number(query['page']),
        limit: Number(query['limit']),
        from: Number(query['startBlockHeight']),
        to: Number(query['endBlockHeight']),
        keys: String(query['address']).split(','),
        request,
      };
      const found = list.filter(({ height }) => {
        return Number(height) >= asked.from && Number(height) <= asked.to;
      });
      const { page, limit } = asked;
      const reply = {
        records: found.slice((page - 1) * limit, page * limit),
        page,
        limit,
        totalPage: Math.ceil(found.length / limit),
      };
      return Promise.resolve(tamper(reply, asked));
    },
  };
}

async function fetched(caller: Caller, pageSize = 10): Promise<Fetched[]> {
  const parts: Fetched[] = [];
  const listing = new Listing({});
  for await (const part of fetchSlice(caller, slice, { ...settings, pageSize, listing })) {
    parts.push(part);
  }
  return parts;
}

test('all pages of a quiet list are a proof', async () => {
  expect(await walk(serving(records), slice, settings)).toEqual({ outcome: 'proven', records });
});

test('an explicitly empty list is a proof', async () => {
  expect(await walk(serving([]), slice, settings)).toEqual({ outcome: 'proven', records: [] });
});

test('one block more is asked than is kept', async () => {
  const asked: number[] = [];
  const caller = serving([record(200), record(199), record(150)], (reply, { to }) => {
    asked.push(to);
    return reply;
  });
  const walked = await walk(caller, slice, settings);
  expect(asked).toEqual([200]);
  expect(walked).toEqual({ outcome: 'proven', records: [record(199), record(150)] });
});

test('a page that says it is another page is drift', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 2 ? { ...reply, page: 1 } : reply,
  );
  const walked = await walk(caller, slice, settings);
  expect(walked).toEqual({ outcome: 'drifting', reason: 'page 2 was asked and page 1 came' });
});

test('a page size that the service makes smaller is adopted', async () => {
  const caller = serving(records, (_reply, { page, limit }) => {
    const size = Math.min(4, limit);
    return {
      records: records.slice((page - 1) * size, page * size),
      page,
      limit: size,
      totalPage: Math.ceil(records.length / size),
    };
  });
  expect(await walk(caller, slice, settings)).toEqual({ outcome: 'proven', records });
});

test('a page size that grows on a later page is drift', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 3 ? { ...reply, limit: 20 } : reply,
  );
  expect((await walk(caller, slice, settings)).outcome).toBe('drifting');
});

test('a number of pages that changes is drift', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 3 ? { ...reply, totalPage: 4 } : reply,
  );
  expect((await walk(caller, slice, settings)).outcome).toBe('drifting');
});

test('a short page in the middle is drift', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 2 ? { ...reply, records: reply.records.slice(1) } : reply,
  );
  expect((await walk(caller, slice, settings)).outcome).toBe('drifting');
});

test('an empty last page is drift', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 3 ? { ...reply, records: [] } : reply,
  );
  expect((await walk(caller, slice, settings)).outcome).toBe('drifting');
});

test('a page served twice under two numbers is drift', async () => {
  const caller = serving(records, (reply, { page, limit }) =>
    page === 2 ? { ...reply, records: records.slice(0, limit) } : reply,
  );
  expect((await walk(caller, slice, settings)).outcome).toBe('drifting');
});

test('two pages of equal records that are really there are a proof', async () => {
  const equal = Array.from({ length: 25 }, () => record(150));
  expect(await walk(serving(equal), slice, settings)).toEqual({
    outcome: 'proven',
    records: equal,
  });
});

test('a first page that changed behind the walk begins it anew', async () => {
  const caller = serving(records, (reply, { request, page }) =>
    request === 4 && page === 1 ? { ...reply, records: [...reply.records].reverse() } : reply,
  );
  expect(await walk(caller, slice, settings)).toEqual({ outcome: 'proven', records });
});

test('a first page that always changes behind the walk is drift', async () => {
  let request = 0;
  const caller = serving(records, (reply, { page }) => {
    request += 1;
    const moved = { ...reply.records[0], amount: String(request) };
    return page === 1 ? { ...reply, records: [moved, ...reply.records.slice(1)] } : reply;
  });
  const walked = await walk(caller, slice, settings);
  const reason = 'the first page changed while the others were read';
  expect(walked).toEqual({ outcome: 'drifting', reason });
});

test('a record outside the asked heights is a contradiction', async () => {
  const caller = serving(records, (reply, { page }) =>
    page === 3 ? { ...reply, records: [...reply.records.slice(1), record(99)] } : reply,
  );
  const walked = await walk(caller, slice, settings);
  expect(walked.outcome).toBe('contradictory');
  expect('records' in walked && walked.records).toHaveLength(24);
});

test('a record that matches no key is a contradiction', async () => {
  const caller = serving([record(150), record(151, { from: C })]);
  expect(await walk(caller, slice, settings)).toEqual({
    outcome: 'contradictory',
    reason: 'a record that matches none of the keys was listed',
    records: [record(150)],
  });
});

test('a list as long as the record cap is saturated', async () => {
  const capped = (recordCap: number, canSplit: boolean) =>
    walk(serving(records), slice, { ...settings, recordCap, canSplit });
  const saturated = { outcome: 'saturated', reason: 'the service lists at most 30 records' };
  expect(await capped(30, true)).toEqual(saturated);
  // What cannot be split is looked at more closely: the last page is not full.
  expect(await capped(30, false)).toEqual({ outcome: 'proven', records });
  const reason = `the service lists at most ${records.length} records`;
  expect(await capped(records.length, false)).toEqual({ outcome: 'saturated', reason });
});

test('an exactly full end is no proof while the slice can be split', async () => {
  const full = records.slice(0, 20);
  const walked = await walk(serving(full), slice, { ...settings, canSplit: true });
  expect(walked).toEqual({ outcome: 'saturated', reason: 'the last page is exactly full' });
});

test('an exactly full end of an unsplittable slice is read in pages of another size', async () => {
  const full = records.slice(0, 20);
  expect(await walk(serving(full), slice, settings)).toEqual({ outcome: 'proven', records: full });
  const hiding = serving(records, (reply, { limit, page }) =>
    limit === 10 ? { ...reply, records: reply.records, totalPage: 2, page } : reply,
  );
  expect((await walk(hiding, slice, settings)).outcome).toBe('drifting');
});

test('both halves of a saturated slice are fetched, and nothing twice', async () => {
  const hidden = serving(records, (reply, { limit }) => ({
    ...reply,
    totalPage: Math.min(reply.totalPage ?? 0, Math.ceil(12 / limit)),
  }));
  const caller: Caller = hidden;
  const parts: Fetched[] = [];
  const listing = new Listing({});
  const capped = { ...settings, recordCap: 12, pageSize: 4, listing };
  for await (const part of fetchSlice(caller, slice, capped)) parts.push(part);
  expect(parts.every((part) => part.status === 'complete')).toBe(true);
  const found = parts.flatMap((part) => part.records.map(({ height }) => Number(height)));
  expect(found.sort()).toEqual(records.map(({ height }) => Number(height)).sort());
  const intervals = parts.map((part) => part.slice.interval).sort((a, b) => a.from - b.from);
  expect(intervals[0]?.from).toBe(100);
  expect(intervals.at(-1)?.to).toBe(199);
});

test('one key on one block above the record cap is truncated, with its records', async () => {
  const dense = Array.from({ length: 40 }, (_, i) => record(150, { txId: `0x${i}` }));
  const one: Slice = { ...slice, keys: [A], interval: { from: 150, to: 150 } };
  const caller = serving(dense, (reply) => ({ ...reply, totalPage: 3 }));
  const parts: Fetched[] = [];
  const capped = { ...settings, recordCap: 30, listing: new Listing({}) };
  for await (const part of fetchSlice(caller, one, capped)) parts.push(part);
  expect(parts).toHaveLength(1);
  expect(parts[0]?.status).toBe('truncated');
  expect(parts[0]?.records).toHaveLength(30);
});

test('a service that claims endless pages is asked for no more than its cap holds', async () => {
  let requests = 0;
  const one: Slice = { ...slice, keys: [A], interval: { from: 150, to: 150 } };
  const endless = serving([], (_reply, { page, limit }) => {
    requests += 1;
    const full = Array.from({ length: limit }, (_, i) => record(150, { txId: `0x${page}${i}` }));
    return { records: full, page, limit, totalPage: 100_000_000 };
  });
  const parts: Fetched[] = [];
  const capped = { ...settings, recordCap: 30, listing: new Listing({}) };
  for await (const part of fetchSlice(endless, one, capped)) parts.push(part);
  expect(parts.map(({ status, records: kept }) => [status, kept.length])).toEqual([
    ['truncated', 30],
  ]);
  expect(requests).toBeLessThan(10);
});

test('a capped walk that never holds still has failed, and brings no records', async () => {
  let request = 0;
  const one: Slice = { ...slice, keys: [A], interval: { from: 150, to: 150 } };
  const moving = serving([], (_reply, { page, limit }) => {
    request += 1;
    const full = Array.from({ length: limit }, (_, i) => record(150, { txId: `${request} ${i}` }));
    return { records: full, page, limit, totalPage: 4 };
  });
  const parts: Fetched[] = [];
  const capped = { ...settings, recordCap: 30, listing: new Listing({}) };
  for await (const part of fetchSlice(moving, one, capped)) parts.push(part);
  expect(parts.map(({ status, records: kept }) => [status, kept.length])).toEqual([['failed', 0]]);
});

test('records listed once per matched key are told from real copies', async () => {
  const shared = record(150, { to: B });
  const perKey = serving([shared, shared, record(140)], (reply, { keys }) =>
    keys.length === 1 ? { ...reply, records: [shared], totalPage: 1 } : reply,
  );
  expect((await fetched(perKey))[0]?.records).toEqual([shared, record(140)]);
  const twice = serving([shared, shared, record(140)], (reply, { keys }) =>
    keys.length === 1 ? { ...reply, records: [shared, shared], totalPage: 1 } : reply,
  );
  expect((await fetched(twice))[0]?.records).toEqual([shared, shared, record(140)]);
});

test('a copy that comes between two looks teaches nothing of how records are listed', async () => {
  const shared = record(150, { to: B });
  let looks = 0;
  const perKey = serving([shared], (reply, { keys }) => {
    if (reply.records.length === 0) return reply;
    looks += 1;
    const copies = looks === 1 ? 1 : 2;
    return { ...reply, records: Array.from({ length: copies * keys.length }, () => shared) };
  });
  const parts = await fetched(perKey);
  expect(parts.flatMap((part) => part.records)).toEqual([shared, shared]);
  expect(looks).toBeGreaterThan(3);
});

test('a service that begins to list records once per match is noticed', async () => {
  const shared = record(150, { to: B });
  const perKey = serving([shared, shared], (reply, { keys }) => ({
    ...reply,
    records: reply.records.slice(0, keys.length),
  }));
  const listing = new Listing({ [slice.endpoint]: 'once' });
  const parts: Fetched[] = [];
  for await (const part of fetchSlice(perKey, slice, { ...settings, listing })) parts.push(part);
  expect(parts.flatMap((part) => part.records)).toEqual([shared]);
  expect(listing.memory()).toEqual({ [slice.endpoint]: 'per-key' });
});

test('copies that the matched keys do not divide contradict a listing per match', async () => {
  const shared = record(150, { to: B });
  const listing = new Listing({ [slice.endpoint]: 'per-key' });
  const parts: Fetched[] = [];
  const options = { ...settings, listing };
  for await (const part of fetchSlice(serving([shared, shared, shared]), slice, options)) {
    parts.push(part);
  }
  expect(parts[0]?.status).toBe('inconsistent');
});
