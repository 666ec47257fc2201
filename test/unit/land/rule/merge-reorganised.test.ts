import { expect, test } from 'vitest';
import { Coverage } from '../../../../src/coverage/coverage.ts';
import type { Claim } from '../../../../src/land/rule/claim.ts';
import { merge } from '../../../../src/land/rule/merge.ts';
import { listNamed } from '../../../fixtures/lists.ts';

/** Goal: a walk that began before a reorganisation proves nothing at or above its height. */

const claim: Claim = {
  list: listNamed('mainchain/address/normal-transaction-list-multi'),
  keys: ['a'],
  interval: { from: 0, to: 99 },
  status: 'complete',
  reason: '',
  head: 200,
  readAtMs: 1,
  generation: 1,
};

function statusAfter(heights: readonly number[], generation: number): string | undefined {
  const known = {
    coverage: new Coverage(),
    reorganisations: heights.map((height) => ({ height })),
  };
  return merge(known, [{ claim: { ...claim, generation }, records: [] }], () => []).coverage[0]
    ?.status;
}

test.each([
  ['before the walk', [50], 1, 'complete'],
  ['during the walk', [50], 0, 'inconsistent'],
  ['at its last block', [99], 0, 'inconsistent'],
  ['above its last block', [100], 0, 'complete'],
  ['during the walk, after an earlier one', [500, 50], 1, 'inconsistent'],
])('a reorganisation %s: %j, generation %i, %s', (_, heights, generation, status) => {
  expect(statusAfter(heights, generation)).toBe(status);
});
