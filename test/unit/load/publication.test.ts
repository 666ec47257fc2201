import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { publishWarehouse } from '../../../src/load/warehouse.ts';
import { SmallLake, TOKEN_20, TOKENS, transfer } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
  await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
  await small.publish();
});

afterEach(() => small.close());

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
  await small.land(TOKENS, {
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

test('a warehouse that cannot be read is replaced', async () => {
  const { warehouse } = small.lake.layout;
  await writeFile(warehouse, 'no database');
  await publishIfMoved();
  expect(await small.rows(TRANSFERS)).toEqual([[1]]);
});

test('a table that another one of the same version replaced is shown', async () => {
  const other = await SmallLake.open();
  const rows = [transfer(), transfer({ txId: '0x02' })];
  await other.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: rows });
  const folder = await folderOf(small);
  await rename(folder, `${folder}.old`);
  await rename(await folderOf(other), folder);
  const reopened = await SmallLake.open(small.root);
  await publishIfMoved(reopened);
  expect(await small.rows('SELECT count(*) FROM lake.token_transfers')).toEqual([[2]]);
  reopened.lake.close();
  await other.close();
});

async function folderOf({ lake }: SmallLake): Promise<string> {
  const table = lake.table('token_transfers');
  return dirname(table.paths(await table.snapshot())[0] ?? '');
}
