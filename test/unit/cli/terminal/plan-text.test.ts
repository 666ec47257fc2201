import { expect, test } from 'vitest';
import { listLines, nothingText, planText } from '../../../../src/cli/terminal/plan-text.ts';
import type { BlockBounds } from '../../../../src/pipeline/syntax/block-range.ts';
import type { Estimate, Price, PricedRequest } from '../../../../src/plan/estimate.ts';
import { estimate } from '../../../../src/plan/estimate.ts';
import { planSlices } from '../../../../src/plan/slices.ts';
import {
  addresses,
  BY_HEIGHT,
  covered,
  inputOf,
  landed,
  MANY_KEYS,
  pipelineOf,
} from '../../../model/plan-input.ts';

/** Goal: a plan says in words what is known of its price, and claims no more than that. */

const plan = planSlices(inputOf(pipelineOf([MANY_KEYS]), addresses(3)));
const priced = estimate(plan, new Map(), 10, 1);
const [request] = priced.requests;

const chainCheck = { changed: new Map<string, number>(), checkpoints: {}, hashes: {} };

function textOf(more: Partial<PricedRequest>, total: Partial<Price> = {}): string[] {
  if (request === undefined) throw new Error('one request was expected');
  const requests = [{ ...request, ...more }];
  const prices: Estimate = { ...priced, requests, total: { ...priced.total, ...total } };
  const all = { plan, chainCheck, estimate: prices };
  return planText(all, listLines(all));
}

const NONE = { slices: 0, provisional: 0, keyBlocks: 0, unreachable: [] };
const OPEN = { requests: 0, rows: undefined, bytes: undefined };

test('keys that are still to be found are not called nothing to fetch', () => {
  const words = textOf({ isFound: true, counts: NONE, price: OPEN }).join('\n');
  expect(words).toContain('the number of keys is known only after rows land');
  expect(words).not.toContain('nothing to fetch');
  const done = { requests: 0, rows: 0, bytes: 0 };
  expect(textOf({ isFound: true, counts: NONE, price: done })).toContain('    nothing to fetch');
});

test('a total is not called known while the length of a list is not', () => {
  const lower = { requests: 7, rows: undefined };
  expect(textOf({ price: { ...OPEN, requests: 7 } }, lower).at(-1)).toBe(
    'Total: not known yet, because 1 list of 1 has no landed rows.',
  );
  const price = { requests: 7, rows: 500, bytes: 1 };
  expect(textOf({ price }, price).at(-1)).toContain('about 7 requests for 500 rows');
});

test('each dataset has one line, with the intervals that no list can return below it', () => {
  if (request === undefined) throw new Error('one request was expected');
  const unreachable = [{ from: 0, to: 9, reason: 'older than a year' }];
  const slices = request.counts.slices + unreachable.length;
  const lookUp = { ...request, isFound: true, counts: NONE, price: OPEN };
  const requests = [{ ...request, counts: { ...NONE, slices, unreachable } }, lookUp];
  const lines = planText({ plan, chainCheck, estimate: { ...priced, requests } });
  expect(lines.slice(-3, -1)).toEqual([
    expect.stringMatching(
      /^ {2}transactions: 2 lists, blocks .*: 5 slices, requests not known yet \(5 or more\), and look-ups of keys in landed rows$/,
    ),
    '    unreachable: blocks 0 to 9: older than a year',
  ]);
});

test('lists of blocks are named where lists by address take more requests than there are blocks', () => {
  const last = (requests: number) => textOf({ price: { ...OPEN, requests } }).at(-1);
  expect(last(49_901)).toBe(
    'transactions may cost less by block: mainchain/block/transaction-list takes a request or ' +
      'more for each of 49,900 blocks, for all addresses.',
  );
  expect(last(49_900)).toContain('Total:');
});

test('a zone chain without blocks is named as such', () => {
  const heads = { zone: { head: -1, safe: 0 } };
  const words = planText({ plan: { ...plan, heads }, chainCheck, estimate: priced });
  expect(words[0]).toBe('The zone chain has no blocks yet.');
});

test('a reorganisation is reported with the block from which on everything is fetched again', () => {
  const changed = new Map([
    ['blocks', 1200],
    ['transactions', 1200],
  ]);
  const words = planText({ plan, chainCheck: { ...chainCheck, changed }, estimate: priced });
  expect(words).toContain(
    'The chain was reorganised after blocks, transactions had been read: blocks from 1,200 on ' +
      'are fetched again.',
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
    'Blocks up to 501 were requested, but the chain ends at block 500: the range is cut there.',
  );
  expect(words(500)[1]).not.toContain('cut');
  expect(words('head')[1]).not.toContain('cut');
});

/** The lines of a plan over blocks 0 to 500, of which 0 to 399 are final. */
function linesOf(blocks: BlockBounds, range?: BlockBounds, path = MANY_KEYS): string[] {
  const pipeline = pipelineOf([path], { blocks });
  const requests = pipeline.requests.map((entry) => (range ? { ...entry, blocks: range } : entry));
  const heads = { primary: { head: 500, safe: 400 } };
  const input = { ...inputOf({ ...pipeline, requests }, addresses(1)), heads };
  const narrow = planSlices(input);
  const all = { plan: narrow, chainCheck, estimate: estimate(narrow, new Map(), 10, 1) };
  return planText(all, listLines(all));
}

test.each<[string, BlockBounds, BlockBounds | undefined, string, string]>([
  [
    'above the head',
    { from: 501, to: 600 },
    undefined,
    'the range begins above the head: nothing to fetch yet',
    'Nothing to fetch yet: the range begins above the head.',
  ],
  [
    'between the safe height and the head',
    { from: 450, to: 'safe' },
    undefined,
    'the range begins at or above the safe height: nothing is final yet',
    'Nothing to fetch yet: no block of the range is final.',
  ],
  [
    "outside the request's own blocks",
    { from: 0, to: 99 },
    { from: 100, to: 200 },
    "the range has none of this request's own blocks: nothing to fetch",
    'Nothing to fetch: the range has no block of any request of the pipeline.',
  ],
])('a range %s is described as such', (_name, blocks, range, line, total) => {
  const lines = linesOf(blocks, range);
  expect(lines).toContain(`    ${line}`);
  expect(lines.at(-1)).toBe(total);
});

test('a plan without requests does not speak of heights', () => {
  expect(nothingText({ ...plan, requests: [], slices: [] })).toBe('No list to fetch.');
});

test('a list without keys is of the whole chain', () => {
  const words = linesOf({ from: 0, to: 99 }, undefined, BY_HEIGHT).join('\n');
  expect(words).toContain('blocks 0 to 99, whole chain, 0 % complete already');
  expect(words).not.toContain('1 key');
});

test('a plan that fetches complete blocks again says how many are complete', () => {
  const input = inputOf(pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 99 } }), addresses(1));
  const [key = ''] = addresses(1);
  const half = covered(MANY_KEYS, '', key, { from: 0, to: 49 });
  const words = (isAgain: boolean, part = landed([])): string => {
    part.add(half);
    const again = planSlices({ ...input, isAgain, coverage: part });
    const all = { plan: again, chainCheck, estimate: estimate(again, new Map(), 10, 1) };
    const [list, dataset] = [listLines(all)[1] ?? '', planText(all)[1] ?? ''];
    expect(dataset).toContain(list.split('key, ')[1]);
    return list;
  };
  expect(words(false)).toBe('    blocks 0 to 99, 1 key, 50 % complete already');
  expect(words(true)).toBe('    blocks 0 to 99, 1 key, 50 % complete already and fetched again');
});
