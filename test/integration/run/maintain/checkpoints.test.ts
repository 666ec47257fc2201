import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { verifyLake } from '../../../../src/land/verify/verify-lake.ts';
import { planCheckpoints, renewCheckpoints } from '../../../../src/run/maintain/checkpoints.ts';
import { maintainedTables } from '../../../../src/run/maintain/tables.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../../fixtures/load-lake.ts';

/**
 * Goal: maintenance replaces every damaged checkpoint by one from the log, which other programs can
 * begin with, and leaves those that may show a loss of the log.
 */

const small = freshLake(beforeEach);
let log = '';
beforeEach(async () => {
  await land(1);
  const { stored } = small.lake.table('transactions');
  log = join(stored.folder, '_delta_log');
  await stored.renewCheckpoint();
  await land(2);
});

async function land(height: number): Promise<void> {
  const records = [transaction({ txId: `0x${height}`, height: `${height}` })];
  await small.land(LIST.transactions, { keys: ['0xa'], from: height, to: height, records });
}

const nameOf = (version: number): string =>
  `${String(version).padStart(20, '0')}.checkpoint.parquet`;

const last = (): string => join(log, '_last_checkpoint');

async function planned(): Promise<string[]> {
  const plans = await planCheckpoints(await maintainedTables(small.lake), localDisk);
  return plans.flatMap(({ table, damaged, isRenewed }) => {
    return damaged.map(
      ({ path, what }) => `${table}${path.slice(log.length)} ${what}, ${isRenewed}`,
    );
  });
}

async function renew(disk: Disk = localDisk): Promise<number> {
  const plans = await planCheckpoints(await maintainedTables(small.lake), disk);
  return renewCheckpoints(plans, { lake: small.lake, disk });
}

const TABLE = 'lake/MAINCHAIN/transactions';

test('whole checkpoints, and those of other programs, stay', async () => {
  expect(await planned()).toEqual([]);
  await writeFile(last(), '{"version":0,"size":4}');
  expect(await planned()).toEqual([]);
  expect(await renew()).toBe(0);
});

async function expectRenewed(): Promise<void> {
  expect(await renew()).toBe(1);
  expect((await verifyLake(small.root, localDisk)).damages).toEqual([]);
  expect(JSON.parse(await readFile(last(), 'utf8'))).toMatchObject({ version: 1 });
  expect(await planned()).toEqual([]);
}

describe('a new checkpoint of the newest version replaces one', () => {
  test('with changed bytes, which is kept in the folder of damaged files', async () => {
    await writeFile(join(log, nameOf(0)), 'x');
    const what = 'was changed after it was written';
    expect(await planned()).toEqual([`${TABLE}/${nameOf(0)} ${what}, true`]);
    await expectRenewed();
    expect((await readdir(log)).filter((name) => name.endsWith('.parquet'))).toEqual([nameOf(1)]);
    const aside = join(small.root, 'damaged', 'test', TABLE, '_delta_log', nameOf(0));
    expect(await readFile(aside, 'utf8')).toBe('x');
  });

  test('that is missing', async () => {
    await rm(join(log, nameOf(0)));
    expect(await planned()).toEqual([`${TABLE}/${nameOf(0)} is missing, true`]);
    await expectRenewed();
  });

  test('whose name cannot be read', async () => {
    await writeFile(last(), 'no JSON');
    expect(await planned()).toEqual([`${TABLE}/_last_checkpoint cannot be read, true`]);
    await expectRenewed();
  });

  test('that a log needs whose first entries have expired', async () => {
    await small.lake.table('transactions').stored.renewCheckpoint();
    for (const version of [0, 1]) await rm(join(log, nameOf(version)));
    for (const path of [last(), join(log, '00000000000000000000.json')]) await rm(path);
    expect(await planned()).toEqual([
      `${TABLE}/_last_checkpoint is missing: other programs need it, because the first entries ` +
        'have expired, true',
    ]);
    await expectRenewed();
  });
});

test('one that is newer than the log stays: the log may have lost its newest entries', async () => {
  await rm(join(log, '00000000000000000001.json'));
  await writeFile(last(), '{"version":1,"size":4}');
  await writeFile(join(log, nameOf(0)), 'x');
  small.lake.close();
  await small.reopen(small.root);
  const what = 'is newer than the log, whose last version is 0';
  expect(await planned()).toEqual([`${TABLE}/_last_checkpoint ${what}, false`]);
  expect(await renew()).toBe(0);
  expect(await readFile(last(), 'utf8')).toBe('{"version":1,"size":4}');
});

test('a disk that refuses it is a fault', async () => {
  await writeFile(join(log, nameOf(0)), 'x');
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const disk: Disk = { ...localDisk, rename: () => Promise.reject(full) };
  await expect(renew(disk)).rejects.toBeInstanceOf(Fault);
});
