import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { markRoot } from '../../../../../src/land/data-root.ts';
import { takeLock } from '../../../../../src/land/lock/lock.ts';
import { localDisk } from '../../../../../src/land/storage/disk.ts';
import { windrow } from '../../../../e2e/command-line.ts';
import {
  LIST,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
} from '../../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: both verbs print their plan before they change a file, and --dry-run changes none. */

const A = `0x${'a'.repeat(40)}`;

let root = '';
beforeEach(async () => {
  root = await freshFolder();
  await markRoot(root, '0.1.0', localDisk);
  const small = await SmallLake.open(root);
  for (let height = 0; height < 4; height += 1) {
    const records = [transaction({ txId: `0x${height}`, height: `${height}`, from: A })];
    await small.land(LIST.transactions, { keys: [A], from: height, to: height, records });
  }
  small.lake.close();
});

/** A pipeline that takes hashes from transactions alone; it does not read its address file. */
const lookingUp = (chain: string): string => `version: 1
name: looking-up
source: { url: "http://127.0.0.1:1", chain: ${chain}, credentials: none }
keys: { addresses: { file: absent.csv }, found: { from: [transactions] } }
datasets:
  transactions:
    - { endpoint: ${LIST.transactions}, keys: addresses }
    - { endpoint: ${LIST.transactionsByHash}, keys: found }
`;

const run = (...args: string[]) => windrow([...args, '--data', root]);

async function dataFiles(): Promise<string[]> {
  const names = await readdir(join(root, 'lake'), { recursive: true });
  return names.filter((name) => name.endsWith('.parquet')).sort();
}

describe('windrow maintain', () => {
  test('prints its plan, and then its work', async () => {
    const before = await dataFiles();
    const planned = await run('maintain', '--dry-run');
    expect(planned.stdout).toMatch(
      /^lake\/MAINCHAIN\/transactions: merge 4 files into 1 \(4 rows, \d+ KiB\)\.\n$/,
    );
    expect(await dataFiles()).toEqual(before);
    const { code, stdout } = await run('maintain');
    expect(code).toBe(0);
    expect(stdout).toBe(`${planned.stdout}Maintenance: 4 files merged into 1.\n`);
    // Those of the coverage table are new.
    const left = (await dataFiles()).filter((name) => name.includes('transactions'));
    expect(left).toHaveLength(before.length + 1);
    const deleted = await run('maintain', '--retain', '0d');
    expect(deleted.stdout).toMatch(/transactions: delete 4 replaced files \(\d+ KiB\)\./);
    expect(deleted.stdout).toMatch(/Maintenance: 4 files \(\d+ KiB\) deleted\.\n$/);
    expect((await run('maintain')).stdout).toBe('Nothing to maintain.\n');
    expect(await readdir(join(root, 'staging'))).toEqual(['test']);
  });

  test('leaves nothing to a second call without retention', async () => {
    await run('maintain', '--retain', '0d');
    const small = await SmallLake.open(root);
    for (let height = 4; height < 8; height += 1) {
      const records = [transaction({ txId: `0x${height}`, height: `${height}`, from: A })];
      await small.land(LIST.transactions, { keys: [A], from: height, to: height, records });
    }
    small.lake.close();
    const { stdout } = await run('maintain', '--retain', '0d');
    // Publishing replaces a file of the coverage table, and one of two curated tables.
    expect(stdout).toMatch(
      /transactions: .*; delete 5 replaced files .*\nMaintenance: .*, 8 files/,
    );
    expect((await run('maintain', '--retain', '0d')).stdout).toBe('Nothing to maintain.\n');
  });

  test('names a missing file, also where the warehouse cannot be published without it', async () => {
    const [missing = ''] = await dataFiles();
    await rm(join(root, 'lake', missing));
    const { code, stdout } = await run('maintain');
    expect(code).toBe(1);
    expect(stdout).toContain(`Not merged: ${join(root, 'lake', missing)}: the file is missing.`);
  });

  test('writes a new checkpoint where the newest one is damaged', async () => {
    const small = await SmallLake.open(root);
    const { stored } = small.lake.table('transactions');
    await stored.snapshot();
    await stored.renewCheckpoint();
    small.lake.close();
    const log = join(stored.folder, '_delta_log');
    const path = join(log, '00000000000000000003.checkpoint.parquet');
    await writeFile(path, 'x');
    const planned = await run('maintain', '--dry-run');
    expect(planned.stdout).toContain(
      'lake/MAINCHAIN/transactions: write a new checkpoint, because ' +
        `${path}: the checkpoint was changed after it was written.\n`,
    );
    expect(await readFile(path, 'utf8')).toBe('x');
    const { code, stdout } = await run('maintain');
    expect(code).toBe(0);
    expect(stdout).toContain('Maintenance: 1 checkpoint written, 4 files merged into 1.');
    const verified = await run('verify');
    expect([verified.code, verified.stdout.includes('DAMAGED')]).toEqual([0, false]);
    const last = join(log, '_last_checkpoint');
    await writeFile(last, '{"version":9,"size":4}');
    const left = await run('maintain');
    const what = 'the checkpoint is newer than the log, whose last version is 4';
    expect([left.code, left.stdout]).toEqual([
      1,
      `Not mended: ${last}: ${what}. Run: windrow verify --data ${root}\n`,
    ]);
  });

  test('prints one document with --json', async () => {
    const { stdout } = await run('maintain', '--json', '--retain', '0d');
    const { plan, done, exitCode } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(plan.tables[0].merges[0]).toMatchObject({
      rows: 4,
      source: { endpoint: LIST.transactions },
    });
    expect(plan.tables[0].expired).toHaveLength(4);
    expect(plan.checkpoints).toEqual([]);
    expect(done).toMatchObject({
      checkpoints: 0,
      merges: { merged: 4, written: 1 },
      deletes: { files: 4 },
    });
  });

  test.each([
    ['--retain', 'soon', '--retain is not a duration (soon).'],
    ['--retain', '9999d', 'Give a whole number and a unit, up to 3650 days'],
    ['--file-rows', '10', '--file-rows is out of range (10)'],
  ])('refuses %s %s', async (option, value, message) => {
    const { code, stderr } = await run('maintain', option, value);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('waits for no other run', async () => {
    const lock = await takeLock(join(root, 'state', 'lock'), quietEffects());
    try {
      expect((await run('maintain')).code).toBe(5);
      expect((await run('maintain', '--dry-run')).code).toBe(0);
    } finally {
      await lock.release();
    }
  });
});

describe('windrow forget', () => {
  test('prints its plan, and removes the rows', async () => {
    const planned = await run('forget', A.toUpperCase().replace('0X', '0x'), '--dry-run');
    expect(planned.stdout).toBe(`transactions, ${LIST.transactions}, blocks 0 to 3: 4 rows\n`);
    const { code, stdout } = await run('forget', A);
    expect(code).toBe(0);
    expect(stdout).toContain('Forgotten: 4 rows.');
    expect((await run('forget', A)).stdout).toBe(`The lake knows nothing of ${A}.\n`);
    const rows = await run('query', 'SELECT count(*) AS n FROM lake.transactions', '--json');
    expect(JSON.parse(rows.stdout)).toEqual([{ n: 0 }]);
  });

  test('prints one document with --json', async () => {
    const { stdout } = await run('forget', A, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 4,
      plan: { address: A, hashes: ['0x0', '0x1', '0x2', '0x3'] },
    });
  });

  test('takes the rule for look-ups from pipelines', async () => {
    const small = await SmallLake.open(root);
    const B = `0x${'b'.repeat(40)}`;
    const results = transaction({ txId: '0x1', height: '1', from: A });
    await small.land(LIST.transactionsByHash, { keys: ['0x1'], records: [results] });
    await small.land(LIST.tokens, {
      keys: [B],
      params: TOKEN_20,
      records: [transfer({ txId: '0x1', height: '1', from: A, to: B })],
    });
    small.lake.close();
    const kept = `  transactions, ${LIST.transactionsByHash}: 1 hash\n`;
    const without = await run('forget', A, '--dry-run');
    expect(without.stdout).toContain(kept);
    expect(without.stderr).toContain('name all pipelines of the lake');
    const undecided = await run('forget', A);
    expect([undecided.code, undecided.stdout]).toEqual([2, without.stdout]);
    expect(undecided.stderr).toContain('To leave them, add an option. Run: windrow forget');
    const files = await Promise.all(
      ['MAINCHAIN', 'OTHER'].map(async (chain) => {
        const file = join(root, `${chain}.yaml`);
        await writeFile(file, lookingUp(chain));
        return file;
      }),
    );
    const [parts = '', other = ''] = files;
    const planned = await run('forget', A, parts, parts, '--dry-run');
    expect(planned.stdout).toContain(`  transactions, ${LIST.transactionsByHash}: 1 row\n`);
    expect([planned.stdout.includes(kept), planned.stderr]).toEqual([false, '']);
    const refused = await run('forget', A, parts, other, '--dry-run');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('The pipeline requests OTHER, and the lake has MAINCHAIN.');
    const { code, stdout } = await run('forget', A, '--keep-look-ups');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Forgotten: 4 rows.')]);
  });

  test('names the pipelines that would fetch the address again', async () => {
    const file = join(root, 'own.yaml');
    const texts = [A, `0x${'b'.repeat(40)}`].map((address) =>
      lookingUp('MAINCHAIN').replace('{ file: absent.csv }', `{ list: ["${address}"] }`),
    );
    const notes: string[] = [];
    for (const text of texts) {
      await writeFile(file, text);
      notes.push((await run('forget', A, file, '--dry-run')).stderr);
    }
    expect(notes).toEqual([expect.stringContaining(`${file} still requests this address: `), '']);
  });

  test('refuses a text that is no address', async () => {
    const { code, stderr } = await run('forget', '0x12');
    expect([code, stderr]).toEqual([2, expect.stringContaining('"0x12" is not an address.')]);
  });
});
