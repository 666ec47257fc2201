import { expect, it } from 'vitest';
import { sliceId } from '../../../src/coverage/slice.ts';
import { plansByBand } from '../../../src/plan/bands.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import {
  addresses,
  inputOf,
  landed,
  MANY_KEYS,
  ONE_KEY,
  pipelineOf,
} from '../../model/plan-input.ts';

it('bands have the slices of the whole plan, the newest heights first', () => {
  const pipeline = pipelineOf([MANY_KEYS, ONE_KEY], { blocks: { from: 7, to: 'head' } });
  const before = planSlices(inputOf(pipeline, addresses(30))).slices;
  const coverage = landed(before.filter((_, i) => i % 3 === 0));
  const input = inputOf(pipeline, addresses(50), { coverage });
  const bands = [...plansByBand(input, 8)];
  const expected = planSlices(input).slices.map(sliceId);
  expect(bands.flatMap(({ slices }) => slices.map(sliceId)).sort()).toEqual(expected.sort());
  const heights = bands.slice(1).map(({ slices }) => slices[0]?.interval.from ?? 0);
  expect(heights).toEqual([...heights].sort((a, b) => b - a));
  expect(Math.max(...bands.slice(1).map(({ slices }) => slices.length))).toBeLessThan(12);
});
