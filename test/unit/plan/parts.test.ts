import { expect, it } from 'vitest';
import { intersection, normalise } from '../../../src/coverage/ranges.ts';
import { sliceId } from '../../../src/coverage/slice.ts';
import { estimate } from '../../../src/plan/estimate.ts';
import { type PlanPart, planParts } from '../../../src/plan/parts.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { partOf } from '../../../src/run/workers/part-runner.ts';
import { addresses, BY_HEIGHT, inputOf, MANY_KEYS, pipelineOf } from '../../model/plan-input.ts';

const pipeline = pipelineOf([MANY_KEYS, BY_HEIGHT], { blocks: { from: 3, to: 199_999 } });
const input = inputOf(pipeline, addresses(450));
const plan = planSlices(input);
const priced = estimate(plan, new Map(), 1, 0).requests;
const parts = planParts(pipeline, priced, input.keys, { isFound: false, leastRequests: 100 });

/** The slices that a worker plans for a part. */
const slicesOf = (part: PlanPart) =>
  planSlices({ ...input, ...partOf({ pipeline, keys: input.keys }, part) }).slices;

it('workers plan the slices of the whole plan, each in one part', () => {
  const final = plan.slices.filter(({ provisional }) => !provisional);
  const planned = parts.flatMap(slicesOf);
  expect(planned.map(sliceId).sort()).toEqual(final.map(sliceId).sort());
});

it('parts have no key and height in common, and enough requests', () => {
  for (const [i, one] of parts.entries()) {
    for (const other of parts.slice(i + 1)) {
      const isSameRequest = one.request === other.request;
      const isSameKeys = one.keys?.from === other.keys?.from;
      const common = intersection(one.interval, other.interval);
      expect(isSameRequest && isSameKeys ? common : undefined).toBeUndefined();
    }
    const slices = slicesOf(one).length;
    const isLast = one.interval.to === Math.max(...parts.map(({ interval }) => interval.to));
    if (!isLast) expect(slices).toBeGreaterThanOrEqual(100);
    expect(slices).toBeLessThanOrEqual(110);
  }
  expect(parts.length).toBeGreaterThan(4);
});

it('look-ups, whose slices have the heights of a wide window, are parts of it; others are not', () => {
  const interval = { from: 3, to: 99_999 };
  const cutAs = (kind: 'by-key' | 'ranged') => {
    const wide = priced.slice(0, 1).map(({ request, ...rest }) => {
      const list = { ...rest.list, entry: { ...rest.list.entry, list: kind } };
      const slices = rest.slices.map((slice) => ({ ...slice, list, interval }));
      return { ...rest, slices, request: { ...request, foundIn: { datasets: [] } } };
    });
    const lookUps = { ...pipeline, requests: wide.map(({ request }) => request) };
    return planParts(lookUps, wide, {}, { isFound: true, leastRequests: 100 });
  };
  expect(cutAs('ranged').map((part) => part.interval)).toEqual([interval]);
  const cut = cutAs('by-key').map((part) => part.interval);
  expect(cut.length).toBeGreaterThan(2);
  expect(normalise(cut)).toEqual([interval]);
});

it('the newest part comes first where the pipeline wants it so', () => {
  const newest = { ...pipeline, order: 'newest-first' as const };
  const turned = planParts(newest, priced, input.keys, { isFound: false, leastRequests: 100 });
  expect(turned.map(({ interval }) => interval.from)).toEqual(
    parts.map(({ interval }) => interval.from).reverse(),
  );
});
