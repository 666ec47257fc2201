import { expect, test } from 'vitest';
import { matcherOf } from '../../../src/settings/fault-times.ts';

/** Goal: a pattern means the paths it should, and none takes long to match, however it is written. */

test('a star is a part of a segment, and two are any number of them', () => {
  const path = 'mainchain/block/block-list';
  expect(matcherOf('mainchain/*/block-list')(path)).toBe(true);
  expect(matcherOf('mainchain/*')(path)).toBe(false);
  expect(matcherOf('**')(path)).toBe(true);
  expect(matcherOf('**/block-*')(path)).toBe(true);
});

test('a long run of stars means two, and is matched at once', () => {
  const path = 'mainchain/address/normal-transaction-list-multi';
  // Every split of the stars among the segments would take years.
  expect(matcherOf(`${'*'.repeat(60)}z`)(path)).toBe(false);
  expect(matcherOf(`${'*'.repeat(60)}multi`)(path)).toBe(true);
});
