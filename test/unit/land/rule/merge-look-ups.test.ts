import { expect, test } from 'vitest';
import { Coverage } from '../../../../src/coverage/coverage.ts';
import type { List } from '../../../../src/coverage/list.ts';
import type { Claim } from '../../../../src/land/rule/claim.ts';
import { merge } from '../../../../src/land/rule/merge.ts';
import { listNamed } from '../../../fixtures/lists.ts';

/**
 * Goal: what a look-up by hash does to a table does not depend on the other hashes, of which a
 * table may have millions.
 */

const BY_HASH = listNamed('mainchain/transaction/transaction-multi');
const BY_ADDRESS = listNamed('mainchain/address/normal-transaction-list-multi');

function claimOf(list: List, more: Partial<Claim>): Claim {
  const interval = { from: 0, to: 99 };
  const read = { interval, status: 'complete' as const, reason: '', head: 200, readAtMs: 1 };
  return { list, keys: ['0x01'], ...read, generation: 0, ...more };
}

function merged(list: List, more: Partial<Claim>, before: readonly string[]) {
  const coverage = new Coverage();
  for (const status of before) {
    const part = { from: 0, to: 99, reason: '', head: 200, readAtMs: 1 };
    const isOpen = status === 'provisional';
    coverage.add({ ...list, ...part, key: `0x${status}`, status: isOpen ? status : 'complete' });
  }
  const record = { height: 5, touches: ['0x01'] };
  const walks = [{ claim: claimOf(list, more), records: [record] }];
  return merge({ coverage, reorganisations: [] }, walks, () => []);
}

test('the first look-up of a hash is a first landing, also where another hash is open', () => {
  expect(merged(BY_HASH, {}, ['provisional']).removals).toEqual([]);
  expect(merged(BY_ADDRESS, {}, ['provisional']).removals).toHaveLength(1);
  expect(merged(BY_HASH, {}, ['01']).removals).toHaveLength(1);
});
