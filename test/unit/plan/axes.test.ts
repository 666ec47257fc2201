import { describe, expect, it } from 'vitest';
import { Coverage } from '../../../src/coverage/coverage.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { HeadsByAxis, Plan } from '../../../src/plan/plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { addresses, asking, covered, inputOf } from '../../model/plan-input.ts';

const E4 = 'mainchain/zone/address/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E7 = 'mainchain/zone/block/block-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E17 = 'mainchain/address/native-token-position-list';

const HEADS = { primary: { head: 25_000, safe: 24_900 }, zone: { head: 950_000, safe: 949_000 } };

const BOTH = [
  '  transactions:',
  `    - { endpoint: ${E12}, keys: addresses }`,
  '  zone_transactions:',
  `    - { endpoint: ${E4}, keys: addresses }`,
];

function plan(pipeline: Pipeline, coverage = new Coverage(), heads: HeadsByAxis = HEADS): Plan {
  return planSlices(inputOf(pipeline, addresses(1), { heads, coverage }));
}

describe('the two axes', () => {
  it('are each in the order of their heights, the primary chain first', () => {
    const order = { order: 'newest-first' as const, blocks: { from: 5_000, to: 24_000 } };
    const newest = plan(
      asking([...BOTH, '  zone_blocks:', `    - endpoint: ${E7}`], {
        ...order,
        zoneBlocks: { from: 10, to: 200_000 },
      }),
    );
    expect(newest.slices.map(({ list, interval }) => [list.endpoint, interval.from])).toEqual([
      [E12, 20_000],
      [E12, 10_000],
      [E12, 5_000],
      [E7, 200_000],
      [E7, 100_000],
      [E7, 10],
      [E4, 10],
    ]);
  });

  it('have their own newest head among what is covered', () => {
    const coverage = new Coverage();
    const at = { from: 0, to: 9 };
    coverage.add({ ...covered(E12, '', '0xa', at), head: 300 });
    coverage.add({ ...covered(E12, '', '0xb', at), head: 200 });
    coverage.add({ ...covered(E4, '', '0xa', at), head: 9_000 });
    coverage.add({ ...covered(E6, '', '', at, 'failed'), head: 9_900 });
    expect(plan(asking(BOTH), coverage).newestHeadSeen).toEqual({ primary: 300, zone: 9_900 });
    expect(plan(asking(BOTH)).newestHeadSeen).toEqual({});
  });

  it('need no head where nothing of them is asked', () => {
    const { primary } = HEADS;
    expect(plan(asking(BOTH.slice(0, 2)), undefined, { primary }).slices).toHaveLength(3);
    expect(() => plan(asking(BOTH), undefined, { primary })).toThrow(
      `${E4} is planned without the head of its axis`,
    );
  });
});

describe('the heights of one request', () => {
  it('may leave nothing to plan', () => {
    const request = `    - { endpoint: ${E12}, keys: addresses, blocks: { from: 9000 } }`;
    const apart = plan(asking(['  transactions:', request], { blocks: { from: 0, to: 8_000 } }));
    expect(apart.requests).toMatchObject([{ interval: undefined, slices: [], keyBlocks: 0 }]);
  });
});

describe('a snapshot', () => {
  const MINUTE_MS = 60_000;
  const nowMs = 10_000 * MINUTE_MS;
  const holders = (readAtMs: number, at: number, more: string[] = [], status = 'complete') => {
    const pipeline = asking(['  native_holders:', `    - endpoint: ${E17}`, ...more]);
    const coverage = new Coverage();
    if (readAtMs >= 0) {
      const entry = covered(E17, '', '', { from: at, to: at });
      coverage.add({ ...entry, readAtMs, status: status as 'complete' });
    }
    const input = inputOf(pipeline, [], { heads: HEADS, coverage, nowMs });
    return planSlices(input);
  };
  const youngest = nowMs - 1440 * MINUTE_MS;

  it('is read as of the head, once', () => {
    const { slices, requests } = holders(-1, 0);
    expect(slices).toMatchObject([
      { keys: [''], interval: { from: 25_000, to: 25_000 }, provisional: false },
    ]);
    expect(requests).toMatchObject([{ keys: 1, keyBlocks: 1, covered: 0 }]);
  });

  it('is read again when it is older than its age allows', () => {
    expect(holders(youngest, 20_000).slices).toEqual([]);
    expect(holders(youngest - 1, 20_000).slices).toHaveLength(1);
    expect(holders(youngest, 20_000).requests).toMatchObject([{ keyBlocks: 1, covered: 1 }]);
  });

  it('may have an age of its own', () => {
    const hourly = ['      maxAgeMinutes: 60'];
    expect(holders(nowMs - 60 * MINUTE_MS, 20_000, hourly).slices).toEqual([]);
    expect(holders(nowMs - 61 * MINUTE_MS, 20_000, hourly).slices).toHaveLength(1);
  });

  it('is not read again while the head stays, however old it is', () => {
    expect(holders(0, 25_000, ['      maxAgeMinutes: 0']).slices).toEqual([]);
    expect(holders(0, 24_999, ['      maxAgeMinutes: 0']).slices).toHaveLength(1);
  });

  it('is read again when the last reading was not complete', () => {
    expect(holders(nowMs, 20_000, [], 'truncated').slices).toHaveLength(1);
    expect(holders(nowMs, 25_000, [], 'inconsistent').slices).toHaveLength(1);
  });
});
