import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import type { Walk } from '../../../../src/land/rule/claim.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { sha256Of } from '../../../../src/land/storage/parquet.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { DiskStore } from '../../../model/disk-store.ts';
import { type ChainRecord, ENDPOINT } from '../../../model/history.ts';

/**
 * Goal: a reader that knows the Delta protocol alone finds in a checkpoint what the log says up to
 * its version.
 */

let store: DiskStore;

beforeEach(async () => {
  store = await open(3);
});
afterEach(() => store.close());

function open(checkpointCommits: number, folder?: string, disk = localDisk): Promise<DiskStore> {
  const effects = quietEffects({ now: () => NOW_MS });
  const { dataset } = endpointAt(ENDPOINT);
  return DiskStore.open(effects, disk, folder, dataset, checkpointCommits);
}

const NOW_MS = 1_700_000_000_000;

function walk(key: string, heights: number[]): Walk<ChainRecord> {
  const interval = { from: 0, to: 99 };
  const status = 'complete' as const;
  const part = { list: listNamed(ENDPOINT), keys: [key], interval, status, reason: '' };
  return {
    claim: { ...part, head: 99, readAtMs: 1, generation: 0 },
    records: heights.map((height) => ({ height, touches: [key], content: `${height}` })),
  };
}

const log = (): string => join(store.folder, 'table', '_delta_log');

const checkpoints = async (): Promise<number[]> => {
  const names = (await readdir(log())).filter((name) => name.endsWith('.checkpoint.parquet'));
  return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
};

const nameOf = (version: number): string =>
  `${String(version).padStart(20, '0')}.checkpoint.parquet`;

type Row = Record<string, Record<string, unknown> | null>;

async function rowsOf(version: number): Promise<Row[]> {
  const file = await asyncBufferFromFile(join(log(), nameOf(version)));
  return (await parquetReadObjects({ file, compressors })) as Row[];
}

/** The lines of the log up to a version, as parsed JSON. */
async function lines(version: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at <= version; at += 1) {
    const text = await readFile(join(log(), `${String(at).padStart(20, '0')}.json`), 'utf8');
    for (const line of text.trim().split('\n')) rows.push(JSON.parse(line));
  }
  return rows;
}

const actions = (rows: readonly Row[], kind: string): Record<string, unknown>[] =>
  rows.flatMap((row) => (row[kind] ? [row[kind]] : []));

describe('a checkpoint', () => {
  it('holds the state of its version, whose removed files it names too', async () => {
    await store.commit([walk('0xa', [1, 2])]);
    await store.commit([walk('0xa', [2, 3])]);
    await store.commit([walk('0xb', [7])]);
    const rows = await rowsOf(2);
    const all = await lines(2);
    for (const row of rows) expect(Object.values(row).filter(Boolean)).toHaveLength(1);
    const protocol = { minReaderVersion: 1, minWriterVersion: 2 };
    expect(actions(rows, 'protocol')).toEqual([protocol]);
    expect(plain(actions(rows, 'metaData'))).toEqual(actions(all, 'metaData'));
    const gone = actions(all, 'remove').map(({ path }) => path);
    expect(gone).toHaveLength(1);
    const removed = { path: gone[0], deletionTimestamp: NOW_MS, dataChange: false };
    expect(plain(actions(rows, 'remove'))).toEqual([removed]);
    const live = actions(all, 'add').filter(({ path }) => !gone.includes(path));
    expect(live).toHaveLength(2);
    expect(plain(actions(rows, 'add'))).toEqual(live.map((add) => ({ ...add, dataChange: false })));
  });

  it('is named with its number of rows, its size and its sha256', async () => {
    for (const key of ['0xa', '0xb', '0xc']) await store.commit([walk(key, [1])]);
    const rows = await rowsOf(2);
    const bytes = await readFile(join(log(), nameOf(2)));
    expect(JSON.parse(await readFile(join(log(), '_last_checkpoint'), 'utf8'))).toEqual({
      version: 2,
      size: rows.length,
      sizeInBytes: bytes.length,
      numOfAddFiles: 3,
      tags: { 'windrow.sha256': await sha256Of(join(log(), nameOf(2))) },
    });
  });

  it('is written again after as many commits, by another process too; the last two stay, and one of each day', async () => {
    const commits = async (count: number, to = store): Promise<void> => {
      for (let at = 0; at < count; at += 1) await to.commit([walk(`0x${at}`, [at])]);
    };
    await commits(2);
    expect(await checkpoints()).toEqual([]);
    await commits(3);
    expect(await checkpoints()).toEqual([2]);
    await commits(1, await open(3, store.folder));
    expect(await checkpoints()).toEqual([2, 5]);
    await commits(3);
    expect(await checkpoints()).toEqual([2, 5, 8]);
    await commits(3);
    expect(await checkpoints()).toEqual([2, 8, 11]);
  });

  it('of a shortened log leaves three reads at most to open it', async () => {
    store = await open(100);
    const reads: string[] = [];
    const counting = {
      ...localDisk,
      list: (path: string) => {
        reads.push('list');
        return localDisk.list(path);
      },
      readBytes: (path: string) => {
        reads.push(basename(path).replace(/^0+/, ''));
        return localDisk.readBytes(path);
      },
    };
    const opening = async (): Promise<string[]> => {
      reads.length = 0;
      await (await open(100, store.folder, counting)).table.snapshot();
      return reads;
    };
    const commits = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) await store.commit([walk(`0x${at}`, [at])]);
      await store.table.stored.shortenLog();
    };
    await commits(2);
    expect(await opening()).toEqual(['list', '.json', '1.json']);
    await commits(1);
    expect(await opening()).toEqual(['list', '2.windrow', '2.json']);
    await commits(2);
    await commits(0);
    expect(await opening()).toEqual(['list', '4.windrow', '4.json']);
    expect(await checkpoints()).toEqual([2, 4]);
  });

  it('names no file both as removed and as there, when another program brings it back', async () => {
    await store.commit([walk('0xa', [1])]);
    const [file] = (await store.table.snapshot()).files.values();
    const { path, sizeBytes: size = 0 } = file ?? {};
    const foreign = async (version: number, line: object): Promise<void> => {
      const name = `${String(version).padStart(20, '0')}.json`;
      await writeFile(join(log(), name), `${JSON.stringify(line)}\n`);
    };
    await foreign(1, { remove: { path, deletionTimestamp: NOW_MS, dataChange: false } });
    await foreign(2, { add: { path, size, partitionValues: {}, stats: '{"numRecords":1}' } });
    await store.commit([walk('0xb', [3])]);
    expect(actions(await rowsOf(3), 'remove')).toEqual([]);
    expect(actions(await rowsOf(3), 'add')).toHaveLength(2);
  });

  it('forgets removed files after a week', async () => {
    let nowMs = NOW_MS;
    await store.close();
    const effects = quietEffects({ now: () => nowMs });
    store = await DiskStore.open(effects, localDisk, undefined, endpointAt(ENDPOINT).dataset, 1);
    await store.commit([walk('0xa', [1])]);
    await store.commit([walk('0xa', [2])]);
    expect(actions(await rowsOf(1), 'remove')).toHaveLength(1);
    nowMs += 7 * 24 * 3_600_000 + 1;
    await store.commit([walk('0xb', [3])]);
    expect(actions(await rowsOf(2), 'remove')).toEqual([]);
  });

  it('is no reason for a commit to fail, but a bug is one', async () => {
    const failing = (error: Error) => ({
      ...localDisk,
      rename: async (from: string, to: string) => {
        if (to.endsWith('.checkpoint.parquet')) throw error;
        await localDisk.rename(from, to);
      },
    });
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    const other = await open(1, store.folder, failing(full));
    await other.commit([walk('0xa', [1])]);
    expect(await checkpoints()).toEqual([]);
    expect(await readdir(join(store.folder, 'staging'))).toEqual([]);
    const buggy = await open(1, store.folder, failing(new Error('a bug')));
    await expect(buggy.commit([walk('0xb', [1])])).rejects.toThrow('a bug');
    await rm(join(store.folder, 'staging'), { recursive: true });
  });
});

/** Values of hyparquet as JSON has them: maps are lists of pairs, and longs are bigints. */
function plain(values: readonly unknown[]): unknown[] {
  return JSON.parse(
    JSON.stringify(values, (_key, value: unknown) => {
      if (typeof value === 'bigint') return Number(value);
      return value === null ? undefined : value;
    }),
  );
}
