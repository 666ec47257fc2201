import { beforeEach, expect, test } from 'vitest';
import { listAt } from '../../../src/coverage/list.ts';
import { walkedLists } from '../../../src/land/delta/walked-lists.ts';
import { densitiesOf } from '../../../src/land/densities.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { internal, LIST, transaction } from '../../fixtures/load-lake.ts';

const small = freshLake(beforeEach);

test('a commit says what its walks took, together for each endpoint and variant', () => {
  const claim = (variant: string, keys: string[], from: number, to: number) => ({
    list: listAt({ endpoint: LIST.transactions, variant }),
    keys,
    interval: { from, to },
    status: 'complete' as const,
    reason: '',
    head: 1_000,
    readAtMs: 0,
    generation: 0,
  });
  const walks = [
    { claim: claim('', ['0xa', '0xb'], 0, 9), requests: 3 },
    { claim: claim('', ['0xa'], 10, 19), requests: 2 },
    { claim: claim('isFromOrTo=to', ['0xa'], 0, 0), requests: 1 },
  ];
  const options = { endpoint: LIST.transactions };
  expect(walkedLists(walks)).toEqual([
    { ...options, variant: '', slices: 2, requests: 5, keyBlocks: 30 },
    { ...options, variant: 'isFromOrTo=to', slices: 1, requests: 1, keyBlocks: 1 },
  ]);
  expect(walkedLists([])).toEqual([]);
});

test('what walks took comes back from the lake, beside the rows they found', async () => {
  const records = [transaction(), transaction({ txId: '0x02', nonce: '8' })];
  await small.land(LIST.transactions, { keys: ['0xa', '0xb'], records }, { keys: ['0xc'] });
  await small.land(LIST.transactions, { keys: ['0xa', '0xb'], records });
  await small.land(LIST.internal, { keys: ['0xa'], records: [internal()] });
  const densities = await densitiesOf(small.lake);
  expect([...densities.keys()].sort()).toEqual([`${LIST.internal}?`, `${LIST.transactions}?`]);
  // Three walks of 100 blocks with two, one and two keys; the last one replaced the first.
  expect(densities.get(`${LIST.transactions}?`)).toMatchObject({
    rows: 2,
    keyBlocks: 300,
    walked: { slices: 3, requests: 3, keyBlocks: 500 },
  });
  expect(densities.get(`${LIST.internal}?`)).toMatchObject({
    rows: 1,
    keyBlocks: 100,
    walked: { slices: 1, requests: 1, keyBlocks: 100 },
  });
  expect(densities.get(`${LIST.internal}?`)?.bytesPerRow).toBeGreaterThan(0);
});

test('nothing is known of what was never landed', async () => {
  expect((await densitiesOf(small.lake)).size).toBe(0);
});
