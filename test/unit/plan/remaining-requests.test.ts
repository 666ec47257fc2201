import { expect, test } from 'vitest';
import { estimate } from '../../../src/plan/estimate.ts';
import { RemainingRequests } from '../../../src/plan/remaining-requests.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../../model/plan-input.ts';

/** Goal: the expected requests of a run follow its walks, whatever its plan could know. */

const plan = planSlices(inputOf(pipelineOf([MANY_KEYS]), addresses(3)));
const [made] = estimate(plan, new Map(), 10, 1).requests;
if (made === undefined) throw new Error('a request was expected');
const request = made;
const [slice] = request.slices;
if (slice === undefined) throw new Error('a slice was expected');
const slices = Array.from({ length: 40 }, () => slice);

test('a list without a price has the mean of its ended slices, once there are enough of them', () => {
  const remaining = new RemainingRequests();
  remaining.add([{ ...request, slices }]);
  remaining.ended(request, 30);
  expect(remaining.total()).toBeUndefined();
  remaining.ended(request, 10);
  expect(remaining.total()).toBe(40 * 20);
});

test('a price holds at first and gives way to the walks', () => {
  const remaining = new RemainingRequests();
  remaining.add([{ ...request, slices, price: { requests: 40, rows: 400, bytes: undefined } }]);
  expect(remaining.total()).toBe(40);
  for (let ended = 0; ended < 39; ended += 1) remaining.ended(request, 50);
  expect(remaining.total()).toBeGreaterThan(39 * 50 + 40);
  remaining.ended(request, 50);
  expect(remaining.total()).toBe(2000);
});
