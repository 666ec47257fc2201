import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { EVERYTHING, listedHeights } from '../../../../src/land/delta/changed-heights.ts';
import { expireLog, keptLog } from '../../../../src/land/delta/expiry.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { entryName } from '../../../../src/land/delta/log-files.ts';
import type { Walk } from '../../../../src/land/rule/claim.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { DiskStore } from '../../../model/disk-store.ts';
import { type ChainRecord, ENDPOINT } from '../../../model/history.ts';

/**
 * Goal: old entries and checkpoints go, and the log stays whole from a checkpoint on that is as old
 * as the retention: to open, to commit to, to travel in, and for other programs.
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
  const part = { list: listNamed(ENDPOINT), keys: ['0xa'], interval, reason: '' };
  const height = 20 * at + 1;
  return {
    claim: { ...part, status: 'complete', head: 999, readAtMs: 1, generation: 0 },
    records: [{ height, touches: ['0xa'], content: `${height}` }],
  };
}

/** Commits walks of `from` to `to` (exclusive). */
async function commits(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 1) await store.commit([walk(at)]);
}

const table = (): string => join(store.folder, 'table');
const log = (): string => join(table(), '_delta_log');

/** The versions of the files of the log with this ending, in order. */
async function versions(ending: 'json' | 'checkpoint.parquet' | 'windrow'): Promise<number[]> {
  const names = (await readdir(log())).filter((name) => /^\d{20}\./.test(name));
  const matches = names.filter((name) => name.slice(21) === ending);
  return matches.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}

/** The data files that a reader finds in `_delta_log`, which knows the protocol alone. */
async function filesByProtocol(): Promise<string[]> {
  const last = JSON.parse(await readFile(join(log(), '_last_checkpoint'), 'utf8')) as {
    version: number;
  };
  const name = `${String(last.version).padStart(20, '0')}.checkpoint.parquet`;
  const file = await asyncBufferFromFile(join(log(), name));
  type Action = { add?: { path: string }; remove?: { path: string } };
  const actions = (await parquetReadObjects({ file, compressors })) as Action[];
  for (let at = last.version + 1; ; at += 1) {
    const text = await readFile(join(log(), entryName(at)), 'utf8').catch(() => undefined);
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

describe('the part of a log that is kept', () => {
  const NOW_MS = 100 * DAY_MS;
  /** What stays of checkpoints of these ages in days, the oldest first. */
  const kept = (...ages: readonly number[]): [number, number[]] => {
    const dated = ages.map((age, i) => ({ version: 10 * (i + 1), atMs: NOW_MS - age * DAY_MS }));
    const { from, checkpoints } = keptLog(dated, NOW_MS);
    return [from, [...checkpoints]];
  };

  it('is all of it while fewer than two checkpoints are there, or none is old', () => {
    expect(kept()).toEqual([0, []]);
    expect(kept(90)).toEqual([0, [10]]);
    expect(kept(6, 5)).toEqual([0, [10, 20]]);
  });

  it('begins with the newest checkpoint that is old enough, apart from the newest one', () => {
    expect(kept(90, 80)).toEqual([10, [10, 20]]);
    expect(kept(90, 80, 70)).toEqual([20, [20, 30]]);
    expect(kept(90, 8, 7.5, 6, 5)).toEqual([20, [20, 40, 50]]);
  });

  it('has a checkpoint for each day, and the two newest ones', () => {
    expect(kept(3, 2.9, 2.5, 1.9, 1.8, 0.2, 0.1)).toEqual([0, [10, 40, 60, 70]]);
  });
});

it('loses the entries before it, and readers of either kind find all the rest', async () => {
  await commits(0, 7);
  nowMs += 8 * DAY_MS;
  await commits(7, 10);
  // Checkpoints 5 and 8: the older one is a week old.
  expect(await versions('json')).toEqual([5, 6, 7, 8, 9]);
  expect(await versions('windrow')).toEqual([5, 8]);
  expect(await versions('checkpoint.parquet')).toEqual([5, 8]);
  const { files } = await store.table.snapshot();
  expect(await filesByProtocol()).toEqual([...files.keys()].sort());
  expect(files.size).toBe(10);
});

it('keeps the entries of this week', async () => {
  await commits(0, 3);
  nowMs += 3 * DAY_MS;
  await commits(3, 6);
  nowMs += 5 * DAY_MS;
  await commits(6, 12);
  expect(await versions('json')).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

it('leaves the log to open, to commit to, and to travel in', async () => {
  await commits(0, 4);
  nowMs += 8 * DAY_MS;
  await commits(4, 7);
  const early = (await store.table.snapshot()).files.size;
  const earlyMs = nowMs;
  nowMs += 6 * DAY_MS;
  await commits(7, 13);
  expect(await versions('json')).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const state = await store.state();
  const fresh = await open(store.folder);
  expect((await fresh.state()).coverage.entries()).toEqual(state.coverage.entries());
  const since = await fresh.table.changedSince(9);
  expect(listedHeights(since)).toEqual(
    [10, 11, 12].map((at) => ({ from: 20 * at, to: 20 * at + 9 })),
  );
  expect(await fresh.table.changedSince(0)).toEqual(EVERYTHING);
  await fresh.commit([walk(13)]);
  expect(await (await open(store.folder)).rows()).toHaveLength(14);
  const asOf = (atMs: number) => new DeltaLog(localDisk, table(), 'block_number', atMs).refresh();
  expect((await asOf(earlyMs)).files.size).toBe(early);
  await expect(asOf(earlyMs - 30 * DAY_MS)).rejects.toMatchObject({
    kind: 'usage',
    message: 'The log of this table begins with version 2, which is later.',
  });
});

it('keeps all entries where those of the checkpoints tell no time', async () => {
  await commits(0, 6);
  for (let at = 0; at < 6; at += 1) {
    const path = join(log(), entryName(at));
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.split('\n').slice(1).join('\n'));
  }
  nowMs += 8 * DAY_MS;
  await expireLog(localDisk, table(), nowMs);
  expect(await versions('json')).toEqual([0, 1, 2, 3, 4, 5]);
});

it('is kept for as long as entries of its checkpoints are damaged, and commits go on', async () => {
  await commits(0, 3);
  nowMs += 8 * DAY_MS;
  await commits(3, 4);
  await writeFile(join(log(), entryName(2)), 'nothing');
  await commits(4, 9);
  expect(await versions('json')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await versions('windrow')).toEqual([2, 5, 8]);
});

it('takes the versions of expired entries: a writer that was stopped long merges again', async () => {
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
  expect(await versions('json')).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await (await open(store.folder)).rows()).toHaveLength(10);
});

it('opens and expires with entries that a crash or a copy has left before it', async () => {
  await commits(0, 4);
  const left = await readFile(join(log(), entryName(0)));
  nowMs += 8 * DAY_MS;
  await commits(4, 9);
  await writeFile(join(log(), entryName(0)), left);
  const fresh = await open(store.folder);
  expect(await fresh.table.snapshot()).toMatchObject({ version: 8 });
  expect(await fresh.table.changedSince(0)).toEqual(EVERYTHING);
  await commits(9, 12);
  expect(await versions('json')).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
