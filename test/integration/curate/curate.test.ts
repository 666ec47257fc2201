import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { curate, curatedFiles } from '../../../src/curate/curate.ts';
import { forgottenIn } from '../../../src/land/rows/forgotten-in.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import {
  CROSS_CHAIN,
  crossing,
  IN_BLOCK,
  INTERNAL,
  INTERNAL_BY_HASH,
  inBlock,
  internal,
  NORMAL,
  OWN_TRANSACTIONS,
  SmallLake,
  TOKENS,
  TOKENS_BY_HASH,
  TRANSACTIONS,
  transaction,
  transfer,
  ZONE_TRANSACTIONS,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';
import { withoutColumn } from '../../fixtures/older-files.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { lengthened, shortened } from '../../fixtures/short-addresses.ts';
import type { Row } from '../../model/curate/known.ts';
import { TableReader } from '../../model/curate/tables.ts';

let small: SmallLake;
let reader: TableReader;

beforeEach(async () => {
  small = await SmallLake.open();
  reader = await TableReader.open();
});

afterEach(async () => {
  reader.close();
  await small.close();
});

const limits = { chunkRows: 1_000_000, gapRows: -1 };
const once = () => curate({ lake: small.lake, effects: quietEffects(), disk: localDisk, limits });

async function cellsOf(table: string, ...columns: string[]): Promise<unknown[][]> {
  const rows: readonly Row[] = (await reader.curated(small.lake)).get(table) ?? [];
  return shortened(rows.map((row) => columns.map((column) => row[column])).sort());
}

describe('a raw table that was moved away', () => {
  const land = (height: string, from: number) => {
    const records = [transaction({ height })];
    return small.land(TRANSACTIONS, { keys: ['0xa'], from, to: from + 99, records });
  };

  test('leaves no rows behind, and later commits change single heights again', async () => {
    await land('10', 0);
    await land('200', 150);
    await once();
    await rename(join(small.root, 'lake/MAINCHAIN/transactions'), join(small.root, 'old'));
    small.lake.close();
    small = await SmallLake.open(small.root);
    await land('20', 0);
    await once();
    expect(await cellsOf('transactions', 'block_number')).toEqual([['20']]);
    await small.land(TRANSACTIONS, { keys: ['0xa'], from: 300, to: 399, records: [] });
    const [commit] = await once();
    expect(commit).toMatchObject({ table: 'transactions', rows: 0 });
    await rm(join(small.root, 'lake/MAINCHAIN/transactions'), { recursive: true });
    await rename(join(small.root, 'old'), join(small.root, 'lake/MAINCHAIN/transactions'));
    small.lake.close();
    small = await SmallLake.open(small.root);
    await once();
    expect(await cellsOf('transactions', 'block_number')).toEqual([['10'], ['200']]);
  });
});

describe('changes at other heights', () => {
  test('an address that is followed from now on has rows at all heights', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'], to: 49, records: [transaction()] });
    await small.land(TRANSACTIONS, { keys: ['0xa'], from: 50 });
    await once();
    const legs = () => cellsOf('address_activity', 'address', 'leg', 'coverage_status');
    const own = [
      ['0xa', 'fee', 'complete'],
      ['0xa', 'value', 'complete'],
    ];
    expect(await legs()).toEqual(own);
    await small.land(TRANSACTIONS, { keys: ['0xb'], from: 50 });
    await once();
    expect(await legs()).toEqual([...own, ['0xb', 'value', 'none']]);
  });

  test('a followed address without records leaves all files, one with records most rows', async () => {
    const records = [10, 20, 30].map((height) => transaction({ height: String(height) }));
    for (const [at, record] of records.entries()) {
      const from = 10 * at + 5;
      await small.land(TRANSACTIONS, { keys: ['0xa'], from, to: from + 9, records: [record] });
      await once();
    }
    const files = await curatedFiles(small.lake);
    await small.land(TRANSACTIONS, { keys: ['0xf'], from: 0, to: 99 });
    await once();
    expect(await curatedFiles(small.lake)).toEqual(files);
    const more = transaction({ height: '30', txId: '0x09', from: '0xe', to: '0xc' });
    await small.land(TRANSACTIONS, { keys: ['0xe'], from: 0, to: 99, records: [more] });
    const commits = await once();
    const hashes = (await cellsOf('transactions', 'block_number', 'tx_hash')).map(String);
    expect(hashes).toEqual(['10,0x01', '20,0x01', '30,0x01', '30,0x09']);
    // The rows of the height that names it are computed, and no others.
    expect(commits.find(({ table }) => table === 'transactions')?.rows).toBe(2);
  });

  test('a large file stays while its rows do, and is rewritten without those it loses', async () => {
    const inChunks = (chunkRows: number) =>
      curate({
        ...{ lake: small.lake, effects: quietEffects(), disk: localDisk },
        limits: { chunkRows, gapRows: -1 },
      });
    const files = async () => (await curatedFiles(small.lake)).get('transactions') ?? [];
    const records = (count: number, from: string, first: number, step: number) =>
      Array.from({ length: count }, (_, i) => {
        const height = String(first + step * i);
        return transaction({ height, from, to: '0xc', txId: `0x${from.slice(2)}${height}` });
      });
    const land = (key: string, of: ReturnType<typeof records>, from = 0, to = 7_999) =>
      small.land(TRANSACTIONS, { keys: [key], from, to, head: 9_000, records: of });
    await land('0xa', records(2_400, '0xa', 0, 3));
    await small.curate(true);
    const [large = ''] = await files();
    // More heights than a query has conditions, half of them with rows of the other address.
    await land('0xe', records(300, '0xe', 0, 25));
    await inChunks(1_000_000);
    expect(await files()).toHaveLength(2);
    expect(await files()).toContain(large);
    // The file loses rows at high heights, after chunks of low heights have left it alone.
    await land('0xd', records(120, '0xd', 0, 33));
    await land('0xa', records(20, '0xa', 6_900, 3), 6_900, 7_199);
    await inChunks(20);
    expect(await files()).not.toContain(large);
    const columns = ['block_number', 'tx_hash', 'from_address', 'coverage_status'];
    const rows = await cellsOf('transactions', ...columns);
    const legs = await cellsOf('address_activity', 'address', 'block_number', 'tx_hash', 'leg');
    expect(rows).toHaveLength(2_300 + 20 + 300 + 120);
    await small.curate(true);
    expect(await cellsOf('transactions', ...columns)).toEqual(rows);
    expect(await cellsOf('address_activity', 'address', 'block_number', 'tx_hash', 'leg')).toEqual(
      legs,
    );
  });

  test('an address that was forgotten loses its rows at heights that it was not asked for', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
    await small.land(INTERNAL, { keys: ['0xb'], from: 50, to: 59 });
    await once();
    const parties = () => cellsOf('address_activity', 'address', 'block_number');
    expect(await parties()).toContainEqual(['0xb', '10']);
    const table = small.lake.table('internal_transactions');
    const pathOf = table.pathOf.bind(table);
    await table.forget((snapshot) => forgottenIn(snapshot, pathOf, () => [lengthened('0xb')]));
    await once();
    expect(await parties()).not.toContainEqual(['0xb', '10']);
    expect(await parties()).toContainEqual(['0xa', '10']);
  });

  test('a transfer without a standard has that of its token, while others agree', async () => {
    await small.land(TOKENS_BY_HASH, { keys: ['0x01'], to: 19, records: [transfer()] });
    const land = (protocolType: string, height: string) => {
      const records = [transfer({ height, from: '0xe', to: '0xf' })];
      const from = Number(height);
      return small.land(TOKENS, {
        keys: ['0xe'],
        params: { protocolType },
        from,
        to: from,
        records,
      });
    };
    const standards = () => cellsOf('token_transfers', 'block_number', 'token_standard');
    await once();
    expect(await standards()).toEqual([['10', null]]);
    await land('token_20', '30');
    await once();
    expect(await standards()).toContainEqual(['10', 'token_20']);
    await land('token_721', '40');
    await once();
    expect(await standards()).toContainEqual(['10', null]);
    const params = { protocolType: 'token_721' };
    await small.land(TOKENS, { keys: ['0xe'], params, from: 40, to: 40 });
    await once();
    expect(await standards()).toContainEqual(['10', 'token_20']);
  });
});

describe('rows of one height depend on that height alone', () => {
  test('a look-up is complete for the heights that it was made for', async () => {
    const records = [internal(), internal({ height: '60' })];
    await small.land(INTERNAL, { keys: ['0xa'], records });
    await small.land(INTERNAL_BY_HASH, { keys: ['0x01'], from: 50 });
    await once();
    expect(await cellsOf('internal_transactions', 'block_number')).toEqual([['10']]);
  });

  test('a record that moved to another block is there twice until its list is read', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], to: 49, records: [internal()] });
    await small.land(INTERNAL, {
      keys: ['0xa'],
      from: 50,
      status: 'provisional',
      records: [internal({ height: '60' })],
    });
    await once();
    expect(await cellsOf('internal_transactions', 'block_number')).toEqual([['10'], ['60']]);
  });

  test('a cross-chain leg has the amount of the zone transaction of its own block', async () => {
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing()] });
    const zone = (blockHeight: string) => zoneTransaction({ blockHeight, value: '3' });
    await small.land(ZONE_TRANSACTIONS, { keys: [''], to: 59, records: [zone('50')] });
    // The transaction moves, and block 50 is not read again.
    const rest = { from: 60, to: 99, status: 'provisional' } as const;
    await small.land(ZONE_TRANSACTIONS, { keys: [''], ...rest, records: [zone('60')] });
    await once();
    const rows = await cellsOf('zone_address_activity', 'leg', 'block_number', 'signed_text');
    expect(rows.filter(([leg]) => leg === 'zone')).toEqual([
      ['zone', '50', '0'],
      ['zone', '60', null],
    ]);
  });
});

describe('one row per transaction', () => {
  test('the number is that of the text beside it, also where it does not fit', async () => {
    const amount = `1${'0'.repeat(40)}`;
    await small.land(OWN_TRANSACTIONS, { keys: ['0xa'], records: [transaction({ amount })] });
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction({ amount: '5' })] });
    await once();
    expect(await cellsOf('transactions', 'amount_text', 'amount')).toEqual([[amount, null]]);
  });

  test('of equal copies, the position is that of the first', async () => {
    const records = [inBlock({ txid: '0x02' }), inBlock(), inBlock(), inBlock()];
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records });
    await once();
    expect(await cellsOf('transactions', 'tx_hash', 'list_position')).toEqual([
      ['0x01', '2'],
      ['0x02', '1'],
    ]);
  });
});

test('files that lack a column are replaced when all heights are computed', async () => {
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  await once();
  const [path = ''] = (await curatedFiles(small.lake)).get('transactions') ?? [];
  await withoutColumn(path, 'gas_limit');
  await curate({ lake: small.lake, effects: quietEffects(), disk: localDisk, isFull: true });
  expect(await cellsOf('transactions', 'tx_hash', 'gas_limit')).toEqual([['0x01', '21000']]);
});
