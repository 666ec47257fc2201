import { describe, expect, it } from 'vitest';
import { listKey } from '../../../src/coverage/list.ts';
import { estimate } from '../../../src/plan/estimate.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import {
  addresses,
  asking,
  BY_HEIGHT,
  inputOf,
  landed,
  MANY_KEYS,
  PRICED_HEADS,
  pipelineOf,
  prices,
  walkedOnce,
} from '../../model/plan-input.ts';

const E3 = 'mainchain/zone/cross/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E7 = 'mainchain/zone/block/block-list';
const E10 = 'mainchain/block/block-list';
const E17 = 'mainchain/address/native-token-position-list';

describe('an estimate', () => {
  const pipeline = pipelineOf([MANY_KEYS, BY_HEIGHT], { blocks: { from: 0, to: 19_999 } });
  const plan = planSlices(inputOf(pipeline, addresses(21)));

  it('counts one request a slice where nothing is known, and invents no rows', () => {
    const { total, minutes } = estimate(plan, new Map(), 10, 0);
    expect(total).toEqual({ requests: 4 + 20_000, rows: undefined, bytes: undefined });
    expect(minutes).toBeCloseTo(20_004 / 600);
  });

  it('takes a density without walks for no knowledge', () => {
    const walked = { slices: 0, requests: 0, keyBlocks: 0 };
    const none = { rows: 0, keyBlocks: 0, bytesPerRow: 0, walked };
    const densities = new Map(plan.requests.map(({ list }) => [listKey(list), none]));
    expect(estimate(plan, densities, 1, 0).total.rows).toBeUndefined();
  });

  it('is nothing for a plan without slices', () => {
    const done = planSlices(inputOf(pipeline, addresses(21), { coverage: landed(plan.slices) }));
    expect(estimate(done, new Map(), 5, 0)).toMatchObject({
      total: { requests: 0, rows: 0, bytes: 0 },
      minutes: 0,
    });
  });
});

describe('the first price of a list, of which nothing was ever seen', () => {
  const zone = (dataset: string, endpoint: string, to: number) =>
    asking([`  ${dataset}:`, `    - endpoint: ${endpoint}`], { zoneBlocks: { from: 0, to } });

  it('is three requests a walk where only an empty page is the end', () => {
    expect(prices(zone('zone_transactions', E6, 29_999))[E6]).toEqual({
      requests: 9,
      rows: undefined,
      bytes: undefined,
    });
  });

  it('is one request a walk for other lists', () => {
    expect(prices(zone('cross_chain_transfers', E3, 29_999))[E3]).toEqual({
      requests: 1,
      rows: undefined,
      bytes: undefined,
    });
  });

  it('counts one row a height where the dataset has one', () => {
    expect(prices(zone('zone_blocks', E7, 29_999))[E7]).toEqual({
      requests: 300,
      rows: 30_000,
      bytes: undefined,
    });
    const single = pipelineOf([BY_HEIGHT], { blocks: { from: 0, to: 99 } });
    expect(prices(single)[BY_HEIGHT]).toEqual({ requests: 100, rows: 100, bytes: undefined });
  });

  it('counts the ranks of a ranking that has so many by its definition', () => {
    const holders = asking(['  native_holders:', `    - endpoint: ${E17}`]);
    expect(prices(holders)[E17]).toEqual({ requests: 100, rows: 10_000, bytes: undefined });
  });

  it('is nothing for what no list reaches', () => {
    const blocks = asking(['  blocks:', `    - endpoint: ${E10}`], {
      blocks: { from: 0, to: 49_899 },
    });
    // 40,001 is the lowest height of the latest 10,000 below and with 50,000.
    expect(prices(blocks)[E10]).toEqual({ requests: 99, rows: 9_899, bytes: undefined });
    const deep = { ...blocks, blocks: { from: 0, to: 40_000 } };
    expect(prices(deep)[E10]).toEqual({ requests: 0, rows: 0, bytes: 0 });
  });
});

describe('the price of a list that was walked before', () => {
  const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 39_999 } });

  it('is the pages its rows will fill, and what walks took beside their pages', () => {
    // 10 slices took 30 requests, of which 500 rows filled 5 pages: 2.5 more for every slice.
    const before = walkedOnce(500, 10, 30, 100_000);
    expect(prices(pipeline, [[`${MANY_KEYS}?`, before]])[MANY_KEYS]).toEqual({
      requests: 4 * 2.5 + 2,
      rows: 200,
      bytes: 2_000,
    });
  });

  it('is never less than the pages its rows will fill', () => {
    const small = walkedOnce(10_000, 10, 50, 100_000);
    expect(prices(pipeline, [[`${MANY_KEYS}?`, small]])[MANY_KEYS]?.requests).toBe(40);
  });

  it('does not depend on what other variants took', () => {
    const other = walkedOnce(500, 10, 30, 100_000);
    const price = prices(pipeline, [[`${MANY_KEYS}?isFromOrTo=to`, other]])[MANY_KEYS];
    expect(price).toEqual({ requests: 4, rows: undefined, bytes: undefined });
  });

  it('leaves out what no list reaches', () => {
    const blocks = asking(['  blocks:', `    - endpoint: ${E10}`], {
      blocks: { from: 0, to: 40_010 },
    });
    const before = walkedOnce(1_000, 1, 12, 1_000);
    expect(prices(blocks, [[`${E10}?`, before]])[E10]).toEqual({
      requests: 2,
      rows: 10,
      bytes: 100,
    });
  });
});

describe('the total of an estimate', () => {
  it('adds what was spent on finding the heads', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 9_999 } });
    const plan = planSlices(inputOf(pipeline, addresses(1)));
    expect(estimate(plan, new Map(), 1, 3).total.requests).toBe(4);
    expect(estimate(plan, new Map(), 1, 3).minutes).toBeCloseTo(4 / 60);
  });

  it('adds the rows where all are known, else it invents none', () => {
    const both = asking(
      ['  blocks:', `    - endpoint: ${BY_HEIGHT}`, '  zone_blocks:', `    - endpoint: ${E7}`],
      { blocks: { from: 0, to: 9 }, zoneBlocks: { from: 0, to: 19 } },
    );
    const plan = planSlices(inputOf(both, [], { heads: PRICED_HEADS }));
    expect(estimate(plan, new Map(), 1, 0).total).toEqual({
      requests: 11,
      rows: 30,
      bytes: undefined,
    });
  });
});
