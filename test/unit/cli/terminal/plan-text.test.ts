import { expect, test } from 'vitest';
import { nothingText, planText } from '../../../../src/cli/terminal/plan-text.ts';
import type { Estimate, Price, PricedRequest } from '../../../../src/plan/estimate.ts';
import { estimate } from '../../../../src/plan/estimate.ts';
import { planSlices } from '../../../../src/plan/slices.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../../../model/plan-input.ts';

/** Goal: a plan says in words what is known of its price, and claims no more than that. */

const plan = planSlices(inputOf(pipelineOf([MANY_KEYS]), addresses(3)));
const priced = estimate(plan, new Map(), 10, 1);
const [request] = priced.requests;

const chainCheck = { changed: new Map<string, number>(), checkpoints: {}, hashes: {} };

function textOf(more: Partial<PricedRequest>, total: Partial<Price> = {}): string[] {
  if (request === undefined) throw new Error('one request was expected');
  const requests = [{ ...request, ...more }];
  const of: Estimate = { ...priced, requests, total: { ...priced.total, ...total } };
  return planText({ plan, chainCheck, estimate: of });
}

const OPEN = { requests: 0, rows: undefined, bytes: undefined };

test('keys that are still to be found are not called nothing to fetch', () => {
  const words = textOf({ isFound: true, slices: [], price: OPEN }).join('\n');
  expect(words).toContain('how much is not known before rows have landed');
  expect(words).not.toContain('nothing to fetch');
  const done = { requests: 0, rows: 0, bytes: 0 };
  expect(textOf({ isFound: true, slices: [], price: done })).toContain('    nothing to fetch');
});

test('a sum is a lower bound only where every part of it is one', () => {
  const lower = { requests: 7, rows: undefined };
  expect(textOf({ price: { ...OPEN, requests: 7 } }, lower).at(-1)).toContain(
    'at least 7 requests',
  );
  const known = { requests: 7, rows: 500, bytes: 1 };
  const mixed = textOf({ price: known }, lower).at(-1);
  expect(mixed).toContain('some 7 requests, and more where nothing is known yet');
  expect(mixed).not.toContain('under a minute');
  expect(textOf({ price: known }, known).at(-1)).toContain('about 7 requests for 500 rows');
});

test('a zone chain without blocks is told as such', () => {
  const heads = { zone: { head: -1, safe: 0 } };
  const words = planText({ plan: { ...plan, heads }, chainCheck, estimate: priced });
  expect(words[0]).toBe('The zone chain has no blocks yet.');
  expect(nothingText({ ...plan, requests: [] })).toContain('above the head');
});

test('a reorganisation is told with the height from which on everything is read again', () => {
  const changed = new Map([
    ['blocks', 1200],
    ['transactions', 1200],
  ]);
  const words = planText({ plan, chainCheck: { ...chainCheck, changed }, estimate: priced });
  expect(words).toContain(
    'The chain was reorganised after blocks, transactions had been read: what lies from height ' +
      '1,200 on is read again.',
  );
});

test('a range that ends above the head is said to be cut there', () => {
  const heads = { primary: { head: 500, safe: 400 } };
  const input = (to: number | 'head') => {
    const pipeline = { ...pipelineOf([MANY_KEYS]), blocks: { from: 0, to } };
    return { ...inputOf(pipeline, addresses(1)), heads };
  };
  const words = (to: number | 'head') =>
    planText({ plan: planSlices(input(to)), chainCheck, estimate: priced }).slice(0, 2);
  expect(words(501)[1]).toBe(
    'Blocks up to 501 are asked, and the chain ends at 500: the range is cut there.',
  );
  expect(words(500)[1]).not.toContain('cut');
  expect(words('head')[1]).not.toContain('cut');
});
