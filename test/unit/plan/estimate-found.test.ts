import { describe, expect, it } from 'vitest';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { FoundKey, PlanInput } from '../../../src/plan/plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import {
  addresses,
  asking,
  inputOf,
  landed,
  MANY_KEYS,
  PRICED_HEADS,
  prices,
  walkedOnce,
} from '../../model/plan-input.ts';

const E3 = 'mainchain/zone/cross/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E13A = 'mainchain/zone/cross/transaction-multi';

const DONE = { height: 1, keys: 1_000 };

describe('the price of keys that will be found', () => {
  const pipeline = asking(
    [
      '  cross_chain_transfers:',
      `    - endpoint: ${E3}`,
      `    - { endpoint: ${E13A}, keys: found }`,
    ],
    { zoneBlocks: { from: 0, to: 39_999 } },
    'found: { from: [cross_chain_transfers] }',
  );
  const list = [`${E3}?`, walkedOnce(1_000, 1, 11, 10_000)] as const;
  const details = [`${E13A}?`, walkedOnce(1_000, 50, 50, 1_000_000)] as const;
  const [, request] = pipeline.requests;
  if (request === undefined) throw new Error('two requests were expected');
  /** A thousand keys that were looked up, and keys at these heights that were not. */
  const state = (...heights: number[]): Pick<PlanInput, 'rowKeys' | 'done'> => {
    const keys: FoundKey[] = heights.map((height, i) => ({ key: `0x${i}`, height }));
    return { rowKeys: new Map([[request, keys]]), done: new Map([[request, [DONE]]]) };
  };

  it('is unknown, and at least that of the keys known, before any was looked up', () => {
    const unknown = { requests: 0, rows: undefined, bytes: undefined };
    expect(prices(pipeline)[E13A]).toEqual(unknown);
    expect(prices(pipeline, [list])[E13A]).toEqual(unknown);
    expect(prices(pipeline, [list], state(5, 6))[E13A]).toEqual({ ...unknown, requests: 1 });
  });

  it('grows with what the requests that find them still have to walk', () => {
    // The list has walked 10,000 heights and 40,000 are left: four times what was spent.
    expect(prices(pipeline, [list, details])[E13A]).toEqual({
      requests: 200,
      rows: 4_000,
      bytes: 40_000,
    });
    const half = { ...pipeline, zoneBlocks: { from: 0, to: 19_999 } };
    expect(prices(half, [list, details])[E13A]?.requests).toBe(100);
    expect(prices(half, [list, details], state(5))[E13A]?.requests).toBe(101);
  });

  it('is that of each key that was looked up, for the blocks of the look-ups', () => {
    // Of 250 keys in 10,000 blocks, only the 50 of the last 2,000 were looked up.
    const old = Array.from({ length: 200 }, (_, i) => ({ key: `0x${i}`, height: i }));
    const spent = [`${E13A}?`, walkedOnce(50, 50, 50, 1_000_000)] as const;
    const narrow = { ...request, blocks: { from: 8_000, to: 39_999 } };
    const options = { ...pipeline, requests: [...pipeline.requests.slice(0, 1), narrow] };
    const priced = (done: number) =>
      prices(options, [list, spent], {
        rowKeys: new Map([[narrow, old]]),
        done: new Map([[narrow, [{ height: 9_000, keys: done }]]]),
      })[E13A];
    expect(priced(50)?.requests).toBe(800);
    expect(priced(0)?.rows).toBeUndefined();
  });

  it('does not grow with rows that tell already what was to be looked up', () => {
    const E9 = 'mainchain/address/normal-transaction-list';
    const E15 = 'mainchain/transaction/transaction-multi';
    const looking = (without: string): Pipeline =>
      asking(
        [
          '  transactions:',
          `    - { endpoint: ${E9}, keys: addresses }`,
          `    - { endpoint: ${E15}, keys: found }`,
        ],
        { blocks: { from: 0, to: 39_999 } },
        `found: { from: [transactions]${without} }`,
      );
    const seen = [
      [`${E9}?`, walkedOnce(1_000, 1, 11, 10_000)],
      [`${E15}?`, walkedOnce(1_000, 50, 50, 1_000_000)],
    ] as const;
    const heads = { ...PRICED_HEADS, primary: { ...PRICED_HEADS.primary, depthLimit: 0 } };
    expect(prices(looking(''), seen, { heads })[E15]?.requests).toBe(200);
    // This list tells the status of every transaction.
    expect(prices(looking(', without: tx_status'), seen, { heads })[E15]?.requests).toBe(0);
  });

  it('is that of the keys known where nothing is left to walk', () => {
    const first = planSlices(inputOf(pipeline, [], { heads: PRICED_HEADS }));
    const coverage = landed(first.slices);
    expect(prices(pipeline, [list, details], { coverage })[E13A]).toEqual({
      requests: 0,
      rows: 0,
      bytes: 0,
    });
    expect(prices(pipeline, [list, details], { coverage, ...state(5) })[E13A]).toEqual({
      requests: 1,
      rows: undefined,
      bytes: undefined,
    });
  });

  it('leaves out what the finder does not reach', () => {
    const one = 'mainchain/address/normal-transaction-list';
    const many = 'mainchain/transaction/transaction-multi';
    const yearly = asking(
      [
        '  transactions:',
        `    - { endpoint: ${one}, keys: addresses }`,
        `    - { endpoint: ${many}, keys: found }`,
      ],
      { blocks: { from: 0, to: 39_999 } },
      'found: { from: [transactions] }',
    );
    const heads = { primary: { head: 50_000, safe: 49_900, depthLimit: 30_000 } };
    const before = [
      [`${one}?`, walkedOnce(100, 1, 3, 10_000)],
      [`${many}?`, walkedOnce(100, 5, 5, 500_000)],
    ] as const;
    expect(prices(yearly, before, { heads })[many]).toEqual({
      requests: 5,
      rows: 100,
      bytes: 1_000,
    });
  });

  it('counts what a list has walked once, though two key sets ask for it', () => {
    const many = 'mainchain/transaction/transaction-multi';
    const twice = asking(
      [
        '  transactions:',
        `    - { endpoint: ${MANY_KEYS}, keys: addresses }`,
        `    - { endpoint: ${MANY_KEYS}, keys: others }`,
        `    - { endpoint: ${many}, keys: found }`,
      ],
      { blocks: { from: 0, to: 9_999 } },
      'others: { file: b.csv }, found: { from: [transactions] }',
    );
    const before = [
      [`${MANY_KEYS}?`, walkedOnce(100, 1, 3, 10_000)],
      [`${many}?`, walkedOnce(100, 5, 5, 500_000)],
    ] as const;
    const keys = { addresses: addresses(1), others: addresses(1, 7) };
    expect(prices(twice, before, { keys })[many]?.requests).toBe(10);
  });

  it('counts only the lists whose rows are looked at', () => {
    const [first, second] = pipeline.requests;
    if (first === undefined || second?.foundIn === undefined) throw new Error('none are found');
    const by = (endpoint: string): Pipeline => ({
      ...pipeline,
      requests: [
        first,
        {
          ...second,
          foundIn: { ...second.foundIn, datasets: ['cross_chain_transfers'], by: [endpoint] },
        },
      ],
    });
    expect(prices(by(E3), [list, details])[E13A]?.requests).toBe(200);
    expect(prices(by(E6), [list, details])[E13A]?.requests).toBe(0);
  });
});
