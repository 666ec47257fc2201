import { afterEach, beforeEach, expect, it } from 'vitest';
import { servedDataset } from '../../../../src/service/lake/columns.ts';
import { createTables, load, versionOf } from '../../../../src/service/lake/loading.ts';
import { LakeStore } from '../../../../src/service/lake/store.ts';
import { ServedTable } from '../../../../src/service/lake/table.ts';
import type { Selection } from '../../../../src/service/protocol/source.ts';
import { SmallLake, TRANSACTIONS, transaction } from '../../../fixtures/load-lake.ts';

/**
 * Goal: what a query matches is kept for its next pages, the queries used longest ago give way
 * first, and no more of them than have to. That it is kept shows once the rows are gone.
 */

/** Rows of 0xa, of which every other one is to 0xb. */
const ROWS = 2_000;
/** Room for what two of the senders match, and no third. */
const MOST_POSITIONS = 5_000;

let small: SmallLake;
let store: LakeStore;
let table: ServedTable;

beforeEach(async () => {
  small = await SmallLake.open();
  const records = Array.from({ length: ROWS }, (_, i) =>
    transaction({ txId: `0x${i}`, to: i % 2 === 0 ? '0xb' : '0xc' }),
  );
  await small.land(TRANSACTIONS, { keys: ['0xa'], records });
  store = await LakeStore.open(2 ** 28);
  const of = servedDataset('transactions');
  await createTables(store, of);
  const version = await versionOf(small.lake.table('transactions'));
  await load(store, of, { version, from: 0 });
  table = new ServedTable(of, store, MOST_POSITIONS);
});

afterEach(async () => {
  await store.close();
  await small.close();
});

const NOTHING = { dataset: 'transactions', filters: [], bounds: [], oncePerKey: false };
const LISTING: Selection = { ...NOTHING, interval: { from: 0, to: 1_000 } };

/** A listing of 0xa, which matches every row, and which no other number asks for. */
const ofSender = (number: number): Selection => ({
  ...NOTHING,
  interval: { from: 0, to: number },
  filters: [{ columns: ['from_address'], values: ['0xa'] }],
});

async function total(asked: Selection): Promise<number> {
  return (await table.find({ ...asked, offset: 0, count: 0 })).total;
}

async function loseRows(): Promise<void> {
  await store.rows('DELETE FROM "transactions"; DELETE FROM "transactions.from_address"');
}

it('a listing of everything takes no room, however much it lists', async () => {
  const tight = new ServedTable(servedDataset('transactions'), store, ROWS + 1_000);
  const totals = async (): Promise<number[]> => {
    const found = [LISTING, ofSender(100)].map((asked) =>
      tight.find({ ...asked, offset: 0, count: 0 }),
    );
    return (await Promise.all(found)).map((each) => each.total);
  };
  expect(await totals()).toEqual([ROWS, ROWS]);
  await loseRows();
  expect(await totals()).toEqual([ROWS, ROWS]);
});

it('the query used longest ago gives way, and no other', async () => {
  for (const number of [101, 102, 101, 103]) expect(await total(ofSender(number))).toBe(ROWS);
  await loseRows();
  expect(await total(ofSender(103))).toBe(ROWS);
  expect(await total(ofSender(101))).toBe(ROWS);
  expect(await total(ofSender(102))).toBe(0);
});

it('the newest query is kept, even where it takes more than there is room for', async () => {
  const tight = new ServedTable(servedDataset('transactions'), store, 10);
  const find = () => tight.find({ ...ofSender(100), offset: 0, count: 0 });
  expect((await find()).total).toBe(ROWS);
  await loseRows();
  expect((await find()).total).toBe(ROWS);
});
