import { describe, expect, it } from 'vitest';
import { Coverage } from '../../../src/coverage/coverage.ts';
import { sliceId } from '../../../src/coverage/slice.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import { depthReason } from '../../../src/plan/routes.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../../model/plan-input.ts';

const intervalsOf = (slices: Plan['slices']): [number, number][] =>
  slices.map(({ interval }) => [interval.from, interval.to]);
const keysOf = (slices: Plan['slices']): (readonly string[])[] => slices.map(({ keys }) => keys);

describe('a plan of more windows than fit into memory', () => {
  it('is refused with what to do, before it is made', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
    const input = inputOf(pipeline, addresses(1));
    const heads = { primary: { head: 999_999_999_999_999, safe: 999_999_999_999_000 } };
    expect(() => planSlices({ ...input, heads })).toThrow('more than 15000000 windows');
  });

  it('counts the windows of all groups of keys', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'safe' } });
    const input = inputOf(pipeline, addresses(20_000));
    const heads = { primary: { head: 250_010_000, safe: 250_009_936 } };
    expect(() => planSlices({ ...input, heads })).toThrow('more than 15000000 windows');
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

  it('begins with the newest window where the pipeline says so', () => {
    const newest = planSlices(inputOf({ ...pipeline, order: 'newest-first' }, addresses(1)));
    expect(intervalsOf(newest.slices)).toEqual(intervalsOf(plan.slices).reverse());
    expect(intervalsOf(newest.slices)[0]).toEqual([50_000, 50_000]);
  });
});

describe('the last height of a plan', () => {
  it('leaves nothing to plan for a range that begins above it', () => {
    const pipeline = pipelineOf([MANY_KEYS], { blocks: { from: 50_001, to: 'head' } });
    const [request, ...more] = planSlices(inputOf(pipeline, addresses(2))).requests;
    expect(more).toEqual([]);
    expect(request).toMatchObject({ interval: undefined, slices: [], keyBlocks: 0, covered: 0 });
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
  it('are spelled in one order, and give slices different names', () => {
    const one = listNamed(MANY_KEYS, { b: '2', a: '1' });
    expect(one.variant).toBe('a=1&b=2');
    const [slice] = planSlices(inputOf(pipelineOf([MANY_KEYS]), ['0xa'])).slices;
    if (slice === undefined) throw new Error('nothing was planned');
    expect(sliceId({ ...slice, list: one })).not.toBe(sliceId(slice));
    expect(sliceId({ ...slice, provisional: true })).toBe(sliceId(slice));
  });
});
