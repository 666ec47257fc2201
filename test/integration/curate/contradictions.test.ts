import { beforeEach, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { curate } from '../../../src/curate/curate.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  block,
  crossing,
  internal,
  LIST,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { shortened } from '../../fixtures/short-addresses.ts';
import { TableReader } from '../../model/curate/tables.ts';

let small = freshLake(beforeEach);

const TIME = '1700000000123';
const LATE = '1700000001123';

/** Curates, and returns the coverage that was withdrawn: list, key, heights. */
async function withdrawn(): Promise<string[]> {
  const options = { lake: small.lake, effects: quietEffects(), disk: localDisk };
  const { contradicted } = await curate(options);
  const ends = contradicted.map(({ endpoint, key, from, to }) => {
    return `${endpoint.split('/').at(-1)} ${shortened(key)} ${from}-${to}`;
  });
  return ends.sort();
}

const land = (path: string, ...records: WireRecord[]) =>
  small.land(path, { keys: [path === LIST.blocks ? '' : '0xa'], records });
const landTokens = (...records: WireRecord[]) =>
  small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });

async function cells(table: string, ...columns: string[]): Promise<string[]> {
  const reader = await TableReader.open();
  const rows = (await reader.curated(small.lake)).get(table) ?? [];
  reader.close();
  return rows.map((row) => columns.map((column) => row[column]).join(' ')).sort();
}

const BOTH = ['internal', 'normal'].map((kind) => `${kind}-transaction-list-multi 0xa 10-10`);

describe('a height has one time and one hash', () => {
  test('lists that agree stay complete', async () => {
    await land(LIST.transactions, transaction());
    await land(LIST.internal, internal());
    await landTokens(transfer());
    await land(LIST.blocks, block());
    expect(await withdrawn()).toEqual([]);
    expect(await cells('transactions', 'coverage_status')).toEqual(['complete']);
  });

  test('lists one second apart are both inconsistent, at this height alone', async () => {
    await land(LIST.transactions, transaction(), transaction({ txId: '0x02', height: '11' }));
    await land(LIST.internal, internal({ transactionTime: LATE }));
    expect(await withdrawn()).toEqual(BOTH);
    expect(await cells('transactions', 'block_number', 'coverage_status')).toEqual([
      '10 inconsistent',
      '11 complete',
    ]);
  });

  test('a list that contradicts that of the blocks is inconsistent alone', async () => {
    await land(LIST.transactions, transaction());
    await land(LIST.internal, internal({ transactionTime: LATE }));
    await land(LIST.blocks, block());
    expect(await withdrawn()).toEqual(BOTH.slice(0, 1));
  });

  test('impossible times are inconsistent, and all rows of a block have the time of the block', async () => {
    const times = ['0', '1700000000', '17000000001230'];
    const at = (i: number) => ({ txId: `0x0${i}`, height: String(10 * i) });
    await land(LIST.transactions, ...times.map((_, i) => transaction(at(i + 1))));
    const late = times.map((transactionTime, i) => internal({ ...at(i + 1), transactionTime }));
    await land(LIST.internal, ...late);
    expect(await withdrawn()).toEqual(
      [10, 20, 30].map((height) => `internal-transaction-list-multi 0xa ${height}-${height}`),
    );
    const shown = await cells('transactions', 'block_number', 'block_time', 'block_date');
    expect(
      await cells('internal_transactions', 'block_number', 'block_time', 'block_date'),
    ).toEqual(shown);
  });

  test('two hashes of one height are inconsistent', async () => {
    await land(LIST.transactions, transaction());
    await landTokens(transfer({ blockHash: '0xb10d' }));
    expect(await withdrawn()).toHaveLength(2);
  });

  test('one hash of two heights is inconsistent', async () => {
    await land(LIST.transactions, transaction());
    await landTokens(transfer({ txId: '0x02', height: '11', blockHash: '0xb10c' }));
    expect(await withdrawn()).toEqual([
      'normal-transaction-list-multi 0xa 10-10',
      'token-transaction-list 0xa 11-11',
    ]);
  });

  test('a hash that is not that of the checkpoint is inconsistent', async () => {
    const records = [transaction(), transaction({ txId: '0x02', height: '11' })];
    const { lake } = small;
    await small.land(LIST.transactions, { keys: ['0xa'], records });
    await lake.table('transactions').commit([], [{ height: 11, hash: '0xf00' }]);
    expect(await withdrawn()).toEqual(['normal-transaction-list-multi 0xa 11-11']);
  });

  test('rows of blocks that are not final are not compared', async () => {
    await land(LIST.transactions, transaction());
    const records = [internal({ transactionTime: LATE })];
    await small.land(LIST.internal, { keys: ['0xa'], status: 'provisional', records });
    expect(await withdrawn()).toEqual([]);
  });

  test('a list that is contradicted in many blocks is inconsistent wherever it was compared', async () => {
    const at = (i: number) => ({ txId: `0x${i}`, height: String(i) });
    const heights = Array.from({ length: 25 }, (_, i) => 20 + 2 * i);
    await land(LIST.transactions, ...heights.map((i) => transaction(at(i))));
    await land(LIST.internal, ...heights.map((i) => internal({ ...at(i), transactionTime: '1' })));
    expect(await withdrawn()).toEqual(['internal-transaction-list-multi 0xa 0-99']);
  });
});

describe('a transaction hash has one block, sender, recipient and nonce', () => {
  test('lists with another sender, recipient or nonce are inconsistent', async () => {
    const changes = [{ from: '0xc' }, { to: '0xc' }, { nonce: '8' }];
    const at = (i: number) => ({ txId: `0x0${i}`, height: String(10 * i) });
    await land(LIST.transactions, ...changes.map((_, i) => transaction(at(i + 1))));
    const records = changes.map((change, i) => transaction({ ...at(i + 1), ...change }));
    await small.land(LIST.ownTransactions, { keys: ['0xa', '0xb'], records });
    expect(await withdrawn()).toEqual(
      expect.arrayContaining(
        [10, 20, 30].map((height) => `normal-transaction-list-multi 0xa ${height}-${height}`),
      ),
    );
  });

  test('a list that names several addresses agrees with one that names some', async () => {
    await land(LIST.transactions, transaction({ from: '0xa,0xc' }));
    await land(LIST.ownTransactions, transaction());
    expect(await withdrawn()).toEqual([]);
  });

  test('two blocks of one transaction are inconsistent, in whichever lists', async () => {
    await land(LIST.transactions, transaction());
    await landTokens(transfer({ height: '11' }));
    expect(await withdrawn()).toEqual([
      'normal-transaction-list-multi 0xa 10-10',
      'token-transaction-list 0xa 11-11',
    ]);
  });

  test('a look-up by hash is inconsistent, and its list where the record is', async () => {
    await land(LIST.internal, internal());
    const { operation: _operation, ...record } = internal({
      transactionTime: LATE,
      state: 'success',
    });
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: [record] });
    expect(await withdrawn()).toEqual([
      'internal-transaction-detail 0x01 10-10',
      'internal-transaction-list-multi 0xa 10-10',
    ]);
  });

  test('the nonce of a look-up is compared', async () => {
    await land(LIST.transactions, transaction());
    await small.land(LIST.transactionsByHash, {
      keys: ['0x01'],
      records: [transaction({ nonce: '9' })],
    });
    expect(await withdrawn()).toHaveLength(2);
  });
});

test('rows of runs at heights far apart are compared, like those of one run', async () => {
  const near = (i: number) => ({ txId: `0x0${i}`, height: `${10 * i}` });
  const far = (i: number) => ({ txId: `0x0${i}`, height: `${70_000 + 10 * i}` });
  const earlier = async (): Promise<void> => {
    await land(LIST.transactions, transaction(near(1)));
    await landTokens(transfer(near(2)));
    const records = [30, 40].map((height) => block({ height: `${height}`, hash: `0xb${height}` }));
    await small.land(LIST.blocks, { keys: [''], from: 30, to: 49, records });
  };
  const later = async (): Promise<void> => {
    const range = { from: 70_000, to: 70_099, head: 70_199 };
    const transfers = [1, 2].map((i) => transfer(far(i)));
    // Transfers of a transaction of another list, and of one that no other list has.
    await small.land(LIST.tokens, {
      ...range,
      keys: ['0xa'],
      params: TOKEN_20,
      records: transfers,
    });
    const again = block({ height: '70030', hash: '0xb30' });
    await small.land(LIST.blocks, { ...range, to: 70_039, keys: [''], records: [again] });
    const named = transaction({ ...far(4), blockHash: '0xb40' });
    await small.land(LIST.transactions, { ...range, keys: ['0xa'], records: [named] });
  };
  await earlier();
  expect(await withdrawn()).toEqual([]);
  await later();
  const inSteps = await withdrawn();
  const heights = [10, 20, 30, 40, 70_010, 70_020, 70_030, 70_040];
  expect(inSteps.map((text) => Number(text.split('-').at(-1))).sort((a, b) => a - b)).toEqual(
    heights,
  );
  await small.close();
  small = await SmallLake.open();
  await earlier();
  await later();
  expect(await withdrawn()).toEqual(inSteps);
});

describe('afterwards', () => {
  test('a list that is read again and agrees is complete', async () => {
    await land(LIST.transactions, transaction());
    await land(LIST.internal, internal({ transactionTime: LATE }));
    await withdrawn();
    const again = { keys: ['0xa'], from: 10, to: 10 };
    await small.land(LIST.internal, { ...again, records: [internal()] });
    await small.land(LIST.transactions, { ...again, records: [transaction()] });
    expect(await withdrawn()).toEqual([]);
    expect(await cells('internal_transactions', 'coverage_status')).toEqual(['complete']);
  });

  test('lists that contradict each other again are inconsistent again', async () => {
    await land(LIST.transactions, transaction());
    await land(LIST.internal, internal({ transactionTime: LATE }));
    await withdrawn();
    await small.land(LIST.transactions, {
      keys: ['0xa'],
      from: 10,
      to: 10,
      records: [transaction()],
    });
    expect(await withdrawn()).toEqual([]);
    const records = [internal({ transactionTime: LATE })];
    await small.land(LIST.internal, { keys: ['0xa'], from: 10, to: 10, records });
    expect(await withdrawn()).toEqual(BOTH);
  });
});

test('records of the zone chain are compared, too', async () => {
  await small.land(LIST.zoneTransactions, { keys: [''], records: [zoneTransaction()] });
  const records = [crossing({ zoneBlockTime: TIME })];
  await small.land(LIST.crossChain, { keys: [''], records });
  expect(await withdrawn()).toEqual(['transaction-list  50-50', 'transaction-list-multi  50-50']);
});
