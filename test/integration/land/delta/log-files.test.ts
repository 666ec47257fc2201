import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { Fault } from '../../../../src/fault.ts';
import { listedHeights } from '../../../../src/land/delta/changed-heights.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { archiveEntries, entryName, restoreArchive } from '../../../../src/land/delta/log-files.ts';
import type { Walk } from '../../../../src/land/rule/claim.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { DiskStore } from '../../../model/disk-store.ts';
import { type ChainRecord, ENDPOINT } from '../../../model/history.ts';

/**
 * Goal: old entries leave the folder that other programs list, which still find all they need
 * there, while windrow reads its whole log.
 */

const DAY_MS = 24 * 3_600_000;
let nowMs = 0;
let store: DiskStore;
const effects = quietEffects({ now: () => nowMs });

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  store = await open();
});
afterEach(() => store.close());

/** A store that writes a checkpoint every three commits. */
function open(folder?: string, disk: Disk = localDisk): Promise<DiskStore> {
  return DiskStore.open(effects, disk, folder, endpointAt(ENDPOINT).dataset, 3);
}

function walk(at: number): Walk<ChainRecord> {
  const interval = { from: 20 * at, to: 20 * at + 9 };
  const asked = { list: listNamed(ENDPOINT), keys: ['0xa'], interval, reason: '' };
  const height = 20 * at + 1;
  return {
    claim: { ...asked, status: 'complete', head: 999, readAtMs: 1, generation: 0 },
    records: [{ height, touches: ['0xa'], content: `${height}` }],
  };
}

/** Commits walks of `from` to `to` (exclusive). */
async function commits(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 1) await store.commit([walk(at)]);
}

const table = (): string => join(store.folder, 'table');

async function versions(folder: string): Promise<number[]> {
  const names = await readdir(join(table(), folder)).catch(() => []);
  const entries = names.filter((name) => /^\d{20}\.json$/.test(name));
  return entries.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}
const both = async (): Promise<number[][]> => [
  await versions('_archived_log'),
  await versions('_delta_log'),
];

/** The data files that a reader finds in `_delta_log`, which knows the protocol alone. */
async function filesByProtocol(): Promise<string[]> {
  const log = join(table(), '_delta_log');
  const last = JSON.parse(await readFile(join(log, '_last_checkpoint'), 'utf8')) as {
    version: number;
  };
  const name = `${String(last.version).padStart(20, '0')}.checkpoint.parquet`;
  const file = await asyncBufferFromFile(join(log, name));
  type Action = { add?: { path: string }; remove?: { path: string } };
  const actions = (await parquetReadObjects({ file, compressors })) as Action[];
  for (let at = last.version + 1; ; at += 1) {
    const text = await readFile(join(log, entryName(at)), 'utf8').catch(() => undefined);
    if (text === undefined) break;
    for (const line of text.trim().split('\n')) actions.push(JSON.parse(line) as Action);
  }
  const live = new Set<string>();
  for (const { add, remove } of actions) {
    if (remove) live.delete(remove.path);
    if (add) live.add(add.path);
  }
  return [...live].sort();
}

it('moves entries that are older than a week and than all checkpoints', async () => {
  await commits(0, 7);
  nowMs += 8 * DAY_MS;
  await commits(7, 8);
  expect(await both()).toEqual([[], [0, 1, 2, 3, 4, 5, 6, 7]]);
  await commits(8, 10);
  // Checkpoints 5 and 8 are kept.
  expect(await both()).toEqual([
    [0, 1, 2, 3, 4],
    [5, 6, 7, 8, 9],
  ]);
  const { files } = await store.table.snapshot();
  expect(await filesByProtocol()).toEqual([...files.keys()].sort());
  expect(files.size).toBe(10);
});

it('keeps younger entries', async () => {
  await commits(0, 3);
  nowMs += 3 * DAY_MS;
  await commits(3, 6);
  nowMs += 5 * DAY_MS;
  await commits(6, 12);
  expect(await both()).toEqual([
    [0, 1, 2],
    [3, 4, 5, 6, 7, 8, 9, 10, 11],
  ]);
});

it('leaves the log as it was to windrow: to open, to commit to, and to travel in', async () => {
  await commits(0, 4);
  const early = (await store.table.snapshot()).files.size;
  const earlyMs = nowMs;
  nowMs += 8 * DAY_MS;
  await commits(4, 10);
  expect(await versions('_archived_log')).toEqual([0, 1, 2, 3]);
  const known = await store.known();
  const fresh = await open(store.folder);
  expect((await fresh.known()).coverage.entries()).toEqual(known.coverage.entries());
  expect(listedHeights(await fresh.table.changedSince(1))).toEqual(
    [2, 3, 4, 5, 6, 7, 8, 9].map((at) => ({ from: 20 * at, to: 20 * at + 9 })),
  );
  await fresh.commit([walk(10)]);
  await rm(join(table(), '_delta_log', '_fold'), { recursive: true });
  const unsaved = await open(store.folder);
  expect(await unsaved.table.snapshot()).toMatchObject({ version: 10 });
  expect(await unsaved.rows()).toHaveLength(11);
  const then = new DeltaLog(localDisk, table(), 'block_number', undefined, earlyMs);
  expect((await then.refresh()).files.size).toBe(early);
});

it('keeps entries that tell no time, as those of other programs may', async () => {
  await commits(0, 6);
  for (let at = 0; at < 6; at += 1) {
    const path = join(table(), '_delta_log', entryName(at));
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.split('\n').slice(1).join('\n'));
  }
  nowMs += 8 * DAY_MS;
  expect(await archiveEntries({ disk: localDisk, effects }, table())).toBe(0);
});

it('takes the versions of archived entries: a writer that was stopped long merges again', async () => {
  await commits(0, 1);
  let hasSlept = false;
  const sleepy = {
    ...localDisk,
    write: async (path: string, text: string) => {
      await localDisk.write(path, text);
      if (hasSlept || !text.includes('"WINDROW COMMIT"')) return;
      hasSlept = true;
      await commits(1, 4);
      nowMs += 8 * DAY_MS;
      await commits(4, 9);
    },
  };
  const { dataset } = endpointAt(ENDPOINT);
  const late = await DiskStore.open(effects, sleepy, store.folder, dataset);
  await late.commit([walk(9)]);
  expect(await both()).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7, 8, 9],
  ]);
  expect(await (await open(store.folder)).rows()).toHaveLength(10);
});

it('names the archived file of a broken entry', async () => {
  await commits(0, 4);
  nowMs += 8 * DAY_MS;
  await commits(4, 9);
  const path = join(table(), '_archived_log', entryName(1));
  await writeFile(path, (await readFile(path, 'utf8')).slice(0, -40));
  const log = new DeltaLog(localDisk, table(), 'block_number');
  await expect(log.refresh()).rejects.toThrow(expect.objectContaining({ where: `${path}:2` }));
});

/** Copies archived entries into `_delta_log`, as from a backup. */
async function copyBack(...archived: readonly number[]): Promise<void> {
  for (const name of archived.map(entryName)) {
    await copyFile(join(table(), '_archived_log', name), join(table(), '_delta_log', name));
  }
}

it('reads a log to which some of its first entries were copied back', async () => {
  await commits(0, 4);
  nowMs += 8 * DAY_MS;
  await commits(4, 9);
  await copyBack(0, 1);
  const log = new DeltaLog(localDisk, table(), 'block_number');
  expect(await log.refresh()).toMatchObject({ version: 8 });
  await commits(9, 12);
  expect(await both()).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7, 8, 9, 10, 11],
  ]);
});

it.each([
  ['archives', archiveEntries],
  ['restores', ({ disk }: { disk: Disk }, of: string) => restoreArchive(disk, of)],
] as const)(
  'keeps the entry in `_delta_log` of two with one version while it %s entries',
  async (_, move) => {
    await commits(0, 4);
    nowMs += 8 * DAY_MS;
    await commits(4, 9);
    await copyBack(2);
    await writeFile(join(table(), '_archived_log', entryName(2)), 'damaged');
    await move({ disk: localDisk, effects }, table());
    const log = new DeltaLog(localDisk, table(), 'block_number');
    expect(await log.refresh()).toMatchObject({ version: 8 });
    const [archived, listed] = await both();
    expect([...(archived ?? []), ...(listed ?? [])]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  },
);

it('leaves a log with a gap as it is', async () => {
  await commits(0, 7);
  await rm(join(table(), '_delta_log', entryName(2)));
  nowMs += 8 * DAY_MS;
  expect(await archiveEntries({ disk: localDisk, effects }, table())).toBe(0);
  expect(await both()).toEqual([[], [0, 1, 3, 4, 5, 6]]);
});

it('commits where the entries belong to another user, to whose files no links are allowed', async () => {
  await commits(0, 7);
  nowMs += 8 * DAY_MS;
  const linkIfAbsent: Disk['linkIfAbsent'] = (from, to) => {
    if (!to.includes('_archived_log')) return localDisk.linkIfAbsent(from, to);
    const cause = Object.assign(new Error('EPERM'), { code: 'EPERM' });
    throw new Fault('lake', 'This file system has no hard links.', { advice: '', cause });
  };
  const other = await open(store.folder, { ...localDisk, linkIfAbsent });
  for (let at = 7; at < 10; at += 1) await other.commit([walk(at)]);
  expect(await both()).toEqual([[], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});

it('moves all entries back for a log that loses its checkpoints', async () => {
  await commits(0, 4);
  nowMs += 8 * DAY_MS;
  await commits(4, 9);
  expect(await versions('_archived_log')).toEqual([0, 1, 2, 3]);
  await restoreArchive(localDisk, table());
  expect(await both()).toEqual([[], [0, 1, 2, 3, 4, 5, 6, 7, 8]]);
});
