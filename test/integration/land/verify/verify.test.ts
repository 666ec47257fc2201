import { cp, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { datasetNamed } from '../../../../src/catalogue/index.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { linesOf, mended } from '../../../../src/land/delta/log-entry.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import {
  type Damage,
  type LakeVerification,
  verifyLake,
} from '../../../../src/land/verify/verify-lake.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';
import { shortened } from '../../../fixtures/short-addresses.ts';
import { lakeFiles } from '../../../model/corrupter.ts';

/** Goal: what proves each file of a lake, and what nothing proves, is told apart. */

const small = freshLake(beforeEach);
let folder = '';

beforeEach(async () => {
  folder = join(small.root, 'lake', 'MAINCHAIN', 'transactions');
});

/** Lands transactions of one block for an address, in a commit of their own. */
const land = (key: string, height: number): Promise<void> =>
  small.land(LIST.transactions, {
    keys: [key],
    from: height - 5,
    to: height + 5,
    records: [transaction({ txId: `0x${height}`, height: String(height), from: key })],
  });

const entryAt = (version: number): string =>
  join(folder, '_delta_log', `${String(version).padStart(20, '0')}.json`);

const verify = (): Promise<LakeVerification> => verifyLake(small.root, localDisk);
const damages = async (): Promise<readonly Damage[]> => shortened((await verify()).damages);

async function change(version: number, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(entryAt(version), 'utf8');
  expect(text).toMatch(from);
  await writeFile(entryAt(version), text.replace(from, to));
}

/** Writes a checkpoint, and removes the first entry. */
async function expire(): Promise<void> {
  await small.lake.table('transactions').stored.renewCheckpoint();
  await rm(entryAt(0));
}

/** Makes the entry one of a windrow that sealed none. */
async function unseal(version: number): Promise<void> {
  await change(version, /"seal":\{"before":"[0-9a-f]{64}","sha256":"[0-9a-f]{64}"\},/, '');
  await change(version, ',"sealed":true', '');
}

/** An entry of another program, which replaces a file by a copy of it. */
async function foreignEntry(version: number, name: string): Promise<void> {
  const [file] = [...(await small.lake.table('transactions').snapshot()).files.values()];
  if (file === undefined) throw new Error('there is no file');
  await cp(join(folder, file.path), join(folder, name));
  const lines = [
    { commitInfo: { operation: 'OPTIMIZE', engineInfo: 'another' } },
    { remove: { path: file.path, tags: { 'windrow.sha256': file.sha256 } } },
    { add: { path: name, size: file.sizeBytes, stats: '{"numRecords":1}' } },
  ];
  await writeFile(entryAt(version), lines.map((line) => JSON.stringify(line)).join('\n'));
}

describe('a sealed log', () => {
  beforeEach(async () => {
    for (const height of [10, 20, 30]) await land('0xa', height);
  });

  it.each([
    ['a time', /"timestamp":1/, '"timestamp":2'],
    ['a status', '"outcomes":[["complete"', '"outcomes":[["truncated"'],
    ['a height', '"rows":[[0,0,15,', '"rows":[[0,0,14,'],
    ['a key', ',0,1]]', ',1,1]]'],
    ['the size of a file', '"size":', '"size":1'],
  ])(
    'has an entry in which %s was changed: verify names it, and every fold refuses',
    async (...how) => {
      const [, from, to] = how;
      await change(1, from, to);
      expect((await damages()).map(({ path, kind }) => [path, kind])).toContainEqual([
        entryAt(1),
        'log entry',
      ]);
      const { heightColumn } = datasetNamed('transactions');
      await expect(new DeltaLog(localDisk, folder, heightColumn).refresh()).rejects.toMatchObject({
        kind: 'lake',
        where: entryAt(1),
        message: "The table's log is corrupt: the entry was changed after it was written.",
      });
    },
  );

  it('lets one changed bit be mended, wherever it is', async () => {
    const entry = await readFile(entryAt(2));
    for (const at of [0, 20, 40, 60, 110, 130, 200, 400, entry.length - 1]) {
      const copy = Buffer.from(entry);
      copy[at] = (copy[at] ?? 0) ^ 4;
      expect(mended(copy)?.equals(entry), `byte ${at}`).toBe(true);
    }
    const twice = Buffer.from(entry);
    twice.write('xy', 300);
    expect(mended(twice)).toBeUndefined();
    expect(mended(entry)).toBeUndefined();
  });

  it('has an entry that belongs to another log', async () => {
    await cp(entryAt(1), entryAt(2));
    expect((await damages()).map(({ path }) => path)).toContain(entryAt(2));
    const { heightColumn } = datasetNamed('transactions');
    const log = new DeltaLog(localDisk, folder, heightColumn);
    await expect(log.refresh()).rejects.toThrow('does not follow the entries before it');
  });

  it('is read past a file whose version no log reaches, and verify names that file', async () => {
    const stray = '99999999999999999999.json';
    await writeFile(join(folder, '_delta_log', stray), '{}');
    const { damages: results, tables } = await verify();
    expect(results).toEqual([]);
    expect(tables.map(({ log }) => log.strays)).toEqual([[stray]]);
    await land('0xa', 40);
    expect((await verify()).tables.map(({ log }) => log.newest)).toEqual([3]);
  });

  it('names the beginning of a gap that has no end', async () => {
    await writeFile(entryAt(Number.MAX_SAFE_INTEGER - 1), '{}');
    const results = (await damages()).map(({ version }) => version);
    expect([results[0], results.length, results.at(-1)]).toEqual([3, 100, 102]);
    const { heightColumn } = datasetNamed('transactions');
    const log = new DeltaLog(localDisk, folder, heightColumn);
    await expect(log.refresh()).rejects.toMatchObject({ kind: 'lake', where: entryAt(3) });
  });

  it('has an entry that is too large to be read: its size is named', async () => {
    const { heightColumn } = datasetNamed('transactions');
    const large = Buffer.alloc(600 * 2 ** 20);
    expect(() => linesOf(large)).toThrow(/^has 600 MiB, and the most that can be read is 512 MiB$/);
    await small.lake.table('transactions').stored.renewCheckpoint();
    await truncate(entryAt(2), 3 * 2 ** 30);
    expect((await damages()).map(({ path, finding }) => [path, finding])).toEqual([
      [entryAt(2), 'The log entry of version 2 is larger than 2 GiB.'],
    ]);
    await expect(new DeltaLog(localDisk, folder, heightColumn).refresh()).rejects.toMatchObject({
      kind: 'lake',
      where: entryAt(2),
    });
  });

  it('is damage where it was copied from another table or chain', async () => {
    const copy = join(small.root, 'lake', 'OTHER', 'transactions');
    await cp(folder, copy, { recursive: true });
    expect((await damages()).map(({ chain, finding }) => [chain, finding])).toEqual([
      ['OTHER', 'The log entry of version 0 is one of the table lake/MAINCHAIN/transactions.'],
    ]);
    await rename(copy, join(small.root, 'lake', 'MAINCHAIN', 'blocks'));
    await rm(join(small.root, 'lake', 'OTHER'), { recursive: true });
    expect((await damages()).map(({ table }) => table)).toEqual(['blocks']);
  });

  it('is damage where it was copied, also once its first entries have expired', async () => {
    await expire();
    for (const version of [0, 1]) await rm(entryAt(version), { force: true });
    expect(await damages()).toEqual([]);
    await cp(folder, join(small.root, 'lake', 'OTHER', 'transactions'), { recursive: true });
    expect((await damages()).map(({ chain, finding }) => [chain, finding])).toEqual([
      ['OTHER', 'The log entry of version 2 is one of the table lake/MAINCHAIN/transactions.'],
    ]);
  });

  it('misses an entry in the middle, and the newest one', async () => {
    await small.lake.indexCoverage();
    await rm(entryAt(1));
    expect((await damages()).map(({ path }) => path)).toEqual([entryAt(1)]);
    await rm(entryAt(2));
    expect((await damages()).map(({ finding }) => finding)).toEqual([
      'The log ends at version 0, but it once had version 2.',
    ]);
  });
});

describe('entries and files of other programs', () => {
  it('do no harm, and are counted as what cannot be verified', async () => {
    await land('0xa', 10);
    await foreignEntry(1, 'merged.parquet');
    const { damages: results, tables } = await verify();
    expect(results).toEqual([]);
    expect(tables[0]?.log.unproven).toEqual([1]);
    expect(tables[0]?.unproven).toEqual(['merged.parquet']);
    // The next entry of windrow covers the one before it.
    await land('0xa', 30);
    expect((await verify()).tables[0]?.log.unproven).toEqual([]);
    await change(1, 'numRecords\\":1', 'numRecords\\":3');
    expect((await damages()).map(({ path, finding }) => [path, finding])).toEqual([
      [entryAt(1), 'The log entry of version 1 was changed after version 2 was written.'],
    ]);
  });

  it('that merged files without their heights have regions of all coverage of the table', async () => {
    await land('0xa', 10);
    await foreignEntry(1, 'merged.parquet');
    await land('0xb', 40);
    await rm(join(folder, 'merged.parquet'));
    expect(await damages()).toMatchObject([
      {
        kind: 'data file',
        rows: 1,
        regions: [
          { keys: ['0xa'], from: 5, to: 15 },
          { keys: ['0xb'], from: 35, to: 45 },
        ],
      },
    ]);
  });

  it('may be checkpoints, which are damage only where they are newer than the log', async () => {
    await land('0xa', 10);
    const log = join(folder, '_delta_log');
    await writeFile(join(log, '_last_checkpoint'), '{"version":0,"size":4}');
    await writeFile(join(log, '00000000000000000000.checkpoint.parquet'), 'x');
    expect(await damages()).toEqual([]);
    const [table] = (await verify()).tables;
    expect(table?.log.checkpoints).toHaveLength(2);
    expect(table?.log.unprovenCheckpoints).toEqual(table?.log.checkpoints);
    await writeFile(join(log, '_last_checkpoint'), '{"version":7,"size":4}');
    expect((await damages()).map(({ path, kind }) => [path, kind])).toEqual([
      [join(log, '_last_checkpoint'), 'checkpoint'],
    ]);
  });

  it('may be a checkpoint that is damaged, which is listed once', async () => {
    await land('0xa', 10);
    await land('0xa', 20);
    const last = join(folder, '_delta_log', '_last_checkpoint');
    await expire();
    for (const [text, finding] of [
      ['no JSON', 'The checkpoint cannot be read.'],
      ['{"version":7,"size":4}', 'The checkpoint is newer than the log, whose last version is 1.'],
    ] as const) {
      await writeFile(last, text);
      const { damages: results, tables } = await verify();
      expect(results.map((damage) => [damage.path, damage.finding])).toEqual([[last, finding]]);
      const unproven = '00000000000000000001.checkpoint.parquet';
      expect(tables[0]?.log.unprovenCheckpoints).toEqual([unproven]);
    }
  });

  it.each([
    ['changed', 'was changed after it was written', (bytes: Buffer) => bytes.subarray(1)],
    ['of another log', 'was made from another log', undefined],
  ])("may be windrow's part of a checkpoint that is %s", async (_, what, change) => {
    await land('0xa', 10);
    await small.lake.table('transactions').stored.renewCheckpoint();
    await land('0xa', 20);
    const path = join(folder, '_delta_log', '00000000000000000000.windrow');
    const to = change === undefined ? path.replace('0.windrow', '1.windrow') : path;
    const bytes = await readFile(path);
    await writeFile(to, change?.(bytes) ?? bytes);
    const results = (await damages()).map((damage) => [damage.path, damage.finding]);
    expect(results).toEqual([[to, `The checkpoint ${what}.`]]);
  });

  it('may be checkpoints of windrow, which are proven by the file that names the newest', async () => {
    await land('0xa', 10);
    await small.lake.table('transactions').stored.renewCheckpoint();
    const log = join(folder, '_delta_log');
    const findings = async () => (await damages()).map(({ path, finding }) => [path, finding]);
    expect(await findings()).toEqual([]);
    expect((await verify()).tables[0]?.log.unprovenCheckpoints).toEqual([]);
    for (const name of [
      '00000000000000000000.checkpoint.parquet',
      '00000000000000000000.windrow',
    ]) {
      const path = join(log, name);
      const bytes = await readFile(path);
      await rm(path);
      expect(await findings()).toEqual([[path, 'The checkpoint is missing.']]);
      await writeFile(path, bytes.subarray(1));
      expect(await findings()).toEqual([
        [path, 'The checkpoint was changed after it was written.'],
      ]);
      await writeFile(path, bytes);
    }
  });

  it('is no checkpoint for expired entries if it only holds some entries in one file', async () => {
    await land('0xa', 10);
    await land('0xa', 20);
    await expire();
    for (const name of ['00000000000000000001.checkpoint.parquet', '_last_checkpoint'])
      await rm(join(folder, '_delta_log', name));
    const name = '00000000000000000000.00000000000000000001.compacted.json';
    await writeFile(join(folder, '_delta_log', name), '{}');
    expect((await damages()).map(({ finding }) => finding)).toEqual([
      'The checkpoint is missing: other programs need it, because the first entries have expired.',
    ]);
  });
});

describe('a lake of a windrow that sealed no entries', () => {
  beforeEach(async () => {
    for (const height of [10, 20, 30]) await land('0xa', height);
    for (const version of [0, 1, 2]) await unseal(version);
  });

  it('opens, and verify counts what cannot be verified', async () => {
    const { heightColumn } = datasetNamed('transactions');
    const { version } = await new DeltaLog(localDisk, folder, heightColumn).refresh();
    expect(version).toBe(2);
    const { damages: results, tables } = await verify();
    expect([results, tables[0]?.log.unproven]).toEqual([[], [0, 1, 2]]);
  });

  it('is covered by the next entry', async () => {
    const again = await SmallLake.open(small.root);
    await again.land(LIST.transactions, { keys: ['0xa'], from: 100, to: 110 });
    again.lake.close();
    expect((await verify()).tables[0]?.log.unproven).toEqual([]);
    await change(1, '"rows":[[0,0,15,', '"rows":[[0,0,14,');
    expect((await damages()).map(({ finding }) => finding)).toEqual([
      'The log entry of version 0 was changed after version 3 was written (or another entry up to ' +
        'version 2 was).',
    ]);
  });
});

describe('data files', () => {
  it('that no entry names are listed, and are no damage', async () => {
    await land('0xa', 10);
    const [file = ''] = (await lakeFiles(small.root)).data;
    await cp(file, join(folder, 'left.parquet'));
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'deep', 'more.parquet'), 'x');
    const { damages: results, tables } = await verify();
    expect(results).toEqual([]);
    expect(tables[0]?.orphans).toEqual([join('deep', 'more.parquet'), 'left.parquet']);
  });

  it('of older versions are told apart from those that queries read', async () => {
    await land('0xa', 10);
    const [old = ''] = (await lakeFiles(small.root)).data;
    await land('0xa', 10);
    await writeFile(old, 'x');
    const { damages: results, tables } = await verify();
    expect([results, tables[0]?.outdated.map((name) => join(folder, name))]).toEqual([[], [old]]);
    await rm(old);
    expect((await verify()).tables[0]?.outdated).toEqual([]);
  });

  it('are named with all keys and blocks of their list at their heights', async () => {
    await small.land(
      LIST.transactions,
      { keys: ['0xa'], from: 0, to: 49, records: [transaction({ from: '0xa', to: '0x1' })] },
      { keys: ['0xb'], from: 0, to: 99, records: [transaction({ txId: '0x2', height: '90' })] },
    );
    await land('0xa', 30);
    const [file] = (await small.lake.table('transactions').snapshot()).files.values();
    await rm(join(folder, file?.path ?? ''));
    expect((await damages())[0]?.regions.map(({ keys, from, to }) => [keys, from, to])).toEqual([
      [['0xa'], 10, 49],
      [['0xb'], 10, 90],
    ]);
  });

  it('of lists asked by hash are named with the heights of their rows', async () => {
    await small.land(LIST.transactionsByHash, {
      keys: ['0x01', '0x02'],
      from: 0,
      to: 99,
      records: [transaction({ txid: '0x01', state: 'success' })],
    });
    const file = (await lakeFiles(small.root)).data.find((path) => path.includes('/transactions/'));
    await rm(file ?? '');
    expect((await damages())[0]?.regions).toMatchObject([{ keys: [''], from: 10, to: 10 }]);
  });
});

it('the tables of coverage and quarantine are verified too', async () => {
  await land('0xa', 10);
  await small.lake.indexCoverage();
  const coverage = (await lakeFiles(small.root)).data.find((path) => path.includes('/coverage/'));
  await writeFile(coverage ?? '', 'x');
  expect((await damages()).map(({ table, path }) => [table, path])).toEqual([
    ['coverage', coverage],
  ]);
  expect(dirname(coverage ?? '')).toBe(join(small.root, 'lake', 'MAINCHAIN', 'coverage'));
});
