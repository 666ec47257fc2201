import { beforeEach, expect, test } from 'vitest';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { rebuild } from '../../../src/run/lake/rebuild-warehouse.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

const small = freshLake(beforeEach);
beforeEach(async () => {
  await land(0);
});
const land = (block: number): Promise<void> =>
  small.land(LIST.transactions, {
    keys: ['0xa'],
    from: block,
    to: block,
    records: [transaction({ txId: `0x${block}`, height: String(block) })],
  });

/** A disk on which a run commits just before a warehouse is published, `times` in all. */
function busyDisk(times: number) {
  let published = 0;
  const rename = async (from: string, to: string): Promise<void> => {
    if (to === small.lake.layout.warehouse) {
      published += 1;
      if (published <= times) await land(published);
    }
    await localDisk.rename(from, to);
  };
  return { disk: { ...localDisk, rename }, published: () => published };
}

test('a lake at rest is published once', async () => {
  const { disk, published } = busyDisk(0);
  const { tables, isNewest } = await rebuild(small.lake, quietEffects(), disk);
  expect([published(), isNewest]).toEqual([1, true]);
  expect(tables).toEqual([
    expect.objectContaining({ dataset: 'transactions', version: 0, files: 1, rows: 1 }),
  ]);
});

test('a lake that moves on while the warehouse is built is published again', async () => {
  const { disk, published } = busyDisk(1);
  const { isNewest } = await rebuild(small.lake, quietEffects(), disk);
  expect([published(), isNewest]).toEqual([2, true]);
  expect(await small.rows('SELECT count(*) FROM lake.transactions')).toEqual([[2]]);
});

test('one that never rests is left to be loaded again', async () => {
  const { disk, published } = busyDisk(1000);
  const { isNewest } = await rebuild(small.lake, quietEffects(), disk);
  expect([published(), isNewest]).toEqual([5, false]);
});
