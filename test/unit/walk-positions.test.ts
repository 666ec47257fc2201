import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { decimalOf, decimalText, stepped } from '../../src/fetch/decimal.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { Listing } from '../../src/fetch/listing.ts';
import { pageReaching } from '../../src/fetch/positions.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';
import { gathered, Lister, type ListerOptions } from './walk-lister.ts';

const ZONE_BLOCKS = 'mainchain/zone/block/block-list';
const BLOCKS = 'mainchain/block/block-list';
const TRANSFERS = 'mainchain/token/transaction-list';
const TOKEN = `0x${'7'.repeat(40)}`;

const block = (height: number, more: WireRecord = {}): WireRecord => {
  return { hash: `0x${height.toString(16)}`, height: String(height), ...more };
};

/** Blocks of all heights from `first` to `last`, newest first. */
function blocks(first: number, last: number): WireRecord[] {
  return Array.from({ length: last - first + 1 }, (_, i) => block(last - i));
}

async function fetched(
  endpoint: string,
  interval: readonly [number, number],
  lister: Lister,
  more: { readonly recordCap?: number; readonly params?: Record<string, string> } = {},
): Promise<Fetched[]> {
  const slice: Slice = {
    endpoint,
    variant: variant(more.params ?? {}),
    keys: [endpoint === TRANSFERS ? TOKEN : ''],
    interval: { from: interval[0], to: interval[1] },
    provisional: false,
  };
  const { recordCap = 10_000 } = more;
  const settings = { chain: 'X', pageSize: 20, recordCap, listing: new Listing({}) };
  return gathered(fetchSlice(lister, slice, settings));
}

const summary = (parts: readonly Fetched[]) =>
  parts.map(({ status, slice, records }) => {
    return [status, slice.interval.from, slice.interval.to, records.length];
  });

/** Puts `count` blocks in front before every answer. */
function growing(count: number): ListerOptions {
  return {
    before: (lister) => {
      const newest = Number(lister.records[0]?.['height'] ?? 0);
      lister.records = [...blocks(newest + 1, newest + count), ...lister.records];
    },
  };
}

test('a page begins at a position or before it, and reaches as far as any can', () => {
  const wrong: unknown[] = [];
  for (let position = 0; position < 400; position += 1) {
    for (const most of [20, 50, 100]) {
      const { page, limit } = pageReaching(position, most);
      const limits = Array.from({ length: most }, (_, i) => i + 1);
      const furthest = Math.max(...limits.map((each) => (Math.floor(position / each) + 1) * each));
      const isRight = limit <= most && (page - 1) * limit <= position && page * limit === furthest;
      if (!isRight) wrong.push({ position, most, page, limit });
    }
  }
  expect(wrong).toEqual([]);
});

describe.each([ZONE_BLOCKS, BLOCKS])('%s', (endpoint) => {
  test('an interval of a list that grows by ten a request comes whole, each record once', async () => {
    const lister = new Lister(blocks(1, 900), growing(10));
    const parts = await fetched(endpoint, [301, 700], lister);
    expect(summary(parts)).toEqual([['complete', 301, 700, 400]]);
    const heights = parts[0]?.records.map(({ height }) => Number(height));
    expect(heights).toEqual(Array.from({ length: 400 }, (_, i) => 700 - i));
    expect(parts[0]?.requests).toBe(lister.requests);
  });

  test('an interval that is provisional is not called complete', async () => {
    const lister = new Lister(blocks(1, 50));
    const slice: Slice = {
      endpoint,
      variant: variant({}),
      keys: [''],
      interval: { from: 40, to: 50 },
      provisional: true,
    };
    const settings = { chain: 'X', pageSize: 20, recordCap: 10, listing: new Listing({}) };
    const parts = await gathered(fetchSlice(lister, slice, settings));
    expect(summary(parts)).toEqual([['provisional', 40, 50, 11]]);
    expect(lister.requests).toBe(1);
  });

  test('heights without a record are no gap', async () => {
    const sparse = blocks(1, 400).filter(({ height }) => Number(height) % 7 === 0);
    const parts = await fetched(endpoint, [100, 300], new Lister(sparse, growing(3)));
    expect(summary(parts)).toEqual([['complete', 100, 300, 28]]);
  });

  test('heights that rise down the list are inconsistent, with what lay inside', async () => {
    const list = blocks(1, 100);
    const swapped = list.map((each, i) => (i === 50 ? { ...each, height: '98' } : each));
    const parts = await fetched(endpoint, [21, 80], new Lister(swapped));
    expect(parts).toMatchObject([{ status: 'inconsistent', reason: expect.any(String) }]);
    expect(parts[0]?.reason).toContain('heights rise');
    expect(parts[0]?.records.length).toBeGreaterThan(0);
  });

  test('a page that says it is another page is not believed', async () => {
    const lister = new Lister(blocks(1, 200), {
      tamper: (reply, { request }) => (request === 3 ? { ...reply, page: 9 } : reply),
    });
    expect(summary(await fetched(endpoint, [50, 150], lister))).toEqual([
      ['complete', 50, 150, 101],
    ]);
    const liar = new Lister(blocks(1, 200), { tamper: (reply) => ({ ...reply, page: 99 }) });
    const parts = await fetched(endpoint, [50, 150], liar);
    expect(parts).toMatchObject([{ status: 'inconsistent' }]);
    expect(parts[0]?.reason).toContain('page 99 came');
  });

  test('a page that lacks a record is not believed', async () => {
    const lacking = (request: number, since: number): ListerOptions => ({
      tamper: (reply, asked) =>
        asked.request === request || asked.request > since
          ? { ...reply, records: reply.records.toSpliced(3, 1) }
          : reply,
    });
    const once = new Lister(blocks(1, 200), lacking(4, 1_000));
    expect(summary(await fetched(endpoint, [50, 150], once))).toEqual([['complete', 50, 150, 101]]);
    const parts = await fetched(endpoint, [50, 150], new Lister(blocks(1, 200), lacking(4, 4)));
    expect(parts).toMatchObject([{ status: 'inconsistent' }]);
    expect(parts[0]?.reason).toContain('due held');
  });

  test('a page size that the service makes smaller is adopted', async () => {
    const lister = new Lister(blocks(1, 200), { clamp: 7 });
    expect(summary(await fetched(endpoint, [50, 150], lister))).toEqual([
      ['complete', 50, 150, 101],
    ]);
  });

  test('a block that is replaced while the list is read begins the walk anew', async () => {
    let isOld = true;
    const lister = new Lister(blocks(1, 300), {
      before: (service) => {
        if (!isOld || service.requests < 8) return;
        isOld = false;
        service.records = service.records.map((each) =>
          Number(each['height']) > 100 ? { ...each, hash: `${each['hash']}0000` } : each,
        );
      },
    });
    const parts = await fetched(endpoint, [50, 200], lister);
    expect(summary(parts)).toEqual([['complete', 50, 200, 151]]);
    const hashes = parts[0]?.records.map(({ hash }) => String(hash));
    expect(hashes?.filter((hash) => hash.endsWith('0000'))).toHaveLength(100);
  });

  test('a list that moves by more than a page a request is given up, and not for ever', async () => {
    const lister = new Lister(blocks(1, 200), {
      before: (service) => growing(((service.requests * 37) % 11) * 30).before?.(service),
    });
    const parts = await fetched(endpoint, [50, 150], lister);
    expect(parts.map(({ status }) => status)).toEqual(['failed']);
    expect(lister.requests).toBeLessThan(600);
  });
});

test.each([ZONE_BLOCKS, BLOCKS])('%s is given up when it begins to move too fast', async (list) => {
  const lister = new Lister(blocks(1, 400), {
    before: (service) => {
      const { requests } = service;
      if (requests > 7) growing(((requests * 37) % 11) * 30).before?.(service);
    },
  });
  const parts = await fetched(list, [50, 350], lister);
  expect(parts.map(({ status }) => status)).toEqual(['failed']);
  expect(lister.requests).toBeLessThan(600);
});

test('a boundary that sinks nearly as fast as pages are read is galloped after', async () => {
  const lister = new Lister(blocks(1, 3_000), growing(19));
  const parts = await fetched(ZONE_BLOCKS, [995, 1000], lister);
  expect(summary(parts)).toEqual([['complete', 995, 1000, 6]]);
  expect(lister.requests).toBeLessThan(100);
});

test('a record of another token is not taken', async () => {
  const list = ['1', '2', '3'].map((height) => {
    return { txid: '0x1', height, tokenContractAddress: TOKEN, amount: '1' };
  });
  const lister = new Lister(list, {
    tamper: (reply) => ({
      ...reply,
      records: reply.records.map((each, i) =>
        i === 1 ? { ...each, tokenContractAddress: '0x8' } : each,
      ),
    }),
  });
  const parts = await fetched(TRANSFERS, [1, 3], lister);
  expect(summary(parts)).toEqual([['inconsistent', 1, 3, 2]]);
  expect(parts[0]?.reason).toContain('none of the keys');
});

test('a record listed in two places is not taken twice', async () => {
  const list = blocks(1, 200);
  const twice = [...list.slice(0, 90), { ...list[89] }, ...list.slice(90)];
  const parts = await fetched(ZONE_BLOCKS, [50, 150], new Lister(twice));
  expect(parts[0]).toMatchObject({ status: 'inconsistent' });
  expect(parts[0]?.reason).toContain('two places');
});

test('a late record below what was read is noticed by the fence', async () => {
  let isLate = true;
  const equal = (height: number): WireRecord => {
    return { txid: '0x1', height: String(height), tokenContractAddress: TOKEN, amount: '1' };
  };
  const list = Array.from({ length: 200 }, (_, i) => equal(200 - i));
  const lister = new Lister(list, {
    before: (service) => {
      if (!isLate || service.requests < 9) return;
      isLate = false;
      service.records = service.records.toSpliced(60, 0, equal(140));
    },
  });
  const parts = await fetched(TRANSFERS, [50, 150], lister);
  expect(summary(parts)).toEqual([['complete', 50, 150, 102]]);
});

test('below the end of a list without a depth limit there is nothing', async () => {
  const parts = await fetched(ZONE_BLOCKS, [0, 150], new Lister(blocks(80, 200), growing(5)));
  expect(summary(parts)).toEqual([['complete', 0, 150, 71]]);
  const none = await fetched(ZONE_BLOCKS, [0, 50], new Lister(blocks(80, 200), growing(5)));
  expect(summary(none)).toEqual([['complete', 0, 50, 0]]);
  expect(summary(await fetched(ZONE_BLOCKS, [0, 50], new Lister([])))).toEqual([
    ['complete', 0, 50, 0],
  ]);
});

test('what lies below the depth of a list is a part of its own', async () => {
  const shallow = new Lister(blocks(1, 500), { depthBlocks: 100 });
  const parts = await fetched(BLOCKS, [300, 450], shallow);
  expect(summary(parts)).toEqual([
    ['complete', 401, 450, 50],
    ['depth_limited', 300, 400, 0],
  ]);
  expect(parts[1]?.reason).toContain('to 401');
  const hidden = await fetched(
    BLOCKS,
    [100, 200],
    new Lister(blocks(1, 500), { depthBlocks: 100 }),
  );
  expect(summary(hidden)).toEqual([['depth_limited', 100, 200, 0]]);
});

test('a list whose end moves up while it is read is complete down to where it was read', async () => {
  const lister = new Lister(blocks(1, 500), { depthBlocks: 200, ...growing(6) });
  const parts = await fetched(BLOCKS, [1, 495], lister);
  expect(parts.map(({ status }) => status)).toEqual(['complete', 'depth_limited']);
  const [reached] = parts;
  const heights = reached?.records.map(({ height }) => Number(height));
  const from = reached?.slice.interval.from ?? 0;
  expect(heights).toEqual(Array.from({ length: 495 - from + 1 }, (_, i) => 495 - i));
  expect(from).toBeGreaterThan(301);
});

describe('a list that is longer than the service shows', () => {
  const transfer = (height: number, amount: string): WireRecord => {
    return { txid: '0x1', height: String(height), tokenContractAddress: TOKEN, amount };
  };
  const amounts = ['1', '2.5', '0.25', '12345678901234567890.000000000000000001', '7', '0', '3'];
  const list = Array.from({ length: 700 }, (_, i) =>
    transfer(1 + Math.floor((699 - i) / 2), amounts[i % 7] ?? ''),
  );

  test('is split by amounts, and its parts add up', async () => {
    const lister = new Lister(list, { cap: 200, ...growingTransfers() });
    const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 10, 300, 582]]);
    const sorted = (records: readonly WireRecord[]) => records.map((r) => JSON.stringify(r)).sort();
    const truth = list.filter(({ height }) => Number(height) >= 10 && Number(height) <= 300);
    expect(sorted(parts[0]?.records ?? [])).toEqual(sorted(truth));
  });

  test('is read without a split as far as it is shown', async () => {
    const lister = new Lister(list, { cap: 200 });
    const parts = await fetched(TRANSFERS, [300, 340], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 300, 340, 82]]);
    expect(lister.asked.every(({ query }) => query['minAmount'] === undefined)).toBe(true);
  });

  test('keeps to the amounts that the pipeline asks for', async () => {
    const params = { minAmount: '2', maxAmount: '7' };
    const lister = new Lister(list, { cap: 100 });
    const parts = await fetched(TRANSFERS, [1, 350], lister, { recordCap: 100, params });
    expect(summary(parts)).toEqual([['complete', 1, 350, 300]]);
  });

  test('is truncated below where equal amounts exceed the cap', async () => {
    const equal = list.map((each, i) => (i % 7 === 6 ? each : { ...each, amount: '1' }));
    const lister = new Lister(equal, { cap: 200 });
    const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
    expect(parts.map(({ status }) => status)).toEqual(['complete', 'truncated']);
    const [above, below] = parts;
    expect(above?.records).toHaveLength(2 * (300 - (above?.slice.interval.from ?? 0) + 1));
    expect(below?.slice.interval).toEqual({
      from: 10,
      to: (above?.slice.interval.from ?? 0) - 1,
    });
    expect(below?.reason).toContain('of one amount');
    expect(below?.records.length).toBeGreaterThan(0);
  });

  test('is inconsistent when the service does not heed the amounts', async () => {
    const lister = new Lister(list, { cap: 200 });
    const deaf = {
      call: (endpoint: Parameters<Lister['call']>[0], query: Record<string, string>) => {
        const { minAmount, maxAmount, ...rest } = query;
        return lister.call(endpoint, rest);
      },
    };
    const parts = await fetched(TRANSFERS, [10, 300], deaf as unknown as Lister, {
      recordCap: 200,
    });
    expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(parts[0]?.reason).toContain('of 698 records');
  });

  test('misses no amount with more decimals than any that was seen', async () => {
    const hidden = list.map((each, i) => (i === 650 ? { ...each, amount: '1.0000001' } : each));
    const lister = new Lister(hidden, { cap: 200 });
    const parts = await fetched(TRANSFERS, [1, 350], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 1, 350, 700]]);
  });

  function growingTransfers(): ListerOptions {
    return {
      before: (lister) => {
        const newest = Number(lister.records[0]?.['height']);
        lister.records = [transfer(newest + 1, '2.5'), ...lister.records];
      },
    };
  }
});

test('decimals of any size are written as they are', () => {
  for (const text of ['0', '1', '-1.5', '0.000001', '123456789012345678901234567890.5']) {
    const value = decimalOf(text);
    expect(value && decimalText(value)).toBe(text);
  }
  expect(decimalOf('1e3')).toBeUndefined();
  const one = decimalOf('1.00');
  expect(one && decimalText(stepped(one, -1n, 18))).toBe('0.999999999999999999');
  expect(one && decimalText(stepped(one, 1n, 0))).toBe('2');
});
