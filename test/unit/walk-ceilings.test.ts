import { describe, expect, it, test } from 'vitest';
import { endpointAt } from '../../src/catalogue/index.ts';
import type { Caller, PageReply } from '../../src/fetch/caller.ts';
import { Ceilings, type CeilingsMemory } from '../../src/fetch/ceilings.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { Listing } from '../../src/fetch/listing.ts';
import { variant } from '../../src/plan/slice.ts';

/**
 * Goal: a list that is cut off at a number nobody was told of is found out, remembered, and split
 * until every part of it is whole; and what is known is not asked for again.
 */

const PATH = 'mainchain/address/normal-transaction-list-multi';
const KEY = `0x${'a'.repeat(40)}`;

interface Server {
  /** Heights of the records, one each. */
  readonly heights: readonly number[];
  readonly cap: number;
  readonly maxLimit?: number;
  readonly isExclusive?: boolean;
}

type Tamper = (reply: PageReply, asked: { readonly to: number }) => PageReply;

function callerOf({ heights, cap, maxLimit = 100, isExclusive = false }: Server, tamper: Tamper) {
  const asked: { from: number; to: number; page: number; limit: number }[] = [];
  const caller: Caller = {
    call: async (_, query): Promise<PageReply> => {
      const number = (name: string): number => Number(query[name]);
      const from = number('startBlockHeight');
      const to = number('endBlockHeight');
      const page = number('page');
      const limit = Math.min(maxLimit, number('limit'));
      asked.push({ from, to, page, limit: number('limit') });
      const all = heights
        .filter((height) => height >= from && (isExclusive ? height < to : height <= to))
        .slice(0, cap)
        .map((height, i) => ({ height: String(height), txId: `0x${i}`, from: KEY, to: KEY }));
      const totalPage = Math.ceil(all.length / limit);
      const records = all.slice((page - 1) * limit, page * limit);
      return tamper({ records, page, limit, totalPage }, { to });
    },
  };
  return { caller, asked };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

async function fetched(
  server: Server,
  memory: CeilingsMemory = {},
  pageSize = 20,
  tamper: Tamper = (reply) => reply,
) {
  const { caller, asked } = callerOf(server, tamper);
  const ceilings = new Ceilings(memory);
  const parts: Fetched[] = [];
  const slice = {
    endpoint: PATH,
    variant: variant({}),
    keys: [KEY],
    interval: { from: 0, to: 9999 },
    provisional: false,
  };
  const settings = { chain: 'X', pageSize, recordCap: 10_000, listing: new Listing({}), ceilings };
  for await (const part of fetchSlice(caller, slice, settings)) parts.push(part);
  const heights = parts.flatMap(({ records }) => records.map((record) => Number(record['height'])));
  return {
    parts,
    heights: heights.sort((a, b) => a - b),
    asked,
    ceilings,
    memory: ceilings.memory(),
  };
}

describe('a cap that nobody was told of', () => {
  for (const isExclusive of [false, true]) {
    const reading = isExclusive ? 'leave out' : 'hold';
    it(`is found where ranges ${reading} their end, and what is longer is split`, async () => {
      const server = { heights: range(333).map((i) => i * 7), cap: 57, isExclusive };
      const { parts, heights, ceilings } = await fetched(server);
      expect(heights).toEqual(server.heights);
      expect(parts.every(({ status }) => status === 'complete')).toBe(true);
      expect(ceilings.cap(PATH, 10_000)).toBe(57);
      expect(ceilings.includesEnd(PATH)).toBe(!isExclusive);
    });

    it(`is found in blocks without a gap where ranges ${reading} their end`, async () => {
      const server = { heights: range(333), cap: 41, isExclusive };
      const { heights, ceilings } = await fetched(server);
      expect(heights).toEqual(server.heights);
      expect(ceilings.cap(PATH, 10_000)).toBe(41);
    });
  }

  it('is found where it is smaller than a page', async () => {
    const server = { heights: range(72).map((i) => i * 7), cap: 7 };
    const { parts, heights, ceilings } = await fetched(server);
    expect(heights).toEqual(server.heights);
    expect(parts.every(({ status }) => status === 'complete')).toBe(true);
    expect(ceilings.cap(PATH, 10_000)).toBe(7);
    expect([...ceilings.caps()]).toEqual([[PATH, 7]]);
  });

  it('is found where one height has more than half of what is shown', async () => {
    const server = { heights: [...range(30).map(() => 500), 20, 700].sort((a, b) => b - a) };
    const { parts, heights } = await fetched({ ...server, cap: 31 });
    expect(heights).toEqual([20, ...range(30).map(() => 500), 700]);
    expect(parts.every(({ status }) => status === 'complete')).toBe(true);
  });

  it('is found where all that is shown stands at one height', async () => {
    const server = { heights: [...range(30).map(() => 500), 20, 10], cap: 30 };
    const { parts, heights } = await fetched(server);
    expect(heights.filter((height) => height < 500)).toEqual([10, 20]);
    // The height itself has as many records as are shown at most.
    const short = parts.filter(({ status }) => status !== 'complete');
    expect(short.map(({ status, slice }) => [status, slice.interval])).toEqual([
      ['truncated', { from: 500, to: 500 }],
    ]);
  });

  it('is not suspected where the halves add up', async () => {
    const server = { heights: range(333).map((i) => i * 7), cap: 10_000 };
    const { heights, parts, memory } = await fetched(server);
    expect(heights).toEqual(server.heights);
    expect(parts.map(({ status }) => status)).toEqual(['complete']);
    expect(memory[PATH]).toEqual({});
  });

  it('is found where a record names two of the keys, in one block', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
    const moves = [
      { from: a, to: b },
      { from: c, to: '' },
    ].map((move, i) => ({ ...move, height: '500', txId: `0x${i}` }));
    const caller: Caller = {
      call: async (_, query): Promise<PageReply> => {
        const keys = String(query['address']).split(',');
        const all = moves.filter(
          ({ from, to }) => keys.includes(from ?? '') || keys.includes(to ?? ''),
        );
        const shown = Number(query['startBlockHeight']) > 500 ? [] : all.slice(0, 1);
        const limit = Number(query['limit']);
        return { records: shown, page: 1, limit, totalPage: shown.length };
      },
    };
    const keys = [a, b, c].map(String);
    const interval = { from: 500, to: 500 };
    const slice = { endpoint: PATH, variant: variant({}), keys, interval, provisional: false };
    const ceilings = new Ceilings({});
    const settings = { chain: 'X', pageSize: 20, recordCap: 10_000, listing: new Listing({}) };
    const found = new Set<unknown>();
    for await (const part of fetchSlice(caller, slice, { ...settings, ceilings })) {
      for (const record of part.records) found.add(record['txId']);
    }
    expect([...found].sort()).toEqual(['0x0', '0x1']);
  });

  it('is looked for in every run anew, because services change', async () => {
    const server = { heights: range(333).map((i) => i * 7), cap: 10_000 };
    const first = await fetched(server);
    const { heights, parts } = await fetched({ ...server, cap: 57 }, first.memory);
    expect(heights).toEqual(server.heights);
    expect(parts.every(({ status }) => status === 'complete')).toBe(true);
  });

  it('is looked for anew when longer lists were shown long ago', () => {
    const ceilings = new Ceilings({});
    ceilings.listed(PATH, 50);
    for (let i = 0; i < 199; i += 1) ceilings.listed(PATH, 20);
    expect([19, 20, 49, 50].map((records) => ceilings.isProven(PATH, records))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    ceilings.listed(PATH, 20);
    expect(ceilings.isProven(PATH, 20)).toBe(false);
    ceilings.listed(PATH, 0);
    expect(ceilings.isProven(PATH, 19)).toBe(true);
  });

  it('is looked for in one list at a time, which may answer for the others', async () => {
    const { caller, asked } = callerOf({ heights: range(12), cap: 10_000 }, (reply) => reply);
    const ceilings = new Ceilings({});
    const settings = { chain: 'X', pageSize: 20, recordCap: 10_000, listing: new Listing({}) };
    const walks = [0, 6, 9].map(async (from) => {
      const interval = { from, to: 9999 };
      const slice = { endpoint: PATH, variant: variant({}), keys: [KEY], interval };
      for await (const part of fetchSlice(
        caller,
        { ...slice, provisional: false },
        { ...settings, ceilings },
      )) {
        expect(part.status).toBe('complete');
      }
    });
    await Promise.all(walks);
    // Three lists, and one of them counted.
    expect(asked).toHaveLength(3 + 4);
  });

  it('that is remembered splits at once', async () => {
    const server = { heights: range(333).map((i) => i * 7), cap: 57 };
    const { heights, asked } = await fetched(server, { [PATH]: { cap: 57, includesEnd: true } });
    expect(heights).toEqual(server.heights);
    const sent = asked.filter(({ from, to }) => from === 0 && to === 10_000);
    expect(sent).toHaveLength(1);
  });
});

it('a page size that the list does not give is asked for once', async () => {
  const server = { heights: range(90).map((i) => i * 50), cap: 10_000, maxLimit: 25 };
  const first = await fetched(server, {}, 100);
  expect(first.memory[PATH]?.pageSize).toBe(25);
  const again = await fetched(server, first.memory, 100);
  expect(again.heights).toEqual(server.heights);
  expect(again.asked.every(({ limit }) => limit === 25)).toBe(true);
  expect(endpointAt(PATH).limits.pageSize?.max).toBe(100);
});

test('a cap is remembered from run to run only where it is not absurdly small', () => {
  const ceilings = new Ceilings({});
  ceilings.learn(PATH, { cap: 999, pageSize: 50 });
  expect(ceilings.memory()).toEqual({ [PATH]: { pageSize: 50 } });
  ceilings.learn(PATH, { cap: 1000 });
  expect(ceilings.memory()).toEqual({ [PATH]: { pageSize: 50, cap: 1000 } });
});

test('a cap is forgotten when the list shows more than it', () => {
  const ceilings = new Ceilings({ [PATH]: { cap: 1000, pageSize: 50 } });
  ceilings.shown(PATH, 1000);
  expect(ceilings.cap(PATH, 10_000)).toBe(1000);
  ceilings.shown(PATH, 1001);
  expect(ceilings.cap(PATH, 10_000)).toBe(10_000);
  expect(ceilings.pageSize(PATH, 100)).toBe(50);
});

test('a cap stays known where pages are smaller than was asked for', async () => {
  const server = { heights: range(90).map((i) => i * 50), cap: 10_000, maxLimit: 25 };
  const { ceilings } = await fetched(server, { [PATH]: { cap: 95 } }, 100);
  expect(ceilings.cap(PATH, 10_000)).toBe(95);
});

test('one count that is wrong teaches nothing', async () => {
  let lies = 1;
  const server = { heights: range(90).map((i) => i * 7), cap: 10_000 };
  const { parts, heights, ceilings } = await fetched(server, {}, 20, (reply, { to }) => {
    const isLie = to < 9999 && to > 7 && lies > 0 && (reply.totalPage ?? 0) > 1;
    if (!isLie) return reply;
    lies -= 1;
    return { ...reply, totalPage: (reply.totalPage ?? 0) + 1 };
  });
  expect(lies).toBe(0);
  expect(heights).toEqual(server.heights);
  expect(parts.map(({ status }) => status)).toEqual(['complete']);
  expect(ceilings.cap(PATH, 10_000)).toBe(10_000);
});

test('one list that is wrong teaches nothing', async () => {
  let lies = 1;
  const server = { heights: range(12).map((i) => i * 7), cap: 10_000 };
  const { parts, heights, ceilings } = await fetched(server, {}, 20, (reply) => {
    lies -= 1;
    return lies < 0 ? reply : { ...reply, records: reply.records.slice(0, 3) };
  });
  expect(heights).toEqual(server.heights);
  expect(parts.map(({ status }) => status)).toEqual(['complete']);
  expect(ceilings.cap(PATH, 10_000)).toBe(10_000);
});

test('a list of one height proves nothing of how much is shown', async () => {
  const server = { heights: range(15).map(() => 500), cap: 10_000 };
  const { parts, memory } = await fetched(server);
  expect(parts.map(({ status, records }) => [status, records.length])).toEqual([['complete', 15]]);
  expect(memory).toEqual({ [PATH]: {} });
});

test('hashes whose records are cut off together are found out by asking for one apart', async () => {
  const path = 'mainchain/transaction/token-transfer-multi';
  const hashes = ['1', '2', '3'].map((digit) => `0x${digit.repeat(64)}`);
  const caller: Caller = {
    call: async (_, query): Promise<PageReply> => {
      const wanted = String(query['txId']).split(',');
      const limit = Number(query['limit']);
      const page = Number(query['page']);
      const all = wanted
        .flatMap((txId) => range(15).map((i) => ({ txId, height: '7', amount: String(i) })))
        .slice(0, 33);
      const records = all.slice((page - 1) * limit, page * limit);
      return { records, page, limit, totalPage: Math.ceil(all.length / limit) };
    },
  };
  const slice = {
    endpoint: path,
    variant: variant({ protocolType: 'token_20' }),
    keys: hashes,
    interval: { from: 0, to: 99 },
    provisional: false,
  };
  const ceilings = new Ceilings({});
  const settings = {
    chain: 'X',
    pageSize: 7,
    recordCap: 10_000,
    listing: new Listing({}),
    ceilings,
  };
  const parts: Fetched[] = [];
  for await (const part of fetchSlice(caller, slice, settings)) parts.push(part);
  expect(parts.every(({ status }) => status === 'complete')).toBe(true);
  expect(parts.flatMap(({ records }) => records)).toHaveLength(45);
});

test('a smaller page that is echoed once is a slip, and nothing is remembered of it', async () => {
  let slips = 1;
  const server = { heights: range(90).map((i) => i * 7), cap: 10_000 };
  const { heights, ceilings } = await fetched(server, {}, 20, (reply) => {
    slips -= 1;
    return slips === 0 ? { ...reply, limit: 1 } : reply;
  });
  expect(heights).toEqual(server.heights);
  expect(ceilings.pageSize(PATH, 20)).toBe(20);
});

test('an answer to a count that is about another page is not counted', async () => {
  const server = { heights: range(90).map((i) => i * 7), cap: 10_000 };
  const { heights, ceilings } = await fetched(server, {}, 20, (reply, { to }) =>
    to < 9999 ? { ...reply, page: 7, records: [] } : reply,
  );
  expect(heights).toEqual([]);
  expect(ceilings.includesEnd(PATH)).toBeUndefined();
});
