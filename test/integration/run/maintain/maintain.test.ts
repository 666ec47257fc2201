import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Lake } from '../../../../src/land/lake.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { verifyLake } from '../../../../src/land/verify/verify-lake.ts';
import { MAINTENANCE_RULES } from '../../../../src/pipeline/maintenance.ts';
import {
  deleteOldFiles,
  mergeSmallFiles,
  planMaintenance,
} from '../../../../src/run/maintain/maintain.ts';
import { contentDigest } from '../../../fixtures/content-digest.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/**
 * Goal: maintenance changes no row and no coverage, keeps files apart that must be, never hides
 * damage, and deletes nothing that a reader within the retention needs.
 */

const DAY_MS = 86_400_000;
/** The clock of commits starts here. */
const START_MS = 1_700_000_000_000;

const small = freshLake(beforeEach);

interface Upkeep {
  readonly lake: Lake;
  readonly nowMs?: number;
  readonly retainMs?: number;
}

function job({ lake, nowMs = START_MS, retainMs = 7 * DAY_MS }: Upkeep) {
  const effects = quietEffects({ now: () => nowMs });
  return { lake, effects, disk: localDisk, rules: { ...MAINTENANCE_RULES, retainMs } };
}

const merge = (seconds = 10) => mergeSmallFiles(job({ lake: small.lake }), seconds);

/** One commit of an address's transactions, one at each of these heights. */
async function land(
  heights: readonly number[],
  more: object = {},
  path: string = LIST.transactions,
) {
  const records = heights.map((height) =>
    transaction({ txId: `0x${height}`, height: `${height}` }),
  );
  const [from = 0] = heights;
  await small.land(path, { keys: ['0xa'], from, to: from, records, ...more });
}

async function files(): Promise<readonly string[]> {
  const { files: live } = await small.lake.table('transactions').snapshot();
  return [...live.keys()];
}

async function onDisk(): Promise<string[]> {
  const names = await readdir(join(small.root, 'lake', 'MAINCHAIN', 'transactions'));
  return names.filter((name) => name.endsWith('.parquet'));
}

describe('merging', () => {
  test('leaves files whose rows do not fit into memory as they are', async () => {
    const huge = 'x'.repeat(2 ** 20);
    const gap = (frame: number) => [BigInt(frame), 0n, null, null, 0n, 'unreadable', huge] as const;
    const { lake } = await SmallLake.open(small.root, quietEffects());
    const gaps = lake.captured.get('preconf_gaps');
    for (let nth = 0; nth < 5; nth += 1) {
      await gaps?.add(Array.from({ length: 60 }, (_, at) => gap(60 * nth + at)));
    }
    expect(await mergeSmallFiles(job({ lake }), 10)).toMatchObject({ written: 0, left: 1 });
    await gaps?.add([gap(300)]);
    expect((await gaps?.stored.snapshot())?.files.size).toBe(6);
    await lake.close();
  });

  test('changes files, and neither rows nor coverage nor any height', async () => {
    for (let height = 0; height < 5; height += 1) await land([height]);
    const table = small.lake.table('transactions');
    const before = await table.snapshot();
    const coverage = before.coverage.clone().entries();
    const digest = await contentDigest(table);
    expect(await merge()).toMatchObject({ merged: 5, written: 1, rows: 5, left: 0, damaged: [] });
    const after = await table.snapshot();
    expect([after.version, after.files.size]).toEqual([before.version + 1, 1]);
    expect(after.coverage.entries()).toEqual(coverage);
    expect(await contentDigest(table)).toEqual(digest);
    expect(await table.changedSince(before.version)).toEqual({ heights: [], keyed: [] });
    const entry = await readFile(
      join(table.stored.folder, '_delta_log', `${String(after.version).padStart(20, '0')}.json`),
      'utf8',
    );
    expect(entry.match(/"dataChange":false/g)).toHaveLength(6);
    expect(entry).not.toContain('"dataChange":true');
    expect(await merge()).toMatchObject({ merged: 0 });
  });

  test('keeps provisional rows and other lists apart', async () => {
    for (let height = 0; height < 4; height += 1) await land([height]);
    for (let height = 0; height < 4; height += 1) await land([height], {}, LIST.ownTransactions);
    for (let height = 10; height < 14; height += 1) await land([height], { status: 'provisional' });
    expect(await merge()).toMatchObject({ merged: 8, written: 2 });
    expect(await files()).toHaveLength(6);
  });

  test('takes rows of look-ups whose hash is provisional elsewhere', async () => {
    for (let height = 0; height < 4; height += 1) {
      const keys = [`0x${height}`];
      await land([height], { keys, from: 0, to: 99 }, LIST.transactionsByHash);
    }
    await land([], { keys: ['0x99'], status: 'provisional' }, LIST.transactionsByHash);
    expect(await merge()).toMatchObject({ merged: 4, written: 1 });
  });

  test('leaves damaged files alone, so that they are still found', async () => {
    for (let height = 0; height < 5; height += 1) await land([height]);
    const [name = ''] = await files();
    const path = join(small.lake.table('transactions').stored.folder, name);
    const bytes = await readFile(path);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const what = 'was changed: its sha256 differs from the one in the log';
    expect(await merge()).toMatchObject({ merged: 0, damaged: [{ path, what }] });
    const { damages } = await verifyLake(small.root, localDisk);
    expect(damages.map((damage) => damage.path)).toEqual([path]);
  });

  test('leaves tables alone that have columns of a newer version', async () => {
    for (let height = 0; height < 4; height += 1) await land([height]);
    const table = small.lake.table('transactions');
    const log = join(table.stored.folder, '_delta_log');
    const first = await readFile(join(log, `${'0'.repeat(20)}.json`), 'utf8');
    const line = first.split('\n').find((item) => item.startsWith('{"metaData"')) ?? '';
    const wider = line.replaceAll('_list_position', '_another_column');
    await writeFile(join(log, '00000000000000000004.json'), `${wider}\n`);
    expect(await merge()).toMatchObject({ merged: 0 });
    expect(await files()).toHaveLength(4);
  });

  test('stops when its time is over', async () => {
    for (let height = 0; height < 4; height += 1) await land([height]);
    expect(await merge(-1)).toMatchObject({ merged: 0, left: 1 });
    expect(await files()).toHaveLength(4);
  });
});

describe('deleting', () => {
  test('takes replaced files once the retention is over', async () => {
    for (let height = 0; height < 4; height += 1) await land([height]);
    await merge();
    const at = (days: number) => job({ lake: small.lake, nowMs: START_MS + days * DAY_MS });
    expect(await deleteOldFiles(at(6.9))).toEqual({ files: 0, bytes: 0 });
    expect(await onDisk()).toHaveLength(5);
    expect(await deleteOldFiles(at(7.1))).toMatchObject({ files: 4 });
    expect(await onDisk()).toEqual(await files());
    expect((await verifyLake(small.root, localDisk)).damages).toEqual([]);
  });

  test('takes replaced files of curated tables by the same rule', async () => {
    await land([1]);
    await small.curate();
    await land([1], { records: [transaction({ txId: '0x1', height: '1', amount: '7' })] });
    await small.curate();
    const { folder } = small.lake.curatedStorage('primary', 'transactions');
    const names = async () => (await readdir(folder)).filter((name) => name.endsWith('.parquet'));
    const at = (days: number) => job({ lake: small.lake, nowMs: START_MS + days * DAY_MS });
    await deleteOldFiles(at(6.9));
    expect(await names()).toHaveLength(2);
    await deleteOldFiles(at(7.1));
    expect(await names()).toHaveLength(1);
  });

  test('takes files that are in no version, unless a process may be about to commit them', async () => {
    await land([1]);
    const { folder } = small.lake.table('transactions').stored;
    for (const [name, ageMs] of [
      ['old', DAY_MS + 1],
      ['young', DAY_MS - 1_000],
    ] as const) {
      const path = join(folder, `${name}.parquet`);
      await writeFile(path, '');
      await utimes(path, new Date(), new Date(START_MS - ageMs));
    }
    await writeFile(join(folder, 'notes.txt'), '');
    expect(await deleteOldFiles(job({ lake: small.lake }))).toMatchObject({ files: 0 });
    expect(await deleteOldFiles(job({ lake: small.lake, retainMs: 0 }))).toMatchObject({
      files: 1,
    });
    expect((await onDisk()).sort()).toEqual([...(await files()), 'young.parquet'].sort());
    expect(await readdir(folder)).toContain('notes.txt');
  });

  test('keeps files whose removal has no time', async () => {
    await land([1]);
    const { folder } = small.lake.table('transactions').stored;
    const [name = ''] = await files();
    const line = JSON.stringify({ remove: { path: name, dataChange: true } });
    await writeFile(join(folder, '_delta_log', '00000000000000000001.json'), `${line}\n`);
    await deleteOldFiles(job({ lake: small.lake, nowMs: START_MS + 100 * DAY_MS }));
    expect(await onDisk()).toEqual([name]);
  });
});

test('a plan without retention deletes the files that it merges', async () => {
  for (let height = 0; height < 4; height += 1) await land([height]);
  const options = job({ lake: small.lake, retainMs: 0 });
  const plans = await planMaintenance(options);
  expect(plans).toHaveLength(1);
  expect(plans[0]?.expired.map(({ path }) => path).sort()).toEqual([...(await files())].sort());
  expect((await planMaintenance(job({ lake: small.lake })))[0]?.expired).toEqual([]);
});
