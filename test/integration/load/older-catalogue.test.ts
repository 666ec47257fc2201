import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { columnNames } from '../../../src/land/delta/actions.ts';
import { EMPTY_LOG, sealed } from '../../../src/land/delta/log-entry.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { sha256Of } from '../../../src/land/storage/parquet.ts';
import { verifyLake } from '../../../src/land/verify/verify-lake.ts';
import { LIST, SmallLake, transaction } from '../../fixtures/load-lake.ts';
import { withoutColumn } from '../../fixtures/older-files.ts';

/**
 * Goal: a column that the catalogue gains appears in tables of an older windrow, without a request.
 */

let small: SmallLake;

beforeEach(async () => {
  const older = await SmallLake.open();
  const records = [transaction({ methodId: '0xaa' }), transaction({ txId: '0x02', height: '60' })];
  await older.land(LIST.transactions, { keys: ['0xa'], records });
  await forgetColumn(older, 'method_id');
  small = await SmallLake.open(older.root);
  older.lake.close();
});
afterEach(() => small.close());

const log = (root: string, version: number): string =>
  join(root, `lake/MAINCHAIN/transactions/_delta_log/${String(version).padStart(20, '0')}.json`);

interface Line {
  add?: { path: string; size: number; tags: Record<string, string> };
  commitInfo?: { seal?: unknown };
  metaData?: { schemaString: string };
}

/** Makes the table of one commit that of a windrow whose catalogue lacked the column. */
async function forgetColumn({ root, lake }: SmallLake, column: string): Promise<void> {
  const table = lake.table('transactions');
  const [path = ''] = table.paths(await table.snapshot());
  await withoutColumn(path, column);
  const text = await readFile(log(root, 0), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  for (const { add, commitInfo, metaData } of lines) {
    delete commitInfo?.seal;
    if (add !== undefined) {
      add.size = (await stat(path)).size;
      add.tags['windrow.sha256'] = await sha256Of(path);
    }
    if (metaData === undefined) continue;
    const schema: { fields: { name: string }[] } = JSON.parse(metaData.schemaString);
    schema.fields = schema.fields.filter(({ name }) => name !== column);
    metaData.schemaString = JSON.stringify(schema);
  }
  const entry = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  await writeFile(log(root, 0), sealed(entry, EMPTY_LOG));
}

/** Columns of the table for programs that read its log. */
async function columnsIn(version: number): Promise<string[]> {
  const text = await readFile(log(small.root, version), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  const [schema] = lines.flatMap(({ metaData }) => metaData?.schemaString ?? []);
  return schema === undefined ? [] : columnNames(schema);
}

const IN_ALL = `SELECT r.tx_hash, r.method_id, c.method_id AS curated, t.method_id AS shown
  FROM lake.transactions r JOIN curated.transactions c USING (tx_hash)
  JOIN transactions t USING (tx_hash) ORDER BY ALL`;

test('it is NULL in the rows that are there, for readers of the log too', async () => {
  expect(await columnsIn(0)).not.toContain('method_id');
  await small.publish();
  expect(await small.rows(IN_ALL)).toEqual([
    ['0x01', null, null, null],
    ['0x02', null, null, null],
  ]);
  expect(await columnsIn(1)).toContain('method_id');
  expect((await verifyLake(small.root, localDisk)).damages).toEqual([]);
});

test('it is added once', async () => {
  await small.publish();
  await small.publish();
  expect((await small.lake.table('transactions').snapshot()).version).toBe(1);
});

test('it has values in rows that land later, beside rows that are copied', async () => {
  await small.publish();
  const records = [transaction({ txId: '0x03', methodId: '0xbb' })];
  await small.land(LIST.transactions, { keys: ['0xa'], to: 50, records });
  await small.publish();
  expect(await small.rows(IN_ALL)).toEqual([
    ['0x02', null, null, null],
    ['0x03', '0xbb', '0xbb', '0xbb'],
  ]);
});

test('it comes with the first commit of a run, if that is before a publication', async () => {
  const records = [transaction({ txId: '0x03', methodId: '0xbb', from: '0xc' })];
  await small.land(LIST.transactions, { keys: ['0xc'], records });
  expect(await columnsIn(1)).toContain('method_id');
});
