import { expect, test } from 'vitest';
import { estimate } from '../../../src/plan/estimate.ts';
import { isLarge, priceLarge } from '../../../src/plan/large-plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import {
  addresses,
  asking,
  inputOf,
  MANY_KEYS,
  ONE_KEY,
  pipelineOf,
  walkedOnce,
} from '../../model/plan-input.ts';

/** Goal: a plan that is priced band by band has the figures of the plan as a whole. */

const head = 1_399_999;
const heads = { primary: { head, safe: head - 99 } };
const pipeline = pipelineOf([MANY_KEYS, ONE_KEY], { blocks: { from: 5, to: 'head' } });
/** 141 windows of 2,000 groups: two bands, beside a list that is planned as a whole. */
const input = inputOf(pipeline, addresses(40_000), { heads });

const LOOK_UPS = 'mainchain/transaction/transaction-multi';
/** Look-ups of hashes in rows, and a zone chain without blocks. */
const lines = [
  `  transactions: [{ endpoint: ${LOOK_UPS}, keys: found }, { endpoint: ${MANY_KEYS}, keys: addresses }]`,
  `  zone_transactions: [{ endpoint: mainchain/zone/block/transaction-list-multi }]`,
];
const looking = asking(lines, {}, 'found: { from: [transactions] }');
const bothHeads = { ...heads, zone: { head: -1, safe: 0 } };
const lookUps = inputOf(looking, addresses(40_000), { heads: bothHeads });
const walked = new Map([
  [`${MANY_KEYS}?`, walkedOnce(1_000, 1, 11, 10_000)],
  [`${LOOK_UPS}?`, walkedOnce(1_000, 50, 50, 1_000_000)],
]);

test.each([
  ['', input, new Map()],
  [', with look-ups', lookUps, new Map()],
  [', with walks', lookUps, walked],
])('bands have the price of the whole%s', (_, input, densities) => {
  const plan = planSlices(input);
  const whole = estimate(plan, densities, 10, 7);
  const basis = { wants: undefined, densities, perSecond: 10, asideOf: () => 7 };
  const large = priceLarge(input, basis);
  expect(large.plan.slices).toEqual([]);
  expect(large.plan).toMatchObject({ heads: plan.heads, beyondHead: plan.beyondHead });
  expect(large.estimate.total).toEqual(whole.total);
  const figures = (of: typeof whole) =>
    of.requests.map(({ request, slices: _, ...rest }) => ({ ...rest, dataset: request.dataset }));
  expect(figures(large.estimate)).toEqual(figures(whole));
});

test('requests that are not wanted have no part in it', () => {
  const wants = ({ request }: { request: { dataset: string } }) =>
    request.dataset === 'transactions';
  const basis = { wants, densities: new Map(), perSecond: 10, asideOf: () => 0 };
  const datasets = priceLarge(input, basis).estimate.requests.map(({ request }) => request.dataset);
  expect(datasets).toEqual(['transactions']);
});

test('a plan is large by its windows and groups of keys', () => {
  const of = (count: number) => isLarge(inputOf(pipeline, addresses(count), { heads }));
  expect([of(40_000), of(300_000)]).toEqual([false, true]);
});
