import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLake } from '../../../../src/land/lake.ts';
import { openReport } from '../../../../src/land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { withWarehouseAsOf } from '../../../../src/load/as-of.ts';
import { query } from '../../../../src/load/query/query.ts';
import { parseAsOf } from '../../../../src/run/lake/as-of.ts';
import { LIST, SmallLake, transaction, transfer } from '../../../fixtures/load-lake.ts';
import { withoutColumn } from '../../../fixtures/older-files.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { whenOver } from '../../../fixtures/when-over.ts';

/** Goal: an answer as of a time is the one that the lake gave then, or an error. */

let small: SmallLake;
let nowMs = 0;
let notes: string[] = [];

beforeEach(async () => {
  small = await SmallLake.open(undefined, quietEffects({ now: () => nowMs }));
  notes = [];
});
afterEach(() => small.close());

const land = (key: string, txId: string): Promise<void> =>
  small.land(LIST.transactions, { keys: [key], records: [transaction({ txId, from: key })] });

/** A day of the year 2023 [ms]. */
const day = (number: number): number => Date.UTC(2023, 0, number);

async function asOf(
  moment: number | string,
  sql: string,
  disk: Disk = localDisk,
): Promise<unknown[][]> {
  const { root, lake: newest } = small;
  const now = { lake: newest, disk, nowMs: day(10) };
  const asOf = typeof moment === 'number' ? { ms: moment } : await parseAsOf(moment, now);
  const chains = { primary: 'MAINCHAIN', zone: 'ZONECHAIN' };
  const options = { root, chains, run: 'load', effects: quietEffects(), disk, asOfMs: asOf.ms };
  const lake = await openLake(options);
  const note = (text: string): void => void notes.push(text);
  whenOver(() => lake.close());
  return await withWarehouseAsOf({ lake, newest, asOf, disk, note }, async (path) => {
    const { rows } = await query(path, sql, { root: lake.layout.root });
    return rows.map((row) => Object.values(row));
  });
}

const HASHES = 'SELECT tx_hash FROM transactions ORDER BY ALL';

async function fill(): Promise<void> {
  nowMs = day(1);
  await land('0xa', '0x01');
  await small.publish();
  nowMs = day(2);
  // A record that the list has no more is replaced: its file leaves the table.
  await land('0xa', '0x02');
  await small.publish();
  nowMs = day(3);
  await small.land(LIST.tokens, { keys: ['0xa'], records: [transfer({ from: '0xa' })] });
  await small.publish();
}

test('rows, curated rows and coverage are those of the newest versions of the time', async () => {
  await fill();
  expect(await asOf(day(1), HASHES)).toEqual([['0x01']]);
  expect(await asOf(day(2) - 1, HASHES)).toEqual([['0x01']]);
  expect(await asOf(day(2), HASHES)).toEqual([['0x02']]);
  expect(await asOf(day(2), 'SELECT tx_hash FROM lake.transactions')).toEqual([['0x02']]);
  const datasets = 'SELECT DISTINCT dataset FROM coverage ORDER BY ALL';
  expect(await asOf(day(2), datasets)).toEqual([['transactions']]);
  expect(await asOf(day(9), datasets)).toEqual([['token_transfers'], ['transactions']]);
  expect(await asOf(day(9), HASHES)).toEqual(await small.rows(HASHES));
  expect(notes).toEqual([]);
  expect(await readdir(join(small.root, 'staging', 'load'))).toEqual([]);
});

test('a curated table of an older windrow has NULL in the columns that came later', async () => {
  await fill();
  const folder = join(small.root, 'curated', 'MAINCHAIN', 'transactions');
  for (const name of await readdir(folder)) {
    if (name.endsWith('.parquet')) await withoutColumn(join(folder, name), 'gas_limit');
  }
  expect(await asOf(day(1), 'SELECT tx_hash, gas_limit FROM transactions')).toEqual([
    ['0x01', null],
  ]);
});

test('a lake that was not there yet gives no empty answer', async () => {
  await fill();
  await expect(asOf(day(1) - 1, HASHES)).rejects.toMatchObject({
    kind: 'usage',
    message: 'The lake had no rows at 2022-12-31T23:59:59.999Z.',
  });
});

test('a time in the middle of a run is answered with a note', async () => {
  await fill();
  nowMs = day(4);
  await land('0xa', '0x03');
  nowMs = day(5);
  await small.publish();
  expect(await asOf(day(4), 'SELECT tx_hash FROM lake.transactions')).toEqual([['0x03']]);
  expect(await asOf(day(4), HASHES)).toEqual([['0x02']]);
  const note =
    'A run was under way at 2023-01-04T00:00:00.000Z: the tables of schema lake had rows that ' +
    'others lacked.';
  expect(notes).toEqual([note, note]);
});

test('a curated table that was computed again later gives no empty answer', async () => {
  await fill();
  await rm(join(small.root, 'curated', 'MAINCHAIN', 'transactions'), { recursive: true });
  nowMs = day(4);
  await small.publish();
  const noVersion = /curated.transactions has no version as of 2023-01-02T00:00:00.000Z/;
  await expect(asOf(day(2), HASHES)).rejects.toThrow(noVersion);
  expect(await asOf(day(2), 'SELECT tx_hash FROM lake.transactions')).toEqual([['0x02']]);
  expect(await asOf(day(4), HASHES)).toEqual([['0x02']]);
  expect(notes).toEqual([]);
});

test('views whose files were removed fail, also where no column is read', async () => {
  await fill();
  const { files } = await small.lake.table('transactions').snapshot();
  const folder = join(small.root, 'lake', 'MAINCHAIN', 'transactions');
  for (const name of await readdir(folder)) {
    if (name.endsWith('.parquet') && !files.has(name)) await rm(join(folder, name));
  }
  const removed =
    'Files of lake.transactions as of 2023-01-01T00:00:00.000Z were deleted after their ' +
    'retention; it has all files from 2023-01-02T00:00:00.000Z on.';
  for (const sql of ['FROM lake.transactions', 'SELECT count(*) FROM lake.transactions']) {
    await expect(asOf(day(1), sql)).rejects.toMatchObject({ kind: 'query', message: removed });
  }
  expect(await asOf(day(1), HASHES)).toEqual([['0x01']]);
  expect(await asOf(day(2), 'SELECT tx_hash FROM lake.transactions')).toEqual([['0x02']]);
});

test('a missing file that the newest version needs is not taken for a deleted one', async () => {
  await fill();
  const folder = join(small.root, 'lake', 'MAINCHAIN', 'transactions');
  for (const name of await readdir(folder)) {
    if (name.endsWith('.parquet')) await rm(join(folder, name));
  }
  await expect(asOf(day(2), HASHES)).rejects.toThrow('IO Error: No files found');
});

test('a version of a raw table counts until the next one', async () => {
  await fill();
  expect(await asOf('transactions@0', HASHES)).toEqual([['0x01']]);
  expect(await asOf('lake.transactions@1', HASHES)).toEqual([['0x02']]);
  const refused = [
    ['transaction@0', '--as-of names a raw table that the lake does not have: transaction.'],
    ['transactions@2', 'lake.transactions has no version 2 (--as-of).'],
    ['12', '--as-of is not a time (12).'],
  ];
  for (const [text = '', message] of refused) {
    await expect(asOf(text, HASHES)).rejects.toMatchObject({ kind: 'usage', message });
  }
  nowMs = day(4);
  await land('0xa', '0x03');
  await small.publish();
  const transfers = 'SELECT count(*)::INT FROM token_transfers';
  expect(await asOf('transactions@1', `SELECT tx_hash, (${transfers}) FROM transactions`)).toEqual([
    ['0x02', 1],
  ]);
  // The clock of a writer goes back.
  nowMs = day(1) + 1;
  await land('0xa', '0x04');
  await expect(asOf('transactions@2', HASHES)).rejects.toMatchObject({
    kind: 'usage',
    message: 'lake.transactions had version 0 at 2023-01-01T00:00:00.000Z, not 2 (--as-of).',
  });
});

test('the end of a run is the time of its report', async () => {
  await fill();
  const [ended, open] = ['20230102T000000Z-aaaaaa', '20230103T000000Z-bbbbbb'];
  const report = { pipeline: 'p', startedAt: new Date(day(1)).toISOString() };
  const endedAt = new Date(day(2) - 1).toISOString();
  await openReport(small.lake.layout, localDisk, ended, JSON.stringify({ ...report, endedAt }));
  await openReport(small.lake.layout, localDisk, open, JSON.stringify(report));
  expect(await asOf(ended, HASHES)).toEqual([['0x01']]);
  await expect(asOf(open, HASHES)).rejects.toMatchObject({
    message: `--as-of cannot be the end of run ${open}, which has no end.`,
  });
  await expect(asOf('20230103T000000Z-cccccc', HASHES)).rejects.toMatchObject({
    message: '--as-of cannot be the end of run 20230103T000000Z-cccccc, which has no report.',
  });
});
