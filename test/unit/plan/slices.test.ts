import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../../src/catalogue/index.ts';
import { Coverage } from '../../../src/coverage/coverage.ts';
import { sliceId } from '../../../src/coverage/slice.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import { depthReason } from '../../../src/plan/routes.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { listNamed } from '../../fixtures/lists.ts';
import {
  addresses,
  BY_HEIGHT,
  covered,
  finalSlices,
  inputOf,
  landed,
  MANY_KEYS,
  ONE_KEY,
  pipelineOf,
  provisionalSlices,
} from '../../model/plan-input.ts';

const intervalsOf = (slices: Plan['slices']): [number, number][] =>
  slices.map(({ interval }) => [interval.from, interval.to]);
const keysOf = (slices: Plan['slices']): (readonly string[])[] => slices.map(({ keys }) => keys);

describe('a plan of more windows than fit into memory', () => {
  it('is refused with what to do, before it is made', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
    const input = inputOf(pipeline, addresses(1));
    const heads = { primary: { head: 999_999_999_999_999, safe: 999_999_999_999_000 } };
    expect(() => planSlices({ ...input, heads })).toThrow('more than 50000000 windows');
  });

  it('counts the windows of all keys', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
    const input = inputOf(pipeline, addresses(2000));
    const heads = { primary: { head: 250_010_000, safe: 250_009_936 } };
    expect(() => planSlices({ ...input, heads })).toThrow('more than 50000000 windows');
  });
});

describe('a plan of many addresses over many windows', () => {
  it('shares the groups of keys between windows', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
    const input = inputOf(pipeline, addresses(45));
    const heads = { primary: { head: 1_000_100, safe: 1_000_000 } };
    const { slices } = planSlices({ ...input, heads });
    expect(slices.length).toBe(300);
    expect(new Set(keysOf(slices)).size).toBe(3);
  });
});

describe('a plan of windows', () => {
  const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 9_990, to: 'head' } });
  const plan = planSlices(inputOf(pipeline, addresses(1)));

  it('cuts at aligned windows and at the safe height', () => {
    expect(intervalsOf(finalSlices(plan))).toEqual([
      [9_990, 9_999],
      [10_000, 19_999],
      [20_000, 29_999],
      [30_000, 39_999],
      [40_000, 49_899],
    ]);
    expect(intervalsOf(provisionalSlices(plan))).toEqual([
      [49_900, 49_999],
      [50_000, 50_000],
    ]);
  });

  it('asks for one block more than it keeps and still respects the span', () => {
    const span = endpointAt(MANY_KEYS).limits.blockSpan ?? 0;
    for (const { interval } of plan.slices) {
      expect(interval.to + 1 - interval.from).toBeLessThanOrEqual(span);
    }
  });

  it('never makes windows wider than the pipeline says', () => {
    const narrow = planSlices(inputOf({ ...pipeline, windowBlocks: 4_000 }, addresses(1)));
    expect(intervalsOf(narrow.slices).slice(0, 3)).toEqual([
      [9_990, 11_999],
      [12_000, 15_999],
      [16_000, 19_999],
    ]);
  });

  it('begins with the newest window where the pipeline says so', () => {
    const newest = planSlices(inputOf({ ...pipeline, order: 'newest-first' }, addresses(1)));
    expect(intervalsOf(newest.slices)).toEqual(intervalsOf(plan.slices).reverse());
    expect(intervalsOf(newest.slices)[0]).toEqual([50_000, 50_000]);
  });
});

describe('the last height of a plan', () => {
  const to = (last: number | 'safe' | 'head') =>
    planSlices(inputOf(pipelineOf([MANY_KEYS], { blocks: { from: 40_000, to: last } }), ['0xa']));

  it('is the one below the safe height by default, so that nothing is provisional', () => {
    expect(intervalsOf(to('safe').slices)).toEqual([[40_000, 49_899]]);
  });

  it('is the head where the range reaches beyond it', () => {
    expect(intervalsOf(to(60_000).slices)).toEqual(intervalsOf(to('head').slices));
  });

  it('may lie just at the safe height, which is not final', () => {
    expect(intervalsOf(finalSlices(to(49_900)))).toEqual([[40_000, 49_899]]);
    expect(intervalsOf(provisionalSlices(to(49_900)))).toEqual([[49_900, 49_900]]);
  });

  it('leaves nothing to plan for a range that begins above it', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 50_001, to: 'head' } });
    const [request, ...more] = planSlices(inputOf(pipeline, addresses(2))).requests;
    expect(more).toEqual([]);
    expect(request).toMatchObject({ interval: undefined, slices: [], asked: 0, covered: 0 });
  });
});

describe('groups of keys', () => {
  const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 9_999 } });
  const sizes = (plan: Plan): number[] => plan.slices.map(({ keys }) => keys.length);

  it('are full but for the last', () => {
    expect(sizes(planSlices(inputOf(pipeline, addresses(45))))).toEqual([20, 20, 5]);
  });

  it('are never larger than the pipeline says, nor than one request takes', () => {
    const small = { ...pipeline, groupSize: 7 };
    expect(sizes(planSlices(inputOf(small, addresses(15))))).toEqual([7, 7, 1]);
    const single = pipelineOf([ONE_KEY], { blocks: { from: 0, to: 9_999 } });
    expect(sizes(planSlices(inputOf(single, addresses(3))))).toEqual([1, 1, 1]);
  });

  it('hold keys that miss the same interval, and no others', () => {
    const [a = '', b = '', c = '', d = ''] = addresses(4);
    const coverage = new Coverage();
    coverage.add(covered(MANY_KEYS, '', b, { from: 0, to: 4_999 }));
    coverage.add(covered(MANY_KEYS, '', d, { from: 0, to: 4_999 }));
    const plan = planSlices(inputOf(pipeline, [a, b, c, d], { coverage }));
    expect(plan.slices.map(({ keys, interval }) => [keys, interval])).toEqual([
      [[a, c], { from: 0, to: 9_999 }],
      [[b, d], { from: 5_000, to: 9_999 }],
    ]);
  });
});

describe('planning again', () => {
  const pipeline = pipelineOf([MANY_KEYS, ONE_KEY]);
  const known = addresses(30);
  const first = planSlices(inputOf(pipeline, known));
  const coverage = landed(first.slices);

  it('plans nothing when nothing changed', () => {
    const again = planSlices(inputOf(pipeline, known, { coverage }));
    expect(again.slices).toEqual([]);
    expect(again.requests.map(({ asked, covered }) => asked - covered)).toEqual([0, 0]);
  });

  it('plans slices for an added address alone', () => {
    const [added = ''] = addresses(1, 500);
    const plan = planSlices(inputOf(pipeline, [...known, added], { coverage }));
    expect(plan.slices.length).toBeGreaterThan(0);
    for (const keys of keysOf(plan.slices)) expect(keys).toEqual([added]);
    expect(plan.slices.filter(({ list }) => list.endpoint === MANY_KEYS)).toHaveLength(5);
    expect(plan.slices.filter(({ list }) => list.endpoint === ONE_KEY)).toHaveLength(1);
  });

  it('plans nothing for removed or reordered addresses', () => {
    const fewer = known.filter((_, i) => i % 3 !== 0).reverse();
    const plan = planSlices({ ...inputOf(pipeline, [], { coverage }), keys: { addresses: fewer } });
    expect(plan.slices).toEqual([]);
  });

  it('plans what was not complete once more', () => {
    for (const status of ['provisional', 'truncated', 'inconsistent', 'failed'] as const) {
      const poor = landed(first.slices, () => status);
      expect(planSlices(inputOf(pipeline, known, { coverage: poor })).slices).toEqual(first.slices);
    }
  });

  it('plans what lies above the safe height every time', () => {
    const toHead = { ...pipeline, blocks: { from: 0, to: 'head' as const } };
    const before = planSlices(inputOf(toHead, known));
    const all = landed(before.slices, () => 'complete');
    const again = planSlices(inputOf(toHead, known, { coverage: all }));
    expect(provisionalSlices(before).length).toBeGreaterThan(0);
    expect(again.slices).toEqual(provisionalSlices(before));
  });

  it('plans the heights that have become safe, once', () => {
    const heads = { primary: { head: 61_000, safe: 60_900 } };
    const grown = planSlices(inputOf(pipelineOf([MANY_KEYS]), known, { coverage, heads }));
    const spans = new Set(intervalsOf(grown.slices).map((pair) => pair.join('-')));
    expect(spans).toEqual(new Set(['49900-49999', '50000-59999', '60000-60899']));
  });
});

describe('block 0 of a list whose ranges exclude their first block', () => {
  const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
  const input = inputOf(pipeline, addresses(2));
  const reason = depthReason(listNamed(MANY_KEYS), 1);
  const coverage = new Coverage();
  const block = { from: 0, to: 0, status: 'depth_limited', reason, head: 9, readAtMs: 0 } as const;
  coverage.addTo(listNamed(MANY_KEYS), addresses(1), block);

  it('is planned without requests once its coverage says so, for all keys', () => {
    const { slices } = planSlices({ ...input, coverage });
    const hidden = slices.filter(({ interval }) => interval.from === 0);
    expect(hidden.every((slice) => slice.unreachable === reason)).toBe(true);
    expect(hidden.flatMap(({ keys }) => keys)).toEqual(addresses(2));
    expect(intervalsOf(slices)).toContainEqual([1, 9_999]);
  });

  it('is requested again with all other blocks', () => {
    const { slices } = planSlices({ ...input, coverage, isAgain: true });
    expect(intervalsOf(slices)).toContainEqual([0, 9_999]);
    expect(slices.every(({ unreachable }) => unreachable === undefined)).toBe(true);
  });
});

describe('variants', () => {
  it('never cover for each other', () => {
    const pipeline = pipelineOf([ONE_KEY], { blocks: { from: 0, to: 999 } });
    const [request] = pipeline.requests;
    if (request === undefined) throw new Error('the pipeline asks for nothing');
    const lists = ['token_20', 'token_721'].map((protocolType) =>
      listNamed(ONE_KEY, { protocolType }),
    );
    const both = { ...pipeline, requests: [{ ...request, lists }] };
    const coverage = new Coverage();
    coverage.add(covered(ONE_KEY, 'protocolType=token_20', '0xa', { from: 0, to: 999 }));
    const { slices } = planSlices(inputOf(both, ['0xa'], { coverage }));
    expect(slices.map((slice) => slice.list.variant)).toEqual(['protocolType=token_721']);
  });

  it('are spelled in one order, and give slices different names', () => {
    const one = listNamed(MANY_KEYS, { b: '2', a: '1' });
    expect(one.variant).toBe('a=1&b=2');
    const [slice] = planSlices(inputOf(pipelineOf([MANY_KEYS]), ['0xa'])).slices;
    if (slice === undefined) throw new Error('nothing was planned');
    expect(sliceId({ ...slice, list: one })).not.toBe(sliceId(slice));
    expect(sliceId({ ...slice, provisional: true })).toBe(sliceId(slice));
  });
});

describe('endpoints without keys', () => {
  it('are planned height by height where one request answers for one height', () => {
    const pipeline = pipelineOf([BY_HEIGHT], { blocks: { from: 7, to: 9 } });
    const plan = planSlices(inputOf(pipeline, []));
    expect(intervalsOf(plan.slices)).toEqual([
      [7, 7],
      [8, 8],
      [9, 9],
    ]);
    expect(keysOf(plan.slices)).toEqual([[''], [''], ['']]);
  });
});
