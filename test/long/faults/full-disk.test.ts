import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { datasetNamed, endpointAt } from '../../../src/catalogue/index.ts';
import type { Status } from '../../../src/coverage/coverage.ts';
import { Fault } from '../../../src/fault.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import { DeltaTable, type LandedWalk } from '../../../src/land/rows/table.ts';
import { type Disk, localDisk } from '../../../src/land/storage/disk.ts';
import { diskFault } from '../../../src/land/storage/disk-fault.ts';
import { ParquetWriter } from '../../../src/land/storage/parquet.ts';
import { listed } from '../../fixtures/listed.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { lengthened } from '../../fixtures/short-addresses.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

const ENDPOINT = 'mainchain/address/internal-transaction-list-multi';

/**
 * Goal: wherever in a commit the disk refuses, the table is as it was or as it is to be, and the
 * same commit goes through once the disk takes it.
 */

/** What was done on the disk: the operation and its path, the target's where there are two. */
type Done = readonly [operation: keyof Disk, path: string];

/** A disk whose operations are counted, and refused where `refuses` says so. */
interface FaultyDisk extends Disk {
  readonly done: Done[];
  refuses: (operation: keyof Disk, count: number) => boolean;
  readonly refused: Done[];
  /** The first refusal hit a checkpoint alone. */
  isOfState: boolean;
}

/** What follows the last step of a commit saves its state. */
function isDone(done: readonly Done[]): boolean {
  const published = done.findIndex(([operation]) => operation === 'linkIfAbsent');
  const read = done.findLastIndex(([operation, path]) => {
    return operation === 'readBytes' && /\d{20}\.json$/.test(path);
  });
  return published >= 0 && read > published;
}

function faultyDisk(code: 'ENOSPC' | 'EIO'): FaultyDisk {
  let count = 0;
  const check = (operation: keyof Disk, path: string): void => {
    count += 1;
    disk.done.push([operation, path]);
    if (!disk.refuses(operation, count)) return;
    const isSaving = isDone(disk.done.slice(0, -1));
    if (disk.refused.length === 0) disk.isOfState = isSaving || path.endsWith('.windrow');
    disk.refused.push([operation, path]);
    throw Object.assign(new Error(`${code}: ${operation}`), { code });
  };
  const checked =
    <R>(operation: keyof Disk, run: (path: string) => Promise<R>) =>
    async (path: string): Promise<R> => {
      check(operation, path);
      return run(path);
    };
  const disk: FaultyDisk = {
    ...localDisk,
    done: [],
    refused: [],
    isOfState: false,
    refuses: () => false,
    makeFolder: checked('makeFolder', (path) => localDisk.makeFolder(path)),
    read: checked('read', localDisk.read),
    readBytes: checked('readBytes', localDisk.readBytes),
    list: checked('list', localDisk.list),
    sync: checked('sync', localDisk.sync),
    syncFolder: checked('syncFolder', localDisk.syncFolder),
    remove: checked('remove', localDisk.remove),
    freeBytes: checked('freeBytes', localDisk.freeBytes),
    write: async (path, content) => {
      try {
        check('write', path);
      } catch (error) {
        // A write that is refused has written as much as there was room for.
        const isWhole = typeof content === 'string' || content instanceof Uint8Array;
        const first = isWhole ? content : ([...content][0] ?? '');
        await localDisk.write(path, first.slice(0, first.length / 2));
        throw error;
      }
      await localDisk.write(path, content);
    },
    rename: async (from, to) => {
      check('rename', to);
      await localDisk.rename(from, to);
    },
    linkIfAbsent: async (from, to) => {
      check('linkIfAbsent', to);
      return localDisk.linkIfAbsent(from, to);
    },
  };
  return disk;
}

function walk(key: string, from: number, status: Status, heights: number[]): LandedWalk {
  const interval = { from, to: from + 9 };
  const claim = { list: listNamed(ENDPOINT), keys: [key], interval, status, reason: '' };
  const record = { txId: '', from: key, amount: '1' };
  const records = heights.map((height) => ({ ...record, height: `${height}` }));
  const { rows } = decode(listNamed(ENDPOINT), listed(listNamed(ENDPOINT).entry, records));
  return {
    claim: { ...claim, head: 99, readAtMs: 1, generation: 0 },
    records: rows,
    slice: 'test',
    requests: 1,
  };
}

const [A, B, C] = ['0xa', '0xb', '0xc'].map(lengthened) as [string, string, string];
const FIRST = [walk(A, 0, 'provisional', [1, 2, 2]), walk(B, 0, 'complete', [7])];
const SECOND = [walk(A, 0, 'complete', [2, 3]), walk(C, 10, 'complete', [11])];

let root = '';
/** A table with the first commit, to be copied. */
let template = '';
let before = '';
let after = '';
let writer: ParquetWriter;
let reader: DuckDBConnection;

function tableIn(folder: string, disk: Disk): DeltaTable {
  return new DeltaTable({
    disk,
    effects: quietEffects(),
    writer,
    folder: join(folder, 'table'),
    staging: join(folder, 'staging'),
    run: 'test',
    checkpointCommits: 1,
    dataset: datasetNamed(endpointAt(ENDPOINT).dataset),
  });
}

/** All that a reader sees of the table in a folder, who knows nothing of its writer. */
async function seenIn(folder: string): Promise<string> {
  const table = tableIn(folder, localDisk);
  const snapshot = await table.snapshot();
  const list = table.paths(snapshot).map((path) => `'${path}'`);
  const rows = await reader.runAndReadAll(
    `SELECT block_number::VARCHAR, from_address, _occurrence::VARCHAR
     FROM read_parquet([${list.join(', ')}]) ORDER BY ALL`,
  );
  return JSON.stringify([rows.getRows(), snapshot.coverage.entries()]);
}

let copies = 0;

async function copy(): Promise<string> {
  copies += 1;
  const folder = join(root, `copy-${copies}`);
  await cp(template, folder, { recursive: true });
  return folder;
}

beforeAll(async () => {
  root = await freshFolder();
  writer = await ParquetWriter.open(join(root, 'spilled'));
  whenOver(() => writer.close());
  reader = await (await DuckDBInstance.create()).connect();
  whenOver(() => reader.closeSync());
  template = join(root, 'template');
  await tableIn(template, localDisk).commit(FIRST);
  before = await seenIn(template);
  const folder = await copy();
  await tableIn(folder, localDisk).commit(SECOND);
  after = await seenIn(folder);
});

interface Outcome {
  readonly error: unknown;
  readonly seen: string;
  readonly seenAtLast: string;
}

/** Commits with a fault, looks, lets the disk heal, and commits the same again. */
async function suffer(
  disk: FaultyDisk,
  refuses: FaultyDisk['refuses'],
): Promise<Outcome | undefined> {
  const folder = await copy();
  const table = tableIn(folder, disk);
  disk.refuses = refuses;
  const error = await table.commit(SECOND).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (disk.refused.length === 0) return undefined;
  disk.refuses = () => false;
  const seen = await seenIn(folder);
  await table.commit(SECOND);
  const seenAtLast = await seenIn(folder);
  return { error, seen, seenAtLast };
}

function expectDiskFault(error: unknown, message: string): void {
  if (!(error instanceof Fault)) throw new Error(`no fault: ${String(error)}`);
  expect(error.kind).toBe('lake');
  expect(error.message).toBe(message);
  expect(error.advice).toMatch(/run the command again: committed data stays unchanged/);
}

describe('a disk that is full', () => {
  it.each([
    ['for one operation', (at: number, count: number) => count === at],
    ['from one operation on', (at: number, count: number) => count >= at],
  ])('%s leaves the table as it was or as it is to be, and heals', async (_what, isHit) => {
    const states: string[] = [];
    let harmless = 0;
    for (let at = 1; ; at += 1) {
      const disk = faultyDisk('ENOSPC');
      const outcome = await suffer(disk, (_operation, count) => isHit(at, count));
      if (outcome === undefined) break;
      const place = `operation ${at}: ${disk.refused[0]?.join(' ')}`;
      // What cannot be read at once is read again.
      const isRead = disk.refused[0]?.[0] === 'readBytes';
      if (outcome.error === undefined) {
        expect([disk.isOfState || isRead, outcome.seen], place).toEqual([true, after]);
        harmless += 1;
      } else expectDiskFault(outcome.error, 'The disk is full.');
      expect([before, after], place).toContain(outcome.seen);
      expect(outcome.seenAtLast, place).toBe(after);
      if (disk.isOfState || isRead) continue;
      states.push(outcome.seen === before ? 'before' : 'after');
    }
    expect(states.length).toBeGreaterThan(12);
    expect(harmless).toBeGreaterThan(12);
    // Nothing of the commit shows before its entry is published, and all of it from then on.
    expect(states).toEqual([...states].sort().reverse());
    expect(states.filter((state) => state === 'after')).not.toEqual([]);
  });

  it('is told from a disk with room before anything is written', async () => {
    const folder = await copy();
    let freeBytes = 2_047;
    const disk = { ...faultyDisk('ENOSPC'), freeBytes: () => Promise.resolve(freeBytes) };
    const table = tableIn(folder, disk);
    const error = await table.commit(SECOND).catch((reason: unknown) => reason);
    expectDiskFault(error, 'Only 1 KiB are free where the lake lies.');
    const harmless = ['makeFolder', 'list', 'readBytes'];
    expect(disk.done.filter(([operation]) => !harmless.includes(operation))).toEqual([]);
    freeBytes = 1e12;
    await table.commit(SECOND);
    expect(await seenIn(folder)).toBe(after);
  });

  it('is recognised by what DuckDB says of it, too', () => {
    const error = new Error('IO Error: Could not write file "x": No space left on device');
    expectDiskFault(diskFault(error, 'x'), 'The disk is full.');
    const other = new Error('IO Error: something else');
    expect(diskFault(other, 'x')).toBe(other);
  });
});

describe('a disk that fails to sync', () => {
  it('costs the file it failed on, which is never synced, named or written again', async () => {
    let faults = 0;
    for (let at = 1; ; at += 1) {
      const disk = faultyDisk('EIO');
      let syncs = 0;
      const outcome = await suffer(disk, (operation) => {
        if (operation === 'sync') syncs += 1;
        return operation === 'sync' && syncs === at;
      });
      if (outcome === undefined) break;
      faults += 1;
      if (disk.isOfState) expect(outcome.error).toBeUndefined();
      else expectDiskFault(outcome.error, 'The disk failed.');
      expect(outcome.seen).toBe(disk.isOfState ? after : before);
      expect(outcome.seenAtLast).toBe(after);
      const [, failed = ''] = disk.refused[0] ?? [];
      const since = disk.done.findIndex(
        ([operation, path]) => operation === 'sync' && path === failed,
      );
      const later = disk.done.slice(since + 1).filter(([, path]) => path === failed);
      expect(later.filter(([operation]) => operation !== 'remove')).toEqual([]);
      const name = failed.split('/').at(-1) ?? '';
      const named = disk.done.slice(since + 1).filter(([, path]) => path.endsWith(name));
      expect(named.filter(([operation]) => operation !== 'remove')).toEqual([]);
    }
    expect(faults).toBeGreaterThan(2);
  });

  it('leaves the table as it was or as it is to be when a folder cannot be synced', async () => {
    const states = new Set<string>();
    for (let at = 1; ; at += 1) {
      const disk = faultyDisk('EIO');
      let syncs = 0;
      const outcome = await suffer(disk, (operation) => {
        if (operation === 'syncFolder') syncs += 1;
        return operation === 'syncFolder' && syncs === at;
      });
      if (outcome === undefined) break;
      if (disk.isOfState) expect(outcome.error).toBeUndefined();
      else expectDiskFault(outcome.error, 'The disk failed.');
      expect(outcome.seenAtLast).toBe(after);
      states.add(outcome.seen);
    }
    expect(states).toEqual(new Set([before, after]));
  });
});
