import { rm } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { forgottenIn } from '../../../../src/land/rows/forgotten-in.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';

/** Goal: a row stands for the coverage of a complete look-up, whose hash has no entry. */

const small = freshLake(beforeEach);
beforeEach(async () => {
  await lookUp({ amount: '1' });
});

function lookUp(change: WireRecord, more: object = {}): Promise<void> {
  return small.land(LIST.transactionsByHash, {
    keys: ['0x01'],
    records: [transaction(change)],
    ...more,
  });
}

/** The number of rows, and the keys and statuses of the coverage. */
async function state() {
  const { files, coverage } = await small.lake.table('transactions').snapshot();
  const rows = [...files.values()].reduce((sum, file) => sum + (file.rows ?? 0), 0);
  return [rows, ...coverage.entries().map(({ key, status }) => `${key} ${status}`)];
}

test('a look-up of a hash that has a row replaces the row', async () => {
  expect(await state()).toEqual([1, ' complete']);
  await lookUp({ amount: '2' });
  expect(await state()).toEqual([1, ' complete']);
});

test('one that is not complete leaves the row of a complete one', async () => {
  await lookUp({ amount: '2' }, { status: 'provisional' });
  await lookUp({}, { status: 'inconsistent', records: [] });
  expect(await state()).toEqual([1, ' complete']);
});

test('one whose hash has no record has a row of its own', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02', '0x03'] });
  const table = small.lake.table('transactions');
  expect(await state()).toEqual([1, ' complete']);
  await lookUp({ txId: '0x02' }, { keys: ['0x02'] });
  expect(await state()).toEqual([2, ' complete']);
  await small.land(LIST.transactionsByHash, { keys: ['0x01'], status: 'provisional' });
  await small.land(LIST.transactionsByHash, { keys: ['0x03'], status: 'failed' });
  expect(await state()).toEqual([2, ' complete']);
  await small.land(LIST.transactionsByHash, { keys: ['0x01'] });
  expect(await state()).toEqual([1, ' complete']);
  const results = await table.landed(listNamed(LIST.transactionsByHash), ['0x01', '0x02', '0x03']);
  expect(results.map(({ hash, from, to }) => `${hash} ${from}-${to}`).sort()).toEqual([
    '0x01 0-99',
    '0x02 0-99',
    '0x02 10-10',
    '0x03 0-99',
  ]);
});

test('one that is not complete is open where its hash has no row', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02'], status: 'inconsistent' });
  expect(await state()).toEqual([1, ' complete', '0x02 inconsistent']);
  const table = small.lake.table('transactions');
  const results = await table.landed(listNamed(LIST.transactionsByHash), ['0x01', '0x02']);
  expect(results).toEqual([{ hash: '0x01', from: 10, to: 10, isRow: true }]);
});

test('one without a record in a single block says nothing about other blocks', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02'], from: 5, to: 5 });
  await lookUp({ txId: '0x02' }, { keys: ['0x02'], status: 'provisional' });
  expect(await state()).toEqual([2, ' complete', '0x02 provisional', '0x02 provisional']);
});

/** The look-ups of two hashes without a record, as `hash from-to`. */
async function empty(options = small): Promise<string[]> {
  const table = options.lake.table('transactions');
  const lookUps = await table.landed(listNamed(LIST.transactionsByHash), ['0x02', '0x03']);
  return lookUps.map(({ hash, from, to }) => `${hash} ${from}-${to}`).sort();
}

test('one without a record ends below a later change of the chain, until it is done again', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02', '0x03'] });
  await small.lake.table('transactions').reorganised(50);
  await small.lake.table('transactions').reorganised(70);
  expect(await empty()).toEqual(['0x02 0-49', '0x03 0-49']);
  const list = listNamed(LIST.transactionsByHash);
  const read = { status: 'complete', reason: '', head: 99, readAtMs: 0, generation: 2 } as const;
  const claim = { list, keys: ['0x02'], interval: { from: 40, to: 99 }, ...read };
  await small.lake.table('transactions').empty?.add([{ claim, records: [] }], { version: 1 });
  expect(await empty()).toEqual(['0x02 0-49', '0x02 40-99', '0x03 0-49']);
});

test('one without a record goes with its region, and with a hash that is forgotten', async () => {
  const list = { endpoint: LIST.transactionsByHash, variant: '' };
  const table = small.lake.table('transactions');
  await small.land(LIST.transactionsByHash, { keys: ['0x02'], to: 9 });
  await small.land(LIST.transactionsByHash, { keys: ['0x03'] });
  await table.forget((snapshot) => forgottenIn(snapshot, table, () => ['0x02']));
  expect(await empty()).toEqual(['0x03 0-99']);
  await table.withdraw(new Set(), [{ ...list, keys: [''], from: 99, to: 200 }]);
  expect(await empty()).toEqual([]);
  await small.land(LIST.transactionsByHash, { keys: ['0x02', '0x03'] });
  const [entry] = (await table.snapshot()).coverage.entries();
  await table.markLost(entry === undefined ? [] : [{ ...entry, status: 'inconsistent' }]);
  expect(await empty()).toEqual([]);
});

test('one without a record does not count for the next table, where its own was moved away', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02'] });
  await rm(small.lake.table('transactions').stored.folder, { recursive: true });
  const next = await SmallLake.open(small.root);
  await next.land(LIST.transactionsByHash, { keys: ['0x03'] });
  expect(await empty(next)).toEqual(['0x03 0-99']);
  next.lake.close();
});

test('look-ups with rows at heights that damage withdrew stay open until they are done again', async () => {
  const list = { endpoint: LIST.transactionsByHash, variant: '' };
  const table = small.lake.table('transactions');
  await table.withdraw(new Set(), [{ ...list, keys: [''], from: 0, to: 50 }]);
  expect(await state()).toEqual([1, ' inconsistent', ' complete', '0x01 inconsistent']);
  await lookUp({ txId: '0x02' }, { keys: ['0x02'] });
  expect(await state()).toEqual([2, ' complete', '0x01 inconsistent']);
  await lookUp({ amount: '2' });
  expect(await state()).toEqual([2, ' complete']);
});

test('so do all of a list whose log was cut at an unreadable entry', async () => {
  const table = small.lake.table('transactions');
  const [entry] = (await table.snapshot()).coverage.entries();
  if (entry === undefined) throw new Error('no coverage');
  await table.markLost([{ ...entry, status: 'inconsistent' }]);
  await lookUp({ txId: '0x02' }, { keys: ['0x02'] });
  expect(await state()).toEqual([2, ' complete', '0x01 inconsistent']);
});
