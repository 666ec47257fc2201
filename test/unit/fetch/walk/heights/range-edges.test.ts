import { describe, expect, test } from 'vitest';
import type { FetchedPart } from '../../../../../src/coverage/slice-part.ts';
import { withoutHiddenStart } from '../../../../../src/fetch/walk/asked-range.ts';
import { ListFacts } from '../../../../../src/fetch/walk/list-facts.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { Lister } from '../../../../fixtures/walk-lister.ts';
import {
  fetched,
  INTERNAL,
  record,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: one record shows whether ranges include their first and last block, and no record at an
 * edge is lost in either case.
 */

const edges = [
  { from: false, to: false },
  { from: false, to: true },
  { from: true, to: false },
  { from: true, to: true },
];

describe.each(edges)('a service that excludes the first and the last block: %j', (excludes) => {
  const places: [string, number[]][] = [
    ['at its first block', [100]],
    ['at its last block', [199]],
    ['at both edges', [199, 100]],
    ['at every block', Array.from({ length: 100 }, (_, i) => 199 - i)],
    ['far from its edges', [150, 149, 148]],
    ['at its edges and outside', [200, 199, 198, 101, 100, 99]],
  ];

  test.each(places)('loses no record %s of the interval', async (_name, heights) => {
    const list = heights.map((height) => record(height));
    const inside = list.filter(({ height }) => Number(height) >= 100 && Number(height) <= 199);
    const facts = new ListFacts({});
    const parts = await fetched(new Lister(list, { excludes }), sliceOf(), { facts });
    expect(statusesOf(parts)).toEqual(['complete']);
    expect(textsOf(parts)).toEqual(textsOf([{ records: inside }]));
    const learned = facts.edges(INTERNAL);
    if (learned.from !== undefined) expect(learned.from).toBe(!excludes.from);
    if (learned.to !== undefined) expect(learned.to).toBe(!excludes.to);
  });

  test('loses no record of an interval of the full allowed span', async () => {
    for (const heights of [[100], [10_099], [10_099, 100], [10_099, 101, 100], [10_099, 9_000]]) {
      const list = heights.map((height) => record(height));
      const lister = new Lister(list, { excludes });
      const parts = await fetched(lister, sliceOf({ interval: { from: 100, to: 10_099 } }));
      const isHidden = excludes.from && heights.length === 1 && heights[0] === 100;
      // Without a record the run cannot know yet that ranges exclude their first block.
      if (!isHidden) expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
      for (const { query } of lister.calls) {
        const blocks = Number(query['endBlockHeight']) - Number(query['startBlockHeight']);
        expect(blocks).toBeLessThanOrEqual(10_000);
      }
    }
  });
});

test('edges are learned once for all slices of a list, also for concurrent ones', async () => {
  const lister = new Lister([record(9_000), record(160), record(150), record(140)]);
  const facts = new ListFacts({});
  const wide = sliceOf({ interval: { from: 100, to: 10_099 } });
  await Promise.all([
    fetched(lister, wide, { facts }),
    fetched(lister, { ...wide, interval: { from: 50, to: 10_049 } }, { facts }),
  ]);
  const narrow = lister.calls.filter(({ query }) => {
    return query['startBlockHeight'] === query['endBlockHeight'];
  });
  expect(narrow).toHaveLength(1);
  expect(facts.edges(INTERNAL)).toEqual({ from: true, to: true });
  const before = lister.requests;
  const [part] = await fetched(lister, sliceOf({ interval: { from: 120, to: 199 } }), { facts });
  expect(part?.records).toHaveLength(3);
  expect(lister.calls[before]?.query).toMatchObject({
    startBlockHeight: '120',
    endBlockHeight: '199',
  });
});

test('a record that is missing at its own height makes the list inconsistent', async () => {
  const list = [record(9_000)];
  const lister = new Lister(list, {
    tamper: (reply, { query }) => {
      const blocks = Number(query['endBlockHeight']) - Number(query['startBlockHeight']);
      return blocks > 2 ? reply : { records: [], page: 0, totalPage: 0 };
    },
  });
  const [part] = await fetched(lister, sliceOf({ interval: { from: 100, to: 10_099 } }));
  expect(part?.status).toBe('inconsistent');
  expect(part?.reason).toBe('a record at height 9000 is not listed when that height is requested');
});

test('ranges of the zone chain are documented to include both edges, so none is learned', async () => {
  const request = listNamed('mainchain/zone/block/transaction-list-multi');
  const list = [{ hash: '0x1', blockHeight: '199' }];
  const lister = new Lister(list);
  const parts = await fetched(lister, sliceOf({ list: request, keys: [''] }));
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
  expect(new Set(lister.calls.map(({ query }) => query['endBlockHeight']))).not.toContain('200');
});

describe('block 0', () => {
  type LeftOut = { readonly from?: boolean; readonly to?: boolean };
  const intervalsOf = (parts: readonly FetchedPart[]) =>
    parts.map(({ slice, status }) => [slice.interval.from, slice.interval.to, status]);

  test.each<[LeftOut, unknown]>([
    [
      { from: true },
      [
        [1, 99, 'complete'],
        [0, 0, 'depth_limited'],
      ],
    ],
    [{ to: true }, [[0, 99, 'complete']]],
    [{}, [[0, 99, 'complete']]],
  ])('is complete unless ranges exclude their first block: %j', async (excludes, expected) => {
    const facts = new ListFacts({});
    const slice = sliceOf({ interval: { from: 0, to: 99 } });
    const read = await fetched(new Lister([record(50), record(0)], { excludes }), slice, { facts });
    const parts = read.flatMap((part) => withoutHiddenStart(part, facts, 'hidden'));
    expect(intervalsOf(parts)).toEqual(expected);
    expect(textsOf(parts)).toHaveLength(excludes.from === true ? 1 : 2);
    // Later parts of the run are judged by the same record.
    const start = { ...slice, interval: { from: 0, to: 0 } };
    const [alone] = await fetched(new Lister([], { excludes }), start, { facts });
    const judged = alone === undefined ? [] : withoutHiddenStart(alone, facts, 'hidden');
    expect(judged.map(({ status }) => status)).toEqual([
      excludes.from === true ? 'depth_limited' : 'complete',
    ]);
  });

  test('of a list without records is as complete as that of the other lists of the run', async () => {
    const facts = new ListFacts({});
    const slice = sliceOf({ interval: { from: 0, to: 99 } });
    const empty = await fetched(new Lister([]), slice, { facts });
    const judged = () => intervalsOf(empty.flatMap((part) => withoutHiddenStart(part, facts, '')));
    expect(judged()).toEqual([[0, 99, 'complete']]);
    facts.learnEdges('another/list', { from: false, to: true });
    expect(judged()).toEqual([
      [1, 99, 'complete'],
      [0, 0, 'depth_limited'],
    ]);
  });
});
