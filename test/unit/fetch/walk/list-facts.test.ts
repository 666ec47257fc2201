import { expect, test } from 'vitest';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: a run learns how a list behaves, and keeps only facts that cannot hide records in later
 * runs.
 */

const PATH = 'a/list';

test('a page may be cut unless one of the latest 200 was longer', () => {
  const facts = new ListFacts({});
  expect(facts.mayBeCut(PATH, 5)).toBe(true);
  facts.pageShown(PATH, 50);
  for (let i = 0; i < 199; i += 1) facts.pageShown(PATH, 20);
  expect([19, 20, 49, 50].map((records) => facts.mayBeCut(PATH, records))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  facts.pageShown(PATH, 20);
  expect(facts.mayBeCut(PATH, 20)).toBe(true);
  // Empty pages are no evidence of a cap.
  facts.pageShown(PATH, 0);
  expect(facts.mayBeCut(PATH, 19)).toBe(false);
  expect(facts.mayBeCut('another/list', 19)).toBe(true);
});

test('a smaller page size is believed at its second page, and kept for later runs', () => {
  const facts = new ListFacts({});
  facts.clamped(PATH, 25);
  expect(facts.pageSize(PATH, 100)).toBe(100);
  facts.clamped(PATH, 30);
  expect(facts.pageSize(PATH, 100)).toBe(100);
  facts.clamped(PATH, 30);
  expect(facts.pageSize(PATH, 100)).toBe(30);
  expect(facts.memory()).toEqual({ [PATH]: { pageSize: 30 } });
  const next = new ListFacts(facts.memory());
  expect(next.pageSize(PATH, 100)).toBe(30);
  expect(next.pageSize(PATH, 20)).toBe(20);
});

test('every run learns caps, edges and counts again', () => {
  const facts = new ListFacts({});
  facts.learnCap(PATH, 57);
  facts.learnCap(PATH, 41);
  facts.learnEdges(PATH, { from: true });
  facts.learnEdges(PATH, { to: false });
  for (let i = 0; i < 3; i += 1) facts.at(PATH).wrongCounts += 1;
  expect(facts.isCap(PATH, 41)).toBe(true);
  expect(facts.isCap(PATH, 42)).toBe(false);
  expect(facts.caps()).toEqual(new Map([[PATH, 41]]));
  expect(facts.edges(PATH)).toEqual({ from: true, to: false });
  expect(facts.areCountsRight(PATH)).toBe(false);
  expect(facts.memory()).toEqual({});
});

test('a length at which pages seem to be cut is not a cap if longer pages follow', () => {
  const facts = new ListFacts({});
  facts.pageShown(PATH, 9);
  facts.learnCap(PATH, 8);
  expect(facts.isCap(PATH, 8)).toBe(false);
  facts.learnCap(PATH, 9);
  facts.learnCap(PATH, 12);
  facts.pageShown(PATH, 9);
  expect(facts.caps()).toEqual(new Map([[PATH, 9]]));
  facts.pageShown(PATH, 10);
  expect(facts.caps()).toEqual(new Map([[PATH, 12]]));
  facts.pageShown(PATH, 20);
  expect(facts.caps()).toEqual(new Map());
});

test('counts are ignored after three wrong ones', () => {
  const facts = new ListFacts({});
  facts.at(PATH).wrongCounts += 1;
  facts.at(PATH).wrongCounts += 1;
  expect(facts.areCountsRight(PATH)).toBe(true);
  facts.at(PATH).wrongCounts += 1;
  expect(facts.areCountsRight(PATH)).toBe(false);
  expect(facts.areCountsRight('another/list')).toBe(true);
});

test('a list keeps one question that was answered with records', () => {
  const facts = new ListFacts({});
  const [first, second] = [sliceOf({ keys: ['a'] }), sliceOf({ keys: ['b'] })];
  expect(facts.knownQuestion(PATH)).toBeUndefined();
  facts.learnKnown(PATH, first);
  facts.learnKnown(PATH, second);
  facts.learnKnown('another/list', second);
  expect(facts.knownQuestion(PATH)).toBe(first);
  expect(facts.allKnown()).toEqual([second, first]);
});

test('callers of a list learn one after the other, also after a failure', async () => {
  const facts = new ListFacts({});
  const order: string[] = [];
  const learn = (name: string, isLost = false) => {
    return facts.oneAtATime(PATH, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (isLost) throw new Error('lost');
    });
  };
  const results = await Promise.allSettled([learn('one'), learn('two', true), learn('three')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual([
    'one begins',
    'one ends',
    'two begins',
    'two ends',
    'three begins',
    'three ends',
  ]);
});
