import { describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../../src/coverage/slice.ts';
import { fetchSlice } from '../../../../../src/fetch/fetch-slice.ts';
import { CallFailure } from '../../../../../src/fetch/http/call-failure.ts';
import { ListFacts } from '../../../../../src/fetch/walk/list-facts.ts';
import { pageCovering } from '../../../../../src/fetch/walk/positions/positions.ts';
import { type AnyRecord, parsedRecord } from '../../../../fixtures/listed.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { unlearned } from '../../../../fixtures/unlearned.ts';
import { gathered, Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';
import {
  BLOCKS,
  blocks,
  fetched,
  growing,
  summary,
  TOKEN,
  TRANSFERS,
  ZONE_BLOCKS,
} from '../../../../fixtures/walk-positions-setup.ts';

test('the chosen page begins at or before a position and ends furthest behind it', () => {
  const wrong: unknown[] = [];
  for (let position = 0; position < 400; position += 1) {
    for (const most of [20, 50, 100]) {
      const { page, limit } = pageCovering(position, most);
      const limits = Array.from({ length: most }, (_, i) => i + 1);
      const furthest = Math.max(
        ...limits.map((entry) => (Math.floor(position / entry) + 1) * entry),
      );
      const isRight = limit <= most && (page - 1) * limit <= position && page * limit === furthest;
      if (!isRight) wrong.push({ position, most, page, limit });
    }
  }
  expect(wrong).toEqual([]);
});

describe.each([ZONE_BLOCKS, BLOCKS])('%s', (endpoint) => {
  test('a provisional interval is not reported as complete', async () => {
    const lister = new Lister(blocks(1, 50));
    const slice: Slice = {
      list: listNamed(endpoint),
      keys: [''],
      interval: { from: 40, to: 50 },
      provisional: true,
    };
    const settings = { chain: 'X', pageSize: 20, recordCap: 10, ...unlearned() };
    const parts = await gathered(fetchSlice(lister, slice, settings));
    expect(summary(parts)).toEqual([['provisional', 40, 50, 11]]);
    expect(lister.requests).toBe(1);
  });

  test('rising heights are inconsistent, with the records inside the interval', async () => {
    const list = blocks(1, 100);
    const swapped = list.map((entry, i) => (i === 50 ? { ...entry, height: '98' } : entry));
    const parts = await fetched(endpoint, [21, 80], new Lister(swapped));
    expect(parts).toMatchObject([{ status: 'inconsistent', reason: expect.any(String) }]);
    expect(parts[0]?.reason).toContain('newest-first list rise');
    expect(parts[0]?.records.length).toBeGreaterThan(0);
  });

  test('no record at all is no proof after a first attempt that had some', async () => {
    const facts = new ListFacts({});
    const lister = new Lister(blocks(1, 100), {
      tamper: (reply, { request }) =>
        request === 1 ? reply : { records: [], page: 0, totalPage: 0 },
    });
    const parts = await fetched(endpoint, [21, 80], lister, { facts });
    expect(parts.map(({ status }) => status)).not.toContain('complete');
    // The second answer of the first attempt, and each later attempt.
    expect(facts.at(endpoint).answers).toEqual({ right: 0, false: 4 });
  });

  test('a page with another page number is rejected', async () => {
    const lister = new Lister(blocks(1, 200), {
      tamper: (reply, { request }) => (request === 3 ? { ...reply, page: 9 } : reply),
    });
    expect(summary(await fetched(endpoint, [50, 150], lister))).toEqual([
      ['complete', 50, 150, 101],
    ]);
    const liar = new Lister(blocks(1, 200), { tamper: (reply) => ({ ...reply, page: 99 }) });
    const parts = await fetched(endpoint, [50, 150], liar);
    expect(parts).toMatchObject([{ status: 'inconsistent' }]);
    expect(parts[0]?.reason).toContain('page 99 returned');
  });

  test('a page that lacks a record is rejected', async () => {
    const lacking = (request: number, since: number): ListerOptions => ({
      tamper: (reply, question) =>
        question.request === request || question.request > since
          ? { ...reply, records: reply.records.toSpliced(3, 1) }
          : reply,
    });
    const once = new Lister(blocks(1, 200), lacking(4, 1_000));
    expect(summary(await fetched(endpoint, [50, 150], once))).toEqual([['complete', 50, 150, 101]]);
    const parts = await fetched(endpoint, [50, 150], new Lister(blocks(1, 200), lacking(4, 4)));
    expect(parts).toMatchObject([{ status: 'inconsistent' }]);
    expect(parts[0]?.reason).toContain('that must have 20 records has 19');
  });

  test('a page size that the service lowers is adopted', async () => {
    const lister = new Lister(blocks(1, 200), { clamp: 7 });
    expect(summary(await fetched(endpoint, [50, 150], lister))).toEqual([
      ['complete', 50, 150, 101],
    ]);
  });

  test('the walk restarts if a block is replaced while the list is read', async () => {
    let isOld = true;
    const lister = new Lister(blocks(1, 300), {
      before: (service) => {
        if (!isOld || service.requests < 8) return;
        isOld = false;
        service.records = service.records.map((entry) =>
          Number(entry['height']) > 100 ? { ...entry, hash: `${entry['hash']}0000` } : entry,
        );
      },
    });
    const parts = await fetched(endpoint, [50, 200], lister);
    expect(summary(parts)).toEqual([['complete', 50, 200, 151]]);
    const hashes = parts[0]?.records.map((entry) => String(parsedRecord(entry)['hash']));
    expect(hashes?.filter((hash) => hash.endsWith('0000'))).toHaveLength(100);
  });

  test('the walk of a list that shifts by more than a page per request fails after a bounded time', async () => {
    const lister = new Lister(blocks(1, 200), {
      before: (service) => growing(((service.requests * 37) % 11) * 30).before?.(service),
    });
    const parts = await fetched(endpoint, [50, 150], lister);
    expect(parts.map(({ status }) => status)).toEqual(['failed']);
    expect(lister.requests).toBeLessThan(600);
  });
});

test.each([ZONE_BLOCKS, BLOCKS])(
  'the walk of %s fails when the list begins to shift too fast',
  async (list) => {
    const lister = new Lister(blocks(1, 400), {
      before: (service) => {
        const { requests } = service;
        if (requests > 7) growing(((requests * 37) % 11) * 30).before?.(service);
      },
    });
    const parts = await fetched(list, [50, 350], lister);
    expect(parts.map(({ status }) => status)).toEqual(['failed']);
    expect(lister.requests).toBeLessThan(600);
  },
);

test('a boundary that shifts nearly as fast as pages are read is found', async () => {
  const lister = new Lister(blocks(1, 3_000), growing(19));
  const parts = await fetched(ZONE_BLOCKS, [995, 1000], lister);
  expect(summary(parts)).toEqual([['complete', 995, 1000, 6]]);
  expect(lister.requests).toBeLessThan(100);
});

test('a record of another token is rejected', async () => {
  const list = ['1', '2', '3'].map((height) => {
    return { txid: '0x1', height, tokenContractAddress: TOKEN, amount: '1' };
  });
  const lister = new Lister(list, {
    tamper: (reply) => ({
      ...reply,
      records: reply.records.map((entry, i) =>
        i === 1 ? { ...entry, tokenContractAddress: '0x8' } : entry,
      ),
    }),
  });
  const parts = await fetched(TRANSFERS, [1, 3], lister);
  expect(summary(parts)).toEqual([['inconsistent', 1, 3, 2]]);
  expect(parts[0]?.reason).toContain('none of the keys');
});

test('a record at two positions is inconsistent', async () => {
  const list = blocks(1, 200);
  const twice = [...list.slice(0, 90), { ...list[89] }, ...list.slice(90)];
  const parts = await fetched(ZONE_BLOCKS, [50, 150], new Lister(twice));
  expect(parts[0]).toMatchObject({ status: 'inconsistent' });
  expect(parts[0]?.reason).toContain('two positions');
});

test('the second reading of the top detects a late record below it', async () => {
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

test('a list without a depth limit has no records below its end', async () => {
  const parts = await fetched(ZONE_BLOCKS, [0, 150], new Lister(blocks(80, 200), growing(5)));
  expect(summary(parts)).toEqual([['complete', 0, 150, 71]]);
  const none = await fetched(ZONE_BLOCKS, [0, 50], new Lister(blocks(80, 200), growing(5)));
  expect(summary(none)).toEqual([['complete', 0, 50, 0]]);
  expect(summary(await fetched(ZONE_BLOCKS, [0, 50], new Lister([])))).toEqual([
    ['complete', 0, 50, 0],
  ]);
});

test('heights below the depth limit are a separate part', async () => {
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

test('a list whose end moves up while it is read is complete down to its last reading', async () => {
  const lister = new Lister(blocks(1, 500), { depthBlocks: 200, ...growing(6) });
  const parts = await fetched(BLOCKS, [1, 495], lister);
  expect(parts.map(({ status }) => status)).toEqual(['complete', 'depth_limited']);
  const [reached] = parts;
  const heights = reached?.records.map(({ height }) => Number(height));
  const from = reached?.slice.interval.from ?? 0;
  expect(heights).toEqual(Array.from({ length: 495 - from + 1 }, (_, i) => 495 - i));
  expect(from).toBeGreaterThan(301);
});

test('a repeated page in a list without identities is detected', async () => {
  const amounts = Array.from({ length: 200 }, (_, i) => ({
    txId: `0x${i >> 3}`,
    height: '1000',
    tokenContractAddress: TOKEN,
    amount: String(i),
  }));
  let served: AnyRecord[] = [];
  const lister = new Lister(amounts, {
    // One reading of page 5 returns page 4.
    tamper: (reply, { page, limit }) => {
      if (limit !== 20 || page < 4 || page > 5) return reply;
      if (page === 4) served = [...reply.records];
      const isStale = page === 5 && served.length > 0;
      return isStale ? { ...reply, records: served } : reply;
    },
  });
  const parts = await fetched(TRANSFERS, [0, 2000], lister);
  expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
});

test('a list that has records in one page size is not empty in another one', async () => {
  const amounts = Array.from({ length: 6 }, (_, i) => {
    return { txId: `0x${i}`, height: '1000', tokenContractAddress: TOKEN, amount: String(i) };
  });
  const lister = new Lister(amounts, {
    clamp: 5,
    // The requested page size is returned clamped, the clamped one with an empty answer.
    tamper: (reply, { limit }) =>
      limit === 5 ? { ...reply, records: [], page: 0, totalPage: 0, total: 0 } : reply,
  });
  const parts = await fetched(TRANSFERS, [0, 2000], lister);
  expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
});

test('pages of one record that are equal are not believed: no smaller page could refute them', async () => {
  const amounts = Array.from({ length: 6 }, (_, i) => ({
    txId: '0x1',
    height: '1000',
    tokenContractAddress: TOKEN,
    amount: String(i),
  }));
  const lister = new Lister(amounts, {
    clamp: 1,
    // Page 4 always returns page 3.
    tamper: (reply, { page }) => (page === 4 ? { ...reply, records: amounts.slice(2, 3) } : reply),
  });
  const parts = await fetched(TRANSFERS, [0, 2000], lister);
  expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
});

test('a refused page of a list with totals shows a cap', async () => {
  const list = Array.from({ length: 300 }, (_, i) => ({
    txId: `0x${i}`,
    height: String(1000 - i),
    tokenContractAddress: TOKEN,
    amount: String(i % 97),
  }));
  const cap = 133;
  const lister = new Lister(list, {
    cap,
    tamper: (reply, { page, limit, endpoint }) => {
      if ((page - 1) * limit < cap) return reply;
      const about = { code: '50037', endpoint: endpoint.path, detail: 'beyond what is listed' };
      throw new CallFailure('permanent', about);
    },
  });
  const parts = await fetched(TRANSFERS, [0, 2000], lister);
  expect(parts.map(({ status }) => status)).toEqual(['complete', 'truncated']);
  const results = parts.flatMap(({ records }) =>
    records.map((entry) => parsedRecord(entry)['txId']),
  );
  const listed = list.slice(0, results.length);
  expect(results.length).toBeGreaterThan(cap - 100);
  expect(results.sort()).toEqual(listed.map(({ txId }) => txId).sort());
});

test('the first of two equal pages may be the false one', async () => {
  // The ends of both pages are also equal, so reading around the second one shows no contradiction.
  const list = Array.from({ length: 100 }, (_, i) => ({
    txId: '0x1',
    height: '7',
    tokenContractAddress: TOKEN,
    amount: String(i === 38 || i === 39 ? i + 20 : i),
  }));
  let isDue = true;
  const lister = new Lister(list, {
    tamper: (reply, { page, limit }) => {
      if (!isDue || page !== 2 || limit !== 20) return reply;
      isDue = false;
      return { ...reply, records: list.slice(40, 60) };
    },
  });
  const [whole] = await fetched(TRANSFERS, [0, 2000], lister);
  expect(isDue).toBe(false);
  expect(whole?.records.map((entry) => parsedRecord(entry)['amount'])).toEqual(
    list.map((entry) => entry.amount),
  );
});
