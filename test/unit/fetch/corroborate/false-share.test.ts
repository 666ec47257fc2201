import { expect, test } from 'vitest';
import { hasEvidence, readingsNeeded } from '../../../../src/fetch/corroborate/false-share.ts';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { INTERNAL, NORMAL, sliceOf } from '../../../fixtures/walk-setup.ts';

/** Goal: the more answers are false, the more readings an empty answer needs. */

function factsWith(answers: Readonly<Record<string, { right: number; false: number }>>): ListFacts {
  const facts = new ListFacts({});
  for (const [path, counts] of Object.entries(answers)) {
    for (let i = 0; i < counts.right; i += 1) facts.sawAnswer(path, true);
    for (let i = 0; i < counts.false; i += 1) facts.sawAnswer(path, false);
  }
  return facts;
}

test.each([
  [0, 999, 2],
  [9, 990, 3],
  [49, 950, 5],
  [99, 900, 6],
  [199, 800, 9],
  [500, 500, 20],
])('%i false answers and %i right ones need %i readings', (wrong, right, readings) => {
  expect(readingsNeeded(factsWith({ [NORMAL]: { right, false: wrong } }), NORMAL)).toBe(readings);
});

test('a list with more false answers than the others is read as often as it needs', () => {
  const facts = factsWith({
    [INTERNAL]: { right: 20, false: 20 },
    [NORMAL]: { right: 400, false: 0 },
  });
  expect(readingsNeeded(facts, INTERNAL)).toBe(20);
  expect(readingsNeeded(facts, NORMAL)).toBe(5);
});

test('a list is judged by its own answers where it has a known question', () => {
  const facts = factsWith({ [NORMAL]: { right: 40, false: 0 } });
  expect(hasEvidence(facts, INTERNAL)).toBe(true);
  facts.learnKnown(INTERNAL, sliceOf({}));
  expect(hasEvidence(facts, INTERNAL)).toBe(false);
});
