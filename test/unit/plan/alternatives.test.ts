import { describe, expect, it } from 'vitest';
import { Coverage } from '../../../src/coverage/coverage.ts';
import type { Density } from '../../../src/coverage/density.ts';
import type { Plan, PlanInput } from '../../../src/plan/plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { addresses, asking, covered, inputOf, landed } from '../../model/plan-input.ts';

const E5 = 'mainchain/zone/block/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E9 = 'mainchain/address/normal-transaction-list';
const E10 = 'mainchain/block/block-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E14 = 'mainchain/block/block-fills';

const HEADS = { primary: { head: 5_100_000, safe: 5_000_000, depthLimit: 0 } };

/** Transactions by groups of addresses, or by one address at a time where that is cheaper. */
function transactions(from: number, to: number) {
  const request = `    - { endpoint: ${E12}, keys: addresses, alternatives: [${E9}] }`;
  return asking(['  transactions:', request], { blocks: { from, to } });
}

function plan(from: number, to: number, keys: string[], more: Partial<PlanInput> = {}): Plan {
  return planSlices(inputOf(transactions(from, to), keys, { heads: HEADS, ...more }));
}

/** How many slices of each endpoint. */
function counts({ slices }: Plan): Record<string, number> {
  const results: Record<string, number> = {};
  for (const {
    list: { endpoint },
  } of slices)
    results[endpoint] = (results[endpoint] ?? 0) + 1;
  return results;
}

function density(rows: number, keyBlocks: number): Density {
  const walked = { slices: 1, requests: 1, keyBlocks };
  return { rows, keyBlocks, bytesPerRow: 1, walked };
}

describe('an alternative', () => {
  it('is left where it needs as many', () => {
    expect(counts(plan(0, 9_999, addresses(1)))).toEqual({ [E12]: 1 });
    expect(counts(plan(0, 10_000, addresses(1)))).toEqual({ [E9]: 1 });
  });

  it('is chosen by what is known of the rows, where that tips the balance', () => {
    // Two windows are two requests; 200 rows are four pages of 50 more by the alternative.
    const dense = new Map([[`${E9}?`, density(1_000, 100_000)]]);
    expect(counts(plan(0, 19_999, addresses(1)))).toEqual({ [E9]: 1 });
    expect(counts(plan(0, 19_999, addresses(1), { densities: dense }))).toEqual({ [E12]: 2 });
    const both = new Map([...dense, [`${E12}?`, density(10_000, 100_000)] as const]);
    expect(counts(plan(0, 19_999, addresses(1), { densities: both }))).toEqual({ [E9]: 1 });
  });

  it('is planned once for the heights it is cheaper for, beside the other', () => {
    const keys = addresses(2);
    const [a = '', b = ''] = keys;
    const coverage = new Coverage();
    coverage.add(covered(E12, '', a, { from: 0, to: 999_999 }));
    coverage.add(covered(E12, '', b, { from: 10_000, to: 1_000_000 }));
    const mixed = plan(0, 1_999_999, keys, { coverage });
    expect(
      mixed.slices.map(({ list, keys: options, interval }) => [
        list.endpoint,
        options,
        interval.from,
      ]),
    ).toEqual([
      [E12, [b], 0],
      [E9, [a], 1_000_000],
      [E9, [b], 1_000_001],
    ]);
    expect(mixed.requests.map(({ list, pageSize }) => [list.endpoint, pageSize])).toEqual([
      [E12, 100],
      [E9, 50],
    ]);
  });

  it('is not in the plan at all where nothing of it is used', () => {
    expect(plan(0, 9_999, addresses(1)).requests.map(({ list }) => list.endpoint)).toEqual([E12]);
  });

  it('counts for what it has covered, and is not asked again', () => {
    const keys = addresses(1);
    const [key = ''] = keys;
    for (const path of [E9, E12]) {
      const coverage = new Coverage();
      coverage.add(covered(path, '', key, { from: 0, to: 3_999_999 }));
      const rest = plan(0, 4_999_999, keys, { coverage });
      expect(rest.slices.map(({ interval }) => interval)).toEqual([
        { from: 4_000_000, to: 4_999_999 },
      ]);
      expect(rest.requests[0]).toMatchObject({ keyBlocks: 5_000_000, covered: 4_000_000 });
    }
    const first = plan(0, 4_999_999, keys);
    expect(plan(0, 4_999_999, keys, { coverage: landed(first.slices) }).slices).toEqual([]);
  });
});

describe('a list of the newest blocks', () => {
  const heads = { primary: { head: 30_000, safe: 29_900 } };
  const blocks = (request: string, from = 0) =>
    planSlices(
      inputOf(asking(['  blocks:', request], { blocks: { from, to: 'safe' } }), [], { heads }),
    );

  it('is not asked for what lies deeper than it reaches: that is named', () => {
    const { slices, requests } = blocks(`    - endpoint: ${E10}`);
    expect(slices.map(({ interval, unreachable }) => [interval, unreachable])).toEqual([
      [{ from: 0, to: 20_000 }, `the list reaches no further back than height 20001 (${E10})`],
      [{ from: 20_001, to: 29_899 }, undefined],
    ]);
    expect(requests[0]).toMatchObject({ keyBlocks: 29_900, covered: 0 });
  });

  it('reaches the last height asked, where that is its lowest', () => {
    const pipeline = asking(['  blocks:', `    - endpoint: ${E10}`], {
      blocks: { from: 0, to: 20_001 },
    });
    const { slices } = planSlices(inputOf(pipeline, [], { heads }));
    expect(
      slices.map(({ interval, unreachable }) => [interval.to, unreachable === undefined]),
    ).toEqual([
      [20_000, false],
      [20_001, true],
    ]);
  });

  it('reaches everything on a chain that is short', () => {
    const pipeline = asking(['  blocks:', `    - endpoint: ${E10}`]);
    const short = { primary: { head: 9_999, safe: 9_900 } };
    const { slices } = planSlices(inputOf(pipeline, [], { heads: short }));
    expect(slices.map(({ interval }) => interval)).toEqual([{ from: 0, to: 9_899 }]);
  });

  it('is taken for what it reaches, and its alternative for what lies deeper', () => {
    for (const [parts, other] of [
      [E10, E14],
      [E14, E10],
    ]) {
      const both = blocks(`    - { endpoint: ${parts}, alternatives: [${other}] }`, 19_999);
      expect(both.slices.map(({ list, interval }) => [list.endpoint, interval])).toEqual([
        [E14, { from: 19_999, to: 19_999 }],
        [E14, { from: 20_000, to: 20_000 }],
        [E10, { from: 20_001, to: 29_899 }],
      ]);
    }
  });
});

describe('a block range of the zone chain', () => {
  const zone = (to: number) => {
    const request = `    - { endpoint: ${E6}, alternatives: [${E5}] }`;
    const pipeline = asking(['  zone_transactions:', request], { zoneBlocks: { from: 0, to } });
    return counts(planSlices(inputOf(pipeline, [], { heads: { zone: { head: 99, safe: 90 } } })));
  };

  it('is asked height by height up to three, which is what its end alone takes', () => {
    expect(zone(0)).toEqual({ [E5]: 1 });
    expect(zone(1)).toEqual({ [E5]: 2 });
    expect(zone(2)).toEqual({ [E6]: 1 });
    expect(zone(50)).toEqual({ [E6]: 1 });
  });
});
