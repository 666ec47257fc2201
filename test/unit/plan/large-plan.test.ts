import { expect, test } from 'vitest';
import { estimate } from '../../../src/plan/estimate.ts';
import { priceLarge, wholePlan } from '../../../src/plan/large-plan.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import * as made from '../../model/plan-input.ts';

/** Goal: a plan that is priced band by band has the figures of the plan as a whole. */

const { addresses, asking, inputOf, landed, MANY_KEYS, pipelineOf, walkedOnce } = made;
const head = 1_399_999;
const heads = { primary: { head, safe: head - 99 } };
const pipeline = pipelineOf([MANY_KEYS, made.ONE_KEY], { blocks: { from: 5, to: 'head' } });
/** 141 windows of 2,000 groups: two bands, beside a list that is planned as a whole. */
const input = inputOf(pipeline, addresses(40_000), { heads });

const basis = { wants: undefined, densities: new Map(), perSecond: 10, asideOf: () => 7 };
const LOOK_UPS = 'mainchain/transaction/transaction-multi';
/** Look-ups of hashes in rows, and a zone chain without blocks. */
const lines = [
  `  transactions: [{ endpoint: ${LOOK_UPS}, keys: found }, { endpoint: ${MANY_KEYS}, keys: addresses }]`,
  `  zone_transactions: [{ endpoint: mainchain/zone/block/transaction-list-multi }]`,
];
const looking = asking(lines, {}, 'found: { from: [transactions] }');
const bothHeads = { ...heads, zone: { head: -1, safe: 0 } };
const lookUps = inputOf(looking, addresses(40_000), { heads: bothHeads });
const requests = looking.requests.map((request) =>
  request.foundIn === undefined ? request : { ...request, blocks: { from: 700_000, to: head } },
);
const narrow = inputOf({ ...looking, requests }, addresses(40_000), { heads: bothHeads });
const walked = new Map([
  [`${MANY_KEYS}?`, walkedOnce(1_000, 1, 11, 10_000)],
  [`${LOOK_UPS}?`, walkedOnce(1_000, 50, 50, 1_000_000)],
]);

test.each([
  ['', input, new Map()],
  [', with look-ups', lookUps, new Map()],
  [', with walks', lookUps, walked],
  [', with look-ups of fewer blocks', narrow, walked],
])('bands have the price of the whole%s', (_, input, densities) => {
  const plan = planSlices(input);
  const whole = estimate(plan, densities, 10, 7);
  const large = priceLarge(input, { ...basis, densities });
  expect(large.plan.slices).toEqual([]);
  expect(large.plan).toMatchObject({ heads: plan.heads, beyondHead: plan.beyondHead });
  expect(large.estimate.total).toEqual(whole.total);
  const figures = (cost: typeof whole) =>
    cost.requests.map(({ request, slices: _, ...rest }) => ({ ...rest, dataset: request.dataset }));
  expect(figures(large.estimate)).toEqual(figures(whole));
});

test('requests that are not wanted have no part in it', () => {
  const wants = ({ request }: { request: { dataset: string } }) =>
    request.dataset === 'transactions';
  const { requests } = priceLarge(input, { ...basis, wants }).estimate;
  expect(requests.map(({ request }) => request.dataset)).toEqual(['transactions']);
});

test('a plan is large by the windows and groups of keys that are left', () => {
  const many = (blocks: object, more = {}) =>
    inputOf({ ...pipeline, ...blocks }, addresses(300_000), { heads, ...more });
  expect(wholePlan(many({}))).toBeUndefined();
  const { slices } = planSlices(many({ blocks: { from: 0, to: 9_999 } }));
  const interval = { from: 0, to: head - 20_000 };
  const coverage = landed(slices.map((slice) => ({ ...slice, interval })));
  expect(wholePlan(many({}, { coverage }))?.slices.length).toBeGreaterThan(15_000);
});

test('slices have many keys, and as slices they are counted', () => {
  const plan = (mostSlices: number) =>
    planSlices({ ...inputOf(pipelineOf([MANY_KEYS]), addresses(40)), mostSlices }).slices.length;
  expect(plan(10)).toBe(10);
  expect(() => plan(9)).toThrow('more than 9 windows');
});
