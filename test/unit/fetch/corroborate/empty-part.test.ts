import { expect, test } from 'vitest';
import { byGroup, type EmptyPart, someOf } from '../../../../src/fetch/corroborate/empty-part.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { A, B, NORMAL, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

function partOf(endpoint: string, keys: readonly string[], isEarly = false): EmptyPart {
  const slice = sliceOf({ list: listNamed(endpoint), keys });
  const part = { slice, status: 'complete', reason: '', records: [], pending: [], requests: 1 };
  const to = { head: 1000, settings: settingsOf(), land: async () => undefined, fail: () => {} };
  return { ...to, part, range: slice.interval, isEarly, pages: 0 } as EmptyPart;
}

test('parts are grouped by two keys or more of a list with block bounds', () => {
  const [pair, other] = [partOf(NORMAL, [A, B]), partOf(NORMAL, [A, B])];
  const single = partOf(NORMAL, [A]);
  const byHash = partOf('mainchain/transaction/transaction-multi', [A, B]);
  expect(byGroup([pair, single, byHash, other])).toEqual([[pair, other]]);
});

test('a sample begins with the parts that were read before their request was proven', () => {
  const parts = [true, false, true, false].map((isEarly) => partOf(NORMAL, [A], isEarly));
  const [first, second, third, fourth] = parts;
  expect(someOf(parts, 3, () => 0.99)).toEqual([first, third, fourth]);
  expect(someOf(parts, 9, () => 0)).toEqual([first, third, second, fourth]);
});
