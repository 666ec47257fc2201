import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { curate, curatedFiles } from '../../../src/curate/curate.ts';
import { forgottenIn } from '../../../src/land/rows/forgotten-in.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { hashOfZoneBlock, inBlock, internal, LIST, transaction } from '../../fixtures/load-lake.ts';
import { withoutColumn } from '../../fixtures/older-files.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { lengthened, shortened } from '../../fixtures/short-addresses.ts';
import { whenOver } from '../../fixtures/when-over.ts';
import type { Row } from '../../model/curate/known.ts';
import { TableReader } from '../../model/curate/tables.ts';

const small = freshLake(beforeEach);
let reader: TableReader;

beforeEach(async () => {
  reader = await TableReader.open();
  whenOver(() => reader.close());
});

const once = async (chunkRows = 1_000_000) => {
  const limits = { chunkRows, gapRows: -1 };
  const options = { lake: small.lake, effects: quietEffects(), disk: localDisk, limits };
  return (await curate(options)).commits;
};

async function cellsOf(table: string, ...columns: string[]): Promise<unknown[][]> {
  const rows: readonly Row[] = (await reader.curated(small.lake)).get(table) ?? [];
  return shortened(rows.map((row) => columns.map((column) => row[column])).sort());
}

describe('a raw table that was moved away', () => {
  const land = (height: string, from: number) => {
    const records = [transaction({ height })];
    return small.land(LIST.transactions, { keys: ['0xa'], from, to: from + 99, records });
  };

  test('leaves no rows behind, and later commits change single heights again', async () => {
    await land('10', 0);
    await land('200', 150);
    await once();
    await rename(join(small.root, 'lake/MAINCHAIN/transactions'), join(small.root, 'old'));
    small.lake.close();
    await small.reopen(small.root);
    await land('20', 0);
    await once();
    expect(await cellsOf('transactions', 'block_number')).toEqual([['20']]);
    await small.land(LIST.transactions, { keys: ['0xa'], from: 300, to: 399, records: [] });
    const [commit] = await once();
    expect(commit).toMatchObject({ table: 'transactions', rows: 0 });
    await rm(join(small.root, 'lake/MAINCHAIN/transactions'), { recursive: true });
    await rename(join(small.root, 'old'), join(small.root, 'lake/MAINCHAIN/transactions'));
    small.lake.close();
    await small.reopen(small.root);
    await once();
    expect(await cellsOf('transactions', 'block_number')).toEqual([['10'], ['200']]);
  });
});

describe('changes at other heights', () => {
  test('a followed address without records leaves all files, one with records most rows', async () => {
    const amount = '9'.repeat(30);
    const records = ['10', '20', '30'].map((height) => transaction({ height, amount }));
    for (const [at, record] of records.entries()) {
      const from = 10 * at + 5;
      await small.land(LIST.transactions, { keys: ['0xa'], from, to: from + 9, records: [record] });
      await once();
    }
    const files = await curatedFiles(small.lake);
    await small.land(LIST.transactions, { keys: ['0xf'], from: 0, to: 99 });
    await once();
    expect(await curatedFiles(small.lake)).toEqual(files);
    const more = transaction({ height: '30', txId: '0x09', from: '0xe', to: '0xc' });
    await small.land(LIST.transactions, { keys: ['0xe'], from: 0, to: 99, records: [more] });
    const commits = await once();
    const hashes = await cellsOf('transactions', 'tx_hash');
    expect(hashes.map(String)).toEqual(['0x01', '0x01', '0x01', '0x09']);
    // The rows of the height that names it are computed, and no others with evidence.
    expect(commits.find(({ table }) => table === 'transactions')?.rows).toBe(2);
  });

  test('a large file stays while its rows do, and is rewritten without those it loses', async () => {
    const files = async () => (await curatedFiles(small.lake)).get('transactions') ?? [];
    const records = (count: number, from: string, first: number, step: number) =>
      Array.from({ length: count }, (_, i) => {
        const height = String(first + step * i);
        return transaction({ height, from, to: '0xc', txId: `0x${from.slice(2)}${height}` });
      });
    const land = (key: string, options: ReturnType<typeof records>, from = 0, to = 7_999) =>
      small.land(LIST.transactions, { keys: [key], from, to, head: 9_000, records: options });
    await land('0xa', records(2_400, '0xa', 0, 3));
    await small.curate(true);
    const [large = ''] = await files();
    // More heights than a query has conditions, half of them with rows of the other address.
    await land('0xe', records(300, '0xe', 0, 25));
    await once();
    expect(await files()).toHaveLength(2);
    expect(await files()).toContain(large);
    // The file loses rows at high heights, after chunks of low heights have left it alone.
    await land('0xd', records(120, '0xd', 0, 33));
    await land('0xa', records(20, '0xa', 6_900, 3), 6_900, 7_199);
    await once(20);
    expect(await files()).not.toContain(large);
    const columns = ['block_number', 'tx_hash', 'from_address', 'coverage_status'];
    const rows = await cellsOf('transactions', ...columns);
    const legs = () => cellsOf('address_activity', 'address', 'block_number', 'tx_hash', 'leg');
    const before = await legs();
    expect(rows).toHaveLength(2_300 + 20 + 300 + 120);
    await small.curate(true);
    expect(await cellsOf('transactions', ...columns)).toEqual(rows);
    expect(await legs()).toEqual(before);
  });

  test('evidence of a raw row that no curated row shows goes with it', async () => {
    const params = { protocolType: 'transaction' };
    const shown = [inBlock({ from: '0xb', to: '0xc' })];
    await small.land(LIST.inBlock, { keys: [''], from: 10, to: 10, params, records: shown });
    const records = [transaction({ amount: '9'.repeat(30) })];
    await small.land(LIST.transactions, { keys: ['0xa'], status: 'provisional', records });
    await once();
    expect(await cellsOf('check_evidence', 'check_name')).toEqual([['casts']]);
    await small.land(LIST.transactions, { keys: ['0xa'], readAtMs: 1_700_000_100_000 });
    await once();
    expect(await cellsOf('check_evidence', 'check_name')).toEqual([]);
  });

  test('an address that was forgotten loses its rows at heights that it was not asked for', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    await small.land(LIST.internal, { keys: ['0xb'], from: 50, to: 59 });
    await once();
    const parties = () => cellsOf('address_activity', 'address', 'block_number');
    expect(await parties()).toContainEqual(['0xb', '10']);
    const table = small.lake.table('internal_transactions');
    await table.forget((snapshot) => forgottenIn(snapshot, table, () => [lengthened('0xb')]));
    await once();
    expect(await parties()).not.toContainEqual(['0xb', '10']);
    expect(await parties()).toContainEqual(['0xa', '10']);
  });
});

test('of two records of one block in a reading, the same one is believed in either order', async () => {
  const at = (height: string, count: string) => {
    const hash = hashOfZoneBlock(height);
    return { hash, height, transactionCount: count, miner: '', blockTime: '1700000005123' };
  };
  const heights = ['50', '51', '52', '53'];
  const pairs = heights.map((height) => [at(height, '0'), at(height, '1')]);
  const believed = async (records: readonly WireRecord[]) => {
    await small.land(LIST.zoneBlocks, { keys: [''], records });
    await once();
    return cellsOf('zone_blocks', 'block_number', 'txn_count');
  };
  const first = await believed(pairs.flat());
  expect(first.map(([height]) => height)).toEqual(heights);
  expect(await believed(pairs.flat().reverse())).toEqual(first);
});

test('a look-up without a record counts at the heights that later ones left alone', async () => {
  const call = (height: string) => internal({ height, txId: '0x01' });
  await small.land(LIST.internal, { keys: ['0xa'], records: [call('10')] });
  await small.land(LIST.internalByHash, { keys: ['0x01'], records: [] });
  await once();
  expect(await cellsOf('internal_transactions', 'block_number')).toEqual([]);
  await small.land(LIST.internalByHash, { keys: ['0x01'], from: 50, records: [call('60')] });
  await once();
  expect(await cellsOf('internal_transactions', 'block_number')).toEqual([['60']]);
  await small.curate(true);
  expect(await cellsOf('internal_transactions', 'block_number')).toEqual([['60']]);
});

test('files that lack a column are replaced when all heights are computed', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await once();
  const [path = ''] = (await curatedFiles(small.lake)).get('transactions') ?? [];
  await withoutColumn(path, 'gas_limit');
  await small.curate(true);
  expect(await cellsOf('transactions', 'tx_hash', 'gas_limit')).toEqual([['0x01', '21000']]);
});
