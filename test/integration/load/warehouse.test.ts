import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeEach, expect, test } from 'vitest';
import { datasets } from '../../../src/catalogue/index.ts';
import { tableColumns } from '../../../src/land/rows/columns.ts';
import { type Disk, localDisk } from '../../../src/land/storage/disk.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { publishWarehouse } from '../../../src/load/warehouse.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  LIST,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';
import { mergeAll } from '../../fixtures/merge-all.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

const small = freshLake(beforeEach);

const HASHES = 'SELECT tx_hash FROM transactions ORDER BY ALL';

/** Rewrites the only data file of a table, as a writer with other columns would have made it. */
async function rewriteOnlyFile(dataset: string, select: string): Promise<void> {
  const table = small.lake.table(dataset);
  const [path = ''] = table.paths(await table.snapshot());
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT ${select} FROM read_parquet('${path}')) TO '${path}.new' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  await rename(`${path}.new`, path);
}

test('a lake without commits has an empty view of every dataset, with all its columns', async () => {
  const { path, views } = await small.publish();
  expect(path).toBe(small.lake.layout.warehouse);
  for (const { name } of datasets) {
    expect(views).toContain(`lake.${name}`);
    const { columns, rows } = await small.ask(`FROM lake.${name}`);
    expect(rows).toEqual([]);
    expect(columns).toEqual(
      tableColumns(name).map((column) => ({
        name: column.name,
        type: column.type.replace('TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE'),
      })),
    );
  }
  for (const view of views) expect((await small.ask(`FROM ${view}`)).rows).toEqual([]);
});

test('a reader that has the old warehouse open keeps it; the next one gets the new', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const { path } = await small.publish();
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const reader = await instance.connect();
  await small.land(LIST.transactions, {
    keys: ['0xa'],
    from: 100,
    to: 199,
    records: [transaction({ txId: '0x02', height: '150' })],
  });
  await small.publish();
  expect((await reader.runAndReadAll(HASHES)).getRows()).toEqual([['0x01']]);
  expect(await small.rows(HASHES)).toEqual([['0x01'], ['0x02']]);
  reader.closeSync();
  instance.closeSync();
});

test('files that a later version replaced are not read, though they are still there', async () => {
  const records = [transaction()];
  await small.land(LIST.transactions, { keys: ['0xa'], records });
  await small.land(LIST.transactions, { keys: ['0xa'], records });
  await mergeAll(small.lake.table('transactions').stored);
  const files = await readdir(small.lake.layout.table('MAINCHAIN', 'transactions'));
  expect(files.filter((name) => name.endsWith('.parquet')).length).toBeGreaterThan(1);
  await small.publish();
  expect(await small.rows('SELECT count(*) FROM lake.transactions')).toEqual([[1]]);
});

test('a column that an old file does not have is NULL there, and typed', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await rewriteOnlyFile('transactions', '_run, * EXCLUDE (_run, gas_price, tx_type)');
  await small.land(LIST.transactions, {
    keys: ['0xa'],
    from: 100,
    to: 199,
    records: [transaction({ txId: '0x02', height: '150' })],
  });
  await small.publish();
  expect(
    await small.rows(
      'SELECT tx_hash, gas_price, tx_type, typeof(gas_price) FROM lake.transactions ORDER BY ALL',
    ),
  ).toEqual([
    ['0x01', null, null, 'DECIMAL(38,0)'],
    ['0x02', '1000000000', '2', 'DECIMAL(38,0)'],
  ]);
});

test('a column that no file has is NULL throughout', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await rewriteOnlyFile('transactions', '* EXCLUDE (gas_price)');
  await small.publish();
  expect(
    await small.rows('SELECT tx_hash, gas_price, typeof(gas_price) FROM lake.transactions'),
  ).toEqual([['0x01', null, 'DECIMAL(38,0)']]);
});

test('the warehouse says what is covered and which versions it shows', async () => {
  await small.land(LIST.transactions, { keys: ['0xa', '0xb'], records: [transaction()] });
  await small.land(LIST.tokens, {
    keys: ['0xa'],
    params: { ...TOKEN_20, isFromOrTo: 'from' },
    from: 5,
    to: 9,
    status: 'truncated',
    reason: 'too many records in one block',
  });
  await small.publish();
  expect((await small.ask('FROM lake.coverage ORDER BY key, endpoint')).rows).toEqual([
    {
      list: 2,
      endpoint: LIST.transactions,
      dataset: 'transactions',
      axis: 'primary',
      variant: '',
      key_kind: 'address',
      side: 'both',
      scope: '',
      key: '0xa',
      from_block: 0,
      to_block: 99,
      blocks: 100,
      status: 'complete',
      status_rank: 1,
      reason: '',
      head: 1000,
      read_at: '2023-11-14T22:13:20.000Z',
    },
    {
      list: 1,
      endpoint: LIST.tokens,
      dataset: 'token_transfers',
      axis: 'primary',
      variant: 'isFromOrTo=from&protocolType=token_20',
      key_kind: 'address',
      side: 'from',
      scope: 'token_standard=token_20',
      key: '0xa',
      from_block: 5,
      to_block: 9,
      blocks: 5,
      status: 'truncated',
      status_rank: 3,
      reason: 'too many records in one block',
      head: 1000,
      read_at: '2023-11-14T22:13:20.000Z',
    },
    expect.objectContaining({ endpoint: LIST.transactions, key: '0xb' }),
  ]);
  expect(
    await small.rows(
      'SELECT list, endpoint, list_kind, endpoint_rank FROM lake.lists ORDER BY ALL',
    ),
  ).toEqual([
    [1, LIST.tokens, 'ranged', 1],
    [2, LIST.transactions, 'ranged', 1],
  ]);
  expect(
    await small.rows(
      `SELECT key, side, scope, from_block, to_block, status FROM lake.reach
       WHERE key = '0xa' ORDER BY ALL`,
    ),
  ).toEqual([
    ['0xa', 'from', '', 0, 99, 'complete'],
    ['0xa', 'from', 'token_standard=token_20', 5, 9, 'truncated'],
    ['0xa', 'to', '', 0, 99, 'complete'],
  ]);
  expect(
    await small.rows('SELECT * EXCLUDE (bytes), bytes > 0 FROM lake.tables ORDER BY ALL'),
  ).toEqual([
    ['MAINCHAIN', 'token_transfers', 0, 0, 0, false],
    ['MAINCHAIN', 'transactions', 0, 1, 1, true],
  ]);
});

test('tables of the zone chain are those of its own folder', async () => {
  await small.land(LIST.zoneTransactions, { keys: [''], records: [zoneTransaction()] });
  await small.publish();
  expect(await small.rows('SELECT chain, dataset, rows FROM lake.tables')).toEqual([
    ['ZONECHAIN', 'zone_transactions', 1],
  ]);
  expect(await small.rows('SELECT tx_hash FROM zone_transactions')).toEqual([['0x2e01']]);
});

test('a data root named relative to the working directory is found from any other', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const other = await SmallLake.open(relative(process.cwd(), small.root));
  await other.publish();
  other.lake.close();
  const [[sql]] = (await small.rows(
    "SELECT sql FROM duckdb_views() WHERE schema_name = 'files' AND view_name = 'transactions'",
  )) as [[string]];
  expect(sql).toContain(`'${small.root}/lake/MAINCHAIN/transactions/part-`);
  expect(await small.rows(HASHES)).toEqual([['0x01']]);
});

test('the new file is synced before it takes the name, and the folder after', async () => {
  const done: string[] = [];
  const disk: Disk = {
    ...localDisk,
    sync: async (path) => {
      done.push(`sync ${path.replace(/^.*\/staging\/test\/warehouse-.*$/, 'staged')}`);
      await localDisk.sync(path);
    },
    rename: async (from, to) => {
      done.push(`rename to ${to}`);
      await localDisk.rename(from, to);
    },
    syncFolder: async (path) => {
      done.push(`sync folder ${path}`);
      await localDisk.syncFolder(path);
    },
  };
  await disk.makeFolder(small.lake.layout.stagingOf('test'));
  done.length = 0;
  await publishWarehouse({ lake: small.lake, effects: quietEffects(), disk });
  expect(done).toEqual([
    'sync staged',
    `rename to ${small.lake.layout.warehouse}`,
    `sync folder ${small.root}`,
  ]);
});

test('a build that fails leaves the old warehouse as it was, and nothing beside it', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const { path } = await small.publish();
  const before = await readFile(path);
  await small.land(LIST.transactions, {
    keys: ['0xa'],
    from: 100,
    to: 199,
    records: [transaction({ txId: '0x02', height: '150' })],
  });
  const table = small.lake.table('transactions');
  for (const file of table.paths(await table.snapshot())) await rm(file);
  await expect(small.publish()).rejects.toMatchObject({
    name: 'Fault',
    kind: 'lake',
    message: expect.stringContaining('No files found'),
  });
  expect((await readFile(path)).equals(before)).toBe(true);
  expect(await readdir(small.lake.layout.staging)).not.toContainEqual(
    expect.stringContaining('warehouse'),
  );
});

test('a log that was left beside the old warehouse is not taken for one of the new', async () => {
  await small.publish();
  const wal = `${layout(small.root).warehouse}.wal`;
  await writeFile(wal, 'left by somebody who wrote to the warehouse');
  await small.publish();
  await expect(readFile(wal)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await small.rows(HASHES)).toEqual([]);
});

test('publishing leaves no file but curated tables and the warehouse', async () => {
  await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
  await small.publish();
  expect((await readdir(small.root)).sort()).toEqual([
    'curated',
    'lake',
    'staging',
    'warehouse.duckdb',
  ]);
  expect(await readdir(small.lake.layout.staging)).not.toContainEqual(
    expect.stringContaining('warehouse'),
  );
});
