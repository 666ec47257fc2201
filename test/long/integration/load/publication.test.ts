import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { curate } from '../../../../src/curate/curate.ts';
import { COVERAGE } from '../../../../src/land/coverage-index.ts';
import { keepNames } from '../../../../src/land/names.ts';
import { decodePending, pendingRows } from '../../../../src/land/rows/pending-rows.ts';
import { openConnection, openDatabase } from '../../../../src/land/storage/connection.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { hasOtherViews } from '../../../../src/load/query/publication.ts';
import { publishWarehouse } from '../../../../src/load/warehouse.ts';
import { warehouseContent } from '../../../../src/load/warehouse-content.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { listed } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { LIST, SmallLake, TOKEN_20, transaction, transfer } from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { lengthened } from '../../../fixtures/short-addresses.ts';

const small = freshLake(beforeEach);

beforeEach(async () => {
  await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
  await small.publish();
});

const TRANSFERS = 'SELECT count(*) AS n FROM token_transfers';

async function publishIfMoved({ lake } = small): Promise<void> {
  await publishWarehouse({
    lake,
    effects: quietEffects(),
    disk: localDisk,
    ifMoved: true,
  });
}

async function fileNumber(): Promise<number> {
  return (await stat(small.lake.layout.warehouse)).ino;
}

test('a warehouse that shows the newest versions stays as it is', async () => {
  const before = await fileNumber();
  await publishIfMoved();
  expect(await fileNumber()).toBe(before);
  await small.publish();
  expect(await fileNumber()).not.toBe(before);
});

test('after a commit there is a new warehouse, which shows it', async () => {
  await small.land(LIST.tokens, {
    keys: ['0xc'],
    params: TOKEN_20,
    records: [transfer({ from: '0xc' })],
  });
  await publishIfMoved();
  expect(await small.rows(TRANSFERS)).toEqual([[2]]);
});

test('a finished run appears, and all else stays', async () => {
  const { runs } = small.lake.layout;
  await mkdir(runs, { recursive: true });
  await writeFile(join(runs, 'first.json'), 'not a report');
  await publishIfMoved();
  expect(await small.rows('SELECT run FROM runs')).toEqual([['first']]);
  expect(await small.rows(TRANSFERS)).toEqual([[1]]);
  const before = await fileNumber();
  await publishIfMoved();
  expect(await fileNumber()).toBe(before);
});

test('a view or macro that another program changed is noticed until the next build', async () => {
  const { layout } = small.lake;
  const change = async (sql: string): Promise<void> => {
    const instance = await openDatabase(layout.warehouse);
    const connection = await openConnection(instance);
    await connection.run(sql);
    connection.closeSync();
    instance.closeSync();
  };
  for (const sql of [
    'CREATE OR REPLACE VIEW token_transfers AS SELECT 1 AS n',
    'CREATE VIEW another AS SELECT 1 AS n',
    'CREATE MACRO another_macro(n) AS n + 1',
  ]) {
    expect(await hasOtherViews(layout.warehouse), `before ${sql}`).toBe(false);
    await change(sql);
    expect(await hasOtherViews(layout.warehouse), sql).toBe(true);
    await mkdir(layout.runs, { recursive: true });
    const startedAt = '2026-01-01T00:00:00Z';
    const report = { run: 'r', pipeline: sql, startedAt, endedAt: startedAt, exitCode: 0 };
    await writeFile(layout.reportOf('r'), JSON.stringify(report));
    await publishIfMoved();
    // The new list of runs does not prove the views.
    expect(await hasOtherViews(layout.warehouse), sql).toBe(true);
    await small.publish();
  }
});

test('a warehouse that cannot be read is replaced', async () => {
  const { warehouse } = small.lake.layout;
  await writeFile(warehouse, 'no database');
  await publishIfMoved();
  expect(await small.rows(TRANSFERS)).toEqual([[1]]);
});

describe('a warehouse is published again and shows', () => {
  const claim = {
    list: listNamed(LIST.ownTransactions),
    keys: [lengthened('0xa')],
    interval: { from: 0, to: 99 },
    status: 'complete',
    reason: '',
    head: 1000,
    readAtMs: 1_700_000_000_000,
    generation: 0,
  } as const;

  test('coverage of heights without rows', async () => {
    // Heights without rows change no file of a raw or curated table.
    const paths = await pathsOf(small);
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 500, to: 599 });
    await publishIfMoved();
    expect(await pathsOf(small)).toEqual(paths);
    const shown = 'SELECT from_block, to_block FROM lake.coverage ORDER BY ALL';
    expect(await small.rows(shown)).toEqual([
      [0, 99],
      [500, 599],
    ]);
  });

  test('pending transactions alone', async () => {
    const parties = { from: lengthened('0xa'), to: lengthened('0xb') };
    const records = [
      { ...transaction({ gasUsed: '', txFee: '', ...parties }), height: '', state: 'pending' },
    ];
    const decoded = decodePending(claim.list, listed(claim.list.entry, records), claim.head);
    const rows = pendingRows('transactions', decoded, claim, { slice: 'test', run: 'test' });
    await small.lake.pending.get('transactions')?.add([{ claim, rows }]);
    await publishIfMoved();
    expect(await small.rows('SELECT tx_hash FROM pending_transactions')).toEqual([['0x01']]);
  });

  test('records in quarantine alone', async () => {
    const names = { id: '1', walk: 'w', run: 'test', slice: 's', dataset: 'transactions' } as const;
    const record = { reason: 'odd', raw: '{}', atMs: 0, axis: 'primary', occurrence: 1 } as const;
    await small.lake
      .quarantineOf('transactions')
      .add([{ ...names, ...record, claim: { ...claim.list, ...claim } }]);
    await publishIfMoved();
    expect(await small.rows('SELECT id, reason FROM quarantine')).toEqual([['1', 'odd']]);
  });

  test('labels alone', async () => {
    await keepNames(small.lake, { labels: new Map([['0xa', 'Anna']]) });
    await publishIfMoved();
    expect(await small.rows('SELECT address, label FROM lake.labels')).toEqual([['0xa', 'Anna']]);
  });

  test('curated tables that were computed again from the same rows', async () => {
    await curate({ lake: small.lake, effects: quietEffects(), disk: localDisk, isFull: true });
    await publishIfMoved();
    const { curated } = await contentOf(small);
    const [path] = curated.get('token_transfers') ?? [];
    const shown = "SELECT sql FROM duckdb_views() WHERE schema_name = 'curated_files'";
    expect(path).toBeDefined();
    expect(JSON.stringify(await small.rows(shown))).toContain(path);
  });

  test('the lake at its place after it was moved', async () => {
    await rename(small.root, `${small.root}-moved`);
    const moved = await SmallLake.open(`${small.root}-moved`);
    await publishIfMoved(moved);
    expect(await moved.rows(TRANSFERS)).toEqual([[1]]);
    await moved.close();
  });

  test('the views of another windrow', async () => {
    const digests = ['one', 'two'].map((name) => warehouseContent(small.lake, name));
    const [one, two] = await Promise.all(digests);
    expect(one?.lakeDigest).not.toBe(two?.lakeDigest);
  });
});

test('a table that another one of the same version replaced is shown', async () => {
  const other = await SmallLake.open();
  const rows = [transfer(), transfer({ txId: '0x02' })];
  await other.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: rows });
  expect(await shownAfter(other, 'SELECT count(*) FROM lake.token_transfers')).toEqual([[2]]);
});

test('coverage of a table that another one without rows replaced is shown', async () => {
  const other = await SmallLake.open();
  const between = { from: 5, to: 9 };
  await small.land(LIST.ownTransactions, { keys: ['0xa'] });
  await small.publish();
  await other.land(LIST.ownTransactions, { keys: ['0xa'], ...between });
  const shown = "SELECT from_block, to_block FROM lake.coverage WHERE dataset = 'transactions'";
  expect(await shownAfter(other, shown, 'transactions')).toEqual([[5, 9]]);
});

/** Replaces a table by that of another lake, publishes, and returns the answer of a query. */
async function shownAfter(
  other: SmallLake,
  sql: string,
  name = 'token_transfers',
): Promise<unknown[][]> {
  const [target, others] = [folderOf(small, name), folderOf(other, name)];
  await rename(target, `${target}.old`);
  await rename(others, target);
  const reopened = await SmallLake.open(small.root);
  await publishIfMoved(reopened);
  reopened.lake.close();
  await other.close();
  return small.rows(sql);
}

function folderOf({ lake }: SmallLake, name: string): string {
  return lake.layout.table(lake.chainOf(name), name);
}

function contentOf({ lake }: SmallLake) {
  return warehouseContent(lake, 'test');
}

/** Paths of the data files of all tables. */
async function pathsOf(lake: SmallLake): Promise<unknown[]> {
  const { files, curated } = await contentOf(lake);
  const ofRows = files.filter(({ name }) => name !== COVERAGE);
  return [ofRows.map(({ name, paths }) => [name, paths]), [...curated]];
}
