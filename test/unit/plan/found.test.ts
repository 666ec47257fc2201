import { describe, expect, it } from 'vitest';
import { Coverage } from '../../../src/coverage/coverage.ts';
import type { Slice } from '../../../src/coverage/slice.ts';
import { UNFINISHED_REASON } from '../../../src/coverage/unfinished.ts';
import type { FoundKey, Plan, PlanInput } from '../../../src/plan/plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { addresses, asking, covered, inputOf } from '../../model/plan-input.ts';

const E1 = 'mainchain/token/transaction-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E15 = 'mainchain/transaction/transaction-multi';
const E2 = 'mainchain/address/token-transaction-list';

const HEADS = { primary: { head: 260_000, safe: 250_000 } };

/** Transactions of addresses, and what a look-up by their hashes says of them. */
const pipeline = asking(
  [
    '  transactions:',
    `    - { endpoint: ${E12}, keys: addresses }`,
    `    - { endpoint: ${E15}, keys: found }`,
  ],
  { blocks: { from: 0, to: 'head' } },
  'found: { from: [transactions] }',
);

function hash(i: number): string {
  return `0x${String(i).padStart(64, '0')}`;
}

function results(...heights: number[]): FoundKey[] {
  return heights.map((height, i) => ({ key: hash(i), height }));
}

/** The plan where these keys were found, without that of the addresses. */
function looked(
  keys: readonly FoundKey[],
  more: Partial<PlanInput> = {},
  options = pipeline,
): Plan {
  const [, request] = options.requests;
  if (request === undefined) throw new Error('two requests were expected');
  const rowKeys = new Map([[request, keys]]);
  const input = inputOf(options, addresses(1), { heads: HEADS, rowKeys });
  const plan = planSlices({ ...input, ...more });
  const isLookUp = ({ list }: Pick<Slice, 'list'>) => list.endpoint === E15;
  return {
    ...plan,
    requests: plan.requests.filter(isLookUp),
    slices: plan.slices.filter(isLookUp),
  };
}

const shape = ({ slices }: Plan) =>
  slices.map(({ keys, interval, provisional }) => [
    keys.length,
    interval.from,
    interval.to,
    provisional,
  ]);

describe('look-ups with an unfinished record', () => {
  /** Whether the key at height 1,000, read at this head, is looked up at the next head. */
  const isPlanned = (head: number, next: number, reason = UNFINISHED_REASON): boolean => {
    const coverage = new Coverage();
    const part = { from: 0, to: 1_499, status: 'provisional', reason, head, readAtMs: 0 } as const;
    coverage.addTo({ endpoint: E15, variant: '' }, [hash(0)], part);
    const heads = { primary: { head: next, safe: next - 100 } };
    const { slices, requests } = looked(results(1_000), { coverage, heads });
    expect(requests[0]).toMatchObject({ keyBlocks: 1, covered: 0 });
    return slices.length > 0;
  };

  it('wait until the age of their record has grown by half', () => {
    expect([isPlanned(1_600, 1_600), isPlanned(1_600, 1_899)]).toEqual([false, false]);
    expect(isPlanned(1_600, 1_900)).toBe(true);
  });

  it('are read for the last time at 30,000,000 blocks', () => {
    expect([isPlanned(25_000_000, 30_000_999), isPlanned(25_000_000, 30_001_000)]).toEqual([
      false,
      true,
    ]);
  });
});

describe('keys found in rows', () => {
  it('are gathered in windows of 100,000 blocks', () => {
    const plan = looked(results(0, 99_999, 100_000, 199_999, 200_000));
    expect(shape(plan)).toEqual([
      [2, 0, 99_999, false],
      [2, 100_000, 199_999, false],
      [1, 200_000, 249_999, false],
    ]);
    expect(plan.requests).toMatchObject([{ isFound: true, keys: 5, keyBlocks: 5, covered: 0 }]);
  });

  it('are asked again while a part of their coverage is not complete, wherever it lies', () => {
    const keys = results(10, 20, 100_030);
    const coverage = new Coverage();
    const add = (i: number, from: number, to: number, status: 'inconsistent' | 'provisional') =>
      coverage.add(covered(E15, '', hash(i), { from, to }, status));
    add(0, 30, 40, 'inconsistent');
    add(2, 99_990, 99_999, 'provisional');
    const lookedUp = keys.map((key) => ({ ...key, lookedUpIn: [''] }));
    const plan = looked(lookedUp, { coverage });
    expect(plan.slices.map((slice) => slice.keys)).toEqual([[hash(0)], [hash(2)]]);
    expect(shape(plan)).toEqual([
      [1, 0, 99_999, false],
      [1, 99_990, 199_999, false],
    ]);
    expect(plan.requests).toMatchObject([{ keyBlocks: 3, covered: 1 }]);
  });

  it('are only counted, at their heights, if every list has looked them up', () => {
    const [request] = pipeline.requests.filter(({ foundIn }) => foundIn !== undefined);
    if (request === undefined) throw new Error('no request');
    const done = [10, 249_999, 260_001].map((height) => ({ height, keys: 3 }));
    const plan = looked(results(10), { done: new Map([[request, done]]) });
    expect(plan.slices.map((slice) => slice.keys)).toEqual([[hash(0)]]);
    expect(plan.requests).toMatchObject([{ keyBlocks: 7, covered: 6, keys: 7 }]);
  });
});

describe('keys found for a list of heights', () => {
  const tokens = asking(
    [
      '  token_transfers:',
      `    - { endpoint: ${E2}, keys: addresses }`,
      `    - { endpoint: ${E1}, keys: tokens }`,
    ],
    {},
    'tokens: { from: [token_transfers] }',
  );

  it('are asked over all heights, each once', () => {
    const [, request] = tokens.requests;
    if (request === undefined) throw new Error('two requests were expected');
    const rows = [
      { key: '0xa', height: 5 },
      { key: '0xb', height: 7 },
      { key: '0xa', height: 9 },
    ];
    const rowKeys = new Map([[request, rows]]);
    const input = inputOf(tokens, addresses(1), { heads: HEADS, rowKeys });
    const plan = planSlices(input).requests.find(({ list }) => list.endpoint === E1);
    expect(plan).toMatchObject({ isFound: true, keys: 2, keyBlocks: 500_000 });
    expect(plan?.slices.map(({ keys, interval }) => [keys, interval])).toEqual([
      [['0xa'], { from: 0, to: 249_999 }],
      [['0xb'], { from: 0, to: 249_999 }],
    ]);
  });
});
