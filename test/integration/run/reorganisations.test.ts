import { beforeEach, expect, test } from 'vitest';
import { ListFacts } from '../../../src/fetch/walk/list-facts.ts';
import { recordChanges, withHalves } from '../../../src/run/reorganisations.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { crossing, LIST, transaction } from '../../fixtures/load-lake.ts';

/** Goal: a record with a half in removed blocks of the other chain is read again. */

const small = freshLake(beforeEach);

beforeEach(async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const early = crossing({ zoneTxHash: '0x2e00', zoneBlockHeight: '40', mainBlockHeight: '5' });
  await small.land(LIST.crossChain, { keys: [''], records: [early, crossing()] });
  await small.land(LIST.crossDetails, { keys: ['0x2e01'], from: 50, records: [crossing()] });
});

async function crossingsAfter(height: number): Promise<unknown[]> {
  const changed = await withHalves(small.lake, new Map([['transactions', height]]));
  const connection = { facts: new ListFacts({}) };
  await recordChanges({ lake: small.lake, connection }, { changed, checkpoints: {}, hashes: {} });
  const { coverage } = await small.lake.table('cross_chain_transfers').snapshot();
  return coverage.entries().map(({ key, from, to, status }) => [key, from, to, status]);
}

test('crossings from the first with a primary half in the removed blocks on are', async () => {
  expect(await crossingsAfter(10)).toEqual([
    ['', 0, 49, 'complete'],
    ['', 50, 99, 'inconsistent'],
  ]);
});

test('crossings with older halves are not', async () => {
  expect(await crossingsAfter(11)).toEqual([
    ['', 0, 99, 'complete'],
    ['', 50, 99, 'complete'],
  ]);
});
