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
  RECORDS,
  record,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: a list with block bounds is read by moving them. It is complete in any order of its
 * records, and every contradiction between two answers is detected.
 */

const range = ({ query }: Asked): readonly [from: number, to: number] => [
  Number(query['startBlockHeight']),
  Number(query['endBlockHeight']),
];

/** Changes some answers; the real records stay the same. */
function serving(
  tamper: (records: readonly WireRecord[], inquiry: Asked) => readonly WireRecord[],
  records: readonly WireRecord[] = RECORDS,
  options: ListerOptions = {},
): Lister {
  return new Lister(records, {
    ...options,
    tamper: (reply, inquiry) => {
      const shown = tamper(reply.records.map(parsedRecord), inquiry);
      return { ...reply, records: shown, ...(shown.length === 0 ? { page: 0, totalPage: 0 } : {}) };
    },
  });
}

const whole = textsOf([{ records: RECORDS }]);

describe('a list', () => {
  const seeded = (list: readonly WireRecord[]): WireRecord[] => {
    return list
      .map((entry, i) => ({ entry, at: (i * 7919) % 101 }))
      .sort((a, b) => a.at - b.at)
      .map(({ entry }) => entry);
  };
  test('without an order is cut around the heights that fill a page', async () => {
    const sparse = [100, 300, 700, 1_100, 2_000, 3_100].map((height) => record(height));
    const list = seeded([...atHeight(9_000, 12), ...atHeight(8_999, 3), ...sparse]);
    const lister = new Lister(list);
    const parts = await fetched(lister, sliceOf({ interval: { from: 0, to: 9_999 } }));
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    expect(lister.requests).toBeLessThan(16);
  });

  test('is read by page 1 alone if no height fills a page', async () => {
    const lister = new Lister(RECORDS);
    await fetched(lister);
    expect(new Set(lister.calls.map(({ page }) => page))).toEqual(new Set([1]));
  });

  test('of many pages is read in several parts at once', async () => {
    const list = Array.from({ length: 12_000 }, (_, i) => record(9_999 - (i >> 1)));
    let under = 0;
    let most = 0;
    const lister = new Lister(list);
    const counting = {
      async call(...[endpoint, query]: Parameters<Lister['call']>) {
        under += 1;
        most = Math.max(most, under);
        const reply = await lister.call(endpoint, query);
        under -= 1;
        return reply;
      },
    };
    const wide = sliceOf({ interval: { from: 0, to: 9_999 } });
    const parts = await fetched(counting, wide, { pageSize: 100, recordCap: 100_000 });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
    expect(most).toBeGreaterThan(1);
  });

  test('whose page size the service lowers is read completely', async () => {
    const parts = await fetched(new Lister(RECORDS, { clamp: 4 }));
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(whole);
  });

  test('whose volatile columns change between pages is read completely', async () => {
    const lister = serving((records, { request }) =>
      records.map((entry) => ({ ...entry, isFromContract: request > 1 ? 'true' : 'false' })),
    );
    const parts = await fetched(lister);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(parts.flatMap(({ records }) => records)).toHaveLength(25);
  });

  test('is provisional above the safe height', async () => {
    const parts = await fetched(new Lister(RECORDS), sliceOf({ provisional: true }));
    expect(statusesOf(parts)).toEqual(['provisional']);
  });
});

describe('an answer that contradicts another one', () => {
  const isRest = (inquiry: Asked): boolean => range(inquiry)[1] < 190 && range(inquiry)[1] > 176;

  test.each<[string, (records: readonly WireRecord[]) => readonly WireRecord[]]>([
    ['lacks a record that was listed before', () => RECORDS.slice(10, 20)],
    ['is empty', () => []],
    ['has a record outside the range', (records) => [...records.slice(0, -1), record(98)]],
    ['has a record of another key', (records) => [...records.slice(1), record(150, { from: B })]],
  ])('that %s is read again', async (_name, tamper) => {
    let isOnce = true;
    const once = serving((records, inquiry) => {
      if (!isOnce || !isRest(inquiry) || records.length < 10) return records;
      isOnce = false;
      return tamper(records);
    });
    const parts = await fetched(once, sliceOf());
    expect(isOnce).toBe(false);
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(whole);
  });

  test.each<[string, (records: readonly WireRecord[]) => readonly WireRecord[], string]>([
    ['is empty', () => [], 'was listed before'],
    ['has a record outside the range', (list) => [...list, record(98)], 'height 98 was listed'],
    ['has one of another key', (list) => [...list, record(170, { from: B })], 'none of the keys'],
  ])('that always %s makes the part inconsistent', async (_name, tamper, reason) => {
    const always = serving((records, inquiry) => (isRest(inquiry) ? tamper(records) : records));
    const parts = await fetched(always);
    const wrong = parts.filter(({ status }) => status !== 'complete');
    expect(wrong.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(wrong[0]?.reason).toContain(reason);
    // Records of other keys or heights are not landed, whatever the status.
    const texts = textsOf(parts);
    expect(texts.filter((text) => !whole.includes(text))).toEqual([]);
  });

  test('a page with another page number is read again', async () => {
    let isOnce = true;
    const lister = new Lister(RECORDS, {
      tamper: (reply) => {
        if (!isOnce || reply.records.length < 10) return reply;
        isOnce = false;
        return { ...reply, page: 2, records: RECORDS.slice(10, 20) };
      },
    });
    expect(textsOf(await fetched(lister))).toEqual(whole);
  });

  test('an empty page with a page count is read again', async () => {
    let isOnce = true;
    const lister = new Lister([record(150)], {
      tamper: (reply) => {
        if (!isOnce) return reply;
        isOnce = false;
        return { ...reply, records: [] };
      },
    });
    expect(textsOf(await fetched(lister))).toEqual(textsOf([{ records: [record(150)] }]));
  });
});

describe('a page with fewer records than its count', () => {
  const endpoint = 'mainchain/zone/address/transaction-list';
  const list = Array.from({ length: 5 }, (_, i) => {
    return { hash: `0x${i}`, blockHeight: String(190 - i), from: A };
  });
  /** A longer page before it excludes a record cap. */
  const facts = (): ListFacts => {
    const expected = new ListFacts({});
    expected.pageShown(endpoint, 9);
    return expected;
  };

  test('is read again, because a record in the middle may be missing', async () => {
    let isOnce = true;
    const lister = serving((records, { request }) => {
      if (!isOnce || request > 1) return records;
      isOnce = false;
      return records.filter((_, i) => i !== 2);
    }, list);
    const parts = await fetched(lister, sliceOf({ list: listNamed(endpoint) }), { facts: facts() });
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });

  test.each([4, 6, 25])('is believed when the wrong total of %i is repeated', async (total) => {
    const lister = new Lister(list, { tamper: (reply) => ({ ...reply, total }) });
    const parts = await fetched(lister, sliceOf({ list: listNamed(endpoint) }), { facts: facts() });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  });
});

describe('a page that lacks a record', () => {
  /** A service whose counts are known to be wrong, and whose pages are not cut at a cap. */
  const facts = (): ListFacts => {
    const expected = new ListFacts({});
    for (let i = 0; i < 3; i += 1) expected.at(INTERNAL).wrongCounts += 1;
    expected.pageShown(INTERNAL, 12);
    return expected;
  };
  const isWhole = (inquiry: Asked): boolean => range(inquiry)[1] >= 199 && range(inquiry)[0] <= 100;

  test('at its end is checked if no count is reliable', async () => {
    const lister = serving((records, inquiry) =>
      isWhole(inquiry) ? records.slice(0, 7) : records,
    );
    const parts = await fetched(lister, sliceOf(), { facts: facts() });
    expect(textsOf(parts)).toEqual(whole);
  });

  test.each([
    [2, 'complete'],
    [400, 'inconsistent'],
  ])('in the middle, %i times, is never treated as cut', async (times, status) => {
    let left = times;
    const lister = serving((records, inquiry) => {
      if (!isWhole(inquiry) || left === 0) return records;
      left -= 1;
      return records.filter((_, i) => i !== 1);
    });
    const parts = await fetched(lister, sliceOf(), { facts: facts() });
    expect(statusesOf(parts)).toContain(status);
    const complete = parts.filter((part) => part.status === 'complete');
    if (status === 'complete') expect(textsOf(complete)).toEqual(whole);
    else expect(complete).toEqual([]);
  });
});

test.each([
  ['contradicts its question', [record(150), record(98)]],
  ['counts more than it holds', [record(150)]],
])('records of a page that %s must be listed again', async (_name, shown) => {
  const lister = serving((_, { request }) => (request > 1 ? [] : shown));
  expect(statusesOf(await fetched(lister))).toEqual(['inconsistent']);
});

test('a record that is listed twice contradicts its identity', async () => {
  const twice = [record(150), record(150), record(140)];
  const parts = await fetched(new Lister(twice), sliceOf({ list: listNamed(NORMAL) }));
  expect(parts.map(({ status, reason }) => [status, reason])).toEqual([
    ['inconsistent', 'two records have the identity 0x150'],
  ]);
  expect(statusesOf(await fetched(new Lister(twice), sliceOf()))).toEqual(['complete']);
});

test('the walk of an endless list ends after a bounded number of requests', async () => {
  // Every answer is a full unsorted page with new records.
  const endless = serving((_, inquiry) => {
    const [from, to] = range(inquiry);
    return Array.from({ length: 10 }, (_each, i) => {
      return record(i % 2 === 0 ? to : from, { amount: String(inquiry.request * 10 + i), to: C });
    });
  });
  const parts = await fetched(endless, sliceOf({ interval: { from: 0, to: 9_000 } }));
  expect(parts.some(({ status }) => status === 'complete')).toBe(false);
  expect(endless.requests).toBeLessThan(60);
});

describe('a list that shows one key after the other', () => {
  const settings = (key: string, heights: readonly number[]): WireRecord[] =>
    heights.map((height) => record(height, { txId: `${key}${height}`, from: key }));
  const down = (count: number, from: number, step: number): number[] =>
    Array.from({ length: count }, (_, i) => from - i * step);

  test.each([5, 10, 11, 19, 20, 21, 30, 45])(
    'with %i records of the first key is read completely',
    async (count) => {
      for (const step of [1, 2]) {
        const list = [...settings(A, down(count, 190, step)), ...settings(B, down(30, 195, 2))];
        for (const pageSize of [10, 20]) {
          const lister = new Lister(list);
          const parts = await fetched(lister, sliceOf({ keys: [A, B] }), { pageSize });
          expect(statusesOf(parts)).toEqual(['complete']);
          expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
        }
      }
    },
  );

  test('is distinguished from one that mixes its keys, which costs at most one request a page', async () => {
    const both = [...settings(A, down(30, 190, 2)), ...settings(B, down(30, 189, 2))];
    both.sort((a, b) => Number(b['height']) - Number(a['height']));
    const mixed = new Lister(both);
    await fetched(mixed, sliceOf({ keys: [A, B] }));
    const one = new Lister(settings(A, down(60, 190, 1)));
    await fetched(one, sliceOf());
    // Both keys have half of each page, so a cap for each key may have cut any of them.
    expect(mixed.requests).toBeLessThanOrEqual(one.requests + 6);
  });
});
