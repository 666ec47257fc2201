import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CoverageEntry } from '../../../../src/coverage/coverage.ts';
import type { DataFile, TableFile } from '../../../../src/land/delta/actions.ts';
import { listedHeights } from '../../../../src/land/delta/changed-heights.ts';
import { CHECKPOINT_BYTES } from '../../../../src/land/delta/checkpoint.ts';
import { stateContent, stateIn } from '../../../../src/land/delta/checkpoint-state.ts';
import { Fold } from '../../../../src/land/delta/fold.ts';
import { claimsOf } from '../../../../src/land/delta/ledger.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { walkTable } from '../../../../src/land/verify/verify-table.ts';
import { type MadeEntry, SealedLog, withoutStates } from '../../../fixtures/sealed-log.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/**
 * Goal: a checkpoint stands for the entries before it, and can never change what is read from a
 * log that still has them.
 */

const BLOCKS = { endpoint: 'mainchain/block/block-fills', variant: '' };

let folder = '';
let log: SealedLog;
let read: string[] = [];

beforeEach(async () => {
  folder = await freshFolder();
  log = new SealedLog(join(folder, 'table'));
  read = [];
});

const disk: Disk = {
  ...localDisk,
  readBytes: (path) => {
    read.push(path);
    return localDisk.readBytes(path);
  },
};

function covering(from: number, to: number, more: Partial<CoverageEntry> = {}): MadeEntry {
  const options = { ...BLOCKS, key: '', from, to, status: 'complete' as const, reason: '' };
  return { ledger: { coverage: claimsOf([{ ...options, head: 99, readAtMs: 5, ...more }]) } };
}

function blocks(path: string): DataFile {
  const [rows, heights, sha256, source] = [undefined, undefined, undefined, undefined];
  return { path, sizeBytes: 1, rows, heights, sha256, source };
}

async function append(...entries: MadeEntry[]): Promise<void> {
  for (const entry of entries) await log.append(entry);
}

/** Writes a checkpoint of the newest version. */
async function save(): Promise<void> {
  const reader = log.open();
  await reader.refresh();
  expect(await reader.checkpoint(0, log.writeState)).toBeUndefined();
}

/** Path of the newest checkpoint. */
const saved = (): string => log.stateOf(log.length - 1);

/** Removes the entries before this version, as they expire. */
async function expire(version: number): Promise<void> {
  for (let at = 0; at < version; at += 1) await rm(log.pathOf(at));
}

/** Opens the log; returns the versions of the entries that were read, and the covered heights. */
async function opened(): Promise<{ versions: number[]; covered: string[] }> {
  read = [];
  const { coverage } = await log.open(disk).refresh();
  const covered = coverage.entries().map(({ from, to }) => `${from}-${to}`);
  const entries = read.filter((path) => path.endsWith('.json'));
  return { versions: entries.map((path) => Number.parseInt(path.slice(-25), 10)), covered };
}

/** The last line of a checkpoint with this text. */
function endOf(body: string): string {
  return `{"sha256":"${createHash('sha256').update(body).digest('hex')}"}\n`;
}

const FIVE = [0, 20, 40, 60, 80].map((from) => covering(from, from + 9));
const ALL = ['0-9', '20-29', '40-49', '60-69', '80-89'];

describe('a log with a checkpoint', () => {
  it('needs no entry before it, to read and to append to', async () => {
    await append(...FIVE.slice(0, 3));
    await save();
    await expire(2);
    await append(...FIVE.slice(3));
    expect(await opened()).toEqual({ versions: [2, 3, 4], covered: ALL });
  });

  it('is read from the one before it where the newest is damaged', async () => {
    await append(...FIVE.slice(0, 3));
    await save();
    await append(...FIVE.slice(3));
    await save();
    await expire(2);
    await writeFile(saved(), 'x');
    expect(await opened()).toEqual({ versions: [2, 3, 4], covered: ALL });
  });

  it('is corrupt without its first entries where no checkpoint is whole', async () => {
    await append(...FIVE);
    await save();
    await expire(1);
    await writeFile(saved(), 'x');
    await expect(log.open().refresh()).rejects.toMatchObject({ where: log.pathOf(0) });
  });

  it('is corrupt where an entry after it is missing', async () => {
    await append(...FIVE.slice(0, 2));
    await save();
    await append(...FIVE.slice(2));
    await rm(log.pathOf(3));
    await expect(log.open().refresh()).rejects.toMatchObject({ where: log.pathOf(3) });
  });

  it('is read from its checkpoint by a process that has read less when entries expire', async () => {
    await append(...FIVE.slice(0, 1));
    const reader = log.open();
    await reader.refresh();
    await append(...FIVE.slice(1, 4));
    await save();
    await expire(3);
    await append(...FIVE.slice(4));
    expect((await reader.refresh()).coverage.entries()).toHaveLength(5);
  });

  it('is read as of a time from the newest checkpoint before it', async () => {
    const start = Number((await log.open().refresh()).version) + 1_700_000_000_001;
    await append(...FIVE.slice(0, 2));
    await save();
    await append(...FIVE.slice(2, 4));
    await save();
    await append(...FIVE.slice(4));
    await expire(1);
    // Each entry is committed a millisecond after the one before it.
    const entriesAsOf = async (atMs: number) => {
      return (await log.open(localDisk, atMs).refresh()).coverage.entries().length;
    };
    expect(await entriesAsOf(start + 3)).toBe(3);
    expect(await entriesAsOf(start + 4)).toBe(4);
    expect(await entriesAsOf(start + 9)).toBe(5);
    await expect(entriesAsOf(start)).rejects.toMatchObject({ kind: 'usage', where: log.folder });
  });

  it('gives what changed since versions before it', async () => {
    await append(...FIVE);
    await save();
    const reader = log.open();
    await reader.refresh();
    expect(listedHeights(await reader.changedSince(0))).toEqual(
      [20, 40, 60, 80].map((from) => ({ from, to: from + 9 })),
    );
    const every = [{ from: 0, to: Number.MAX_SAFE_INTEGER }];
    await expire(2);
    expect(listedHeights(await reader.changedSince(0))).toEqual(every);
    expect(listedHeights(await reader.changedSince(2))).toEqual(
      [60, 80].map((from) => ({ from, to: from + 9 })),
    );
  });

  it('gives no changes from entries before it that were changed on disk', async () => {
    await append(FIVE[0] ?? {}, { added: [blocks('a')], isForeign: true }, ...FIVE.slice(1, 3));
    await save();
    await append({ added: [blocks('b')], isForeign: true });
    const changed = async (since: number) => {
      const reader = log.open();
      await reader.refresh();
      return listedHeights(await reader.changedSince(since));
    };
    const heights = [20, 40].map((from) => ({ from, to: from + 9 }));
    const every = [{ from: 0, to: Number.MAX_SAFE_INTEGER }];
    expect(await changed(1)).toEqual(every);
    expect(await changed(4)).toEqual([]);
    await log.cut(4);
    expect(await changed(1)).toEqual(heights);
    for (const [version, from, to] of [
      [2, '"rows":[[0,0,20,', '"rows":[[0,0,21,'],
      [1, '"size":1', '"size":2'],
    ] as const) {
      const text = await readFile(log.pathOf(version), 'utf8');
      await writeFile(log.pathOf(version), text.replace(from, to));
      // A seal tells where: its own entry, or the one before it that has none.
      await expect(changed(0), `version ${version}`).rejects.toMatchObject({
        where: log.pathOf(2),
        message: expect.stringContaining("The table's log is corrupt"),
      });
      await writeFile(log.pathOf(version), text);
    }
    await append({ added: [blocks('b')], isForeign: true });
    const reader = log.open();
    await reader.refresh();
    const text = await readFile(log.pathOf(4), 'utf8');
    await writeFile(log.pathOf(4), text.replace('"size":1', '"size":2'));
    await expect(reader.changedSince(3)).rejects.toThrow('has changed since it was read');
  });

  it('is corrupt where an entry after it has changed', async () => {
    await append(...FIVE.slice(0, 3));
    await save();
    await append(...FIVE.slice(3));
    for (const version of [3, 4]) {
      const text = await readFile(log.pathOf(version), 'utf8');
      await writeFile(log.pathOf(version), text.replace(',99,', ',98,'));
      await expect(log.open().refresh(), `version ${version}`).rejects.toMatchObject({
        where: log.pathOf(version),
        message: expect.stringContaining('was changed after it was written'),
      });
      await writeFile(log.pathOf(version), text);
    }
  });

  it('opens where an entry before it has changed, which verifying finds', async () => {
    await append(...FIVE);
    await save();
    const text = await readFile(log.pathOf(1), 'utf8');
    await writeFile(log.pathOf(1), text.replace(',99,', ',98,'));
    expect((await opened()).covered).toEqual(ALL);
    await expect(log.open(withoutStates).refresh()).rejects.toThrow(
      'was changed after it was written',
    );
    const { damaged } = await walkTable(
      { chain: 'CHAIN', table: 'blocks', folder: log.table },
      () => undefined,
    );
    expect(damaged.map(({ version }) => version)).toEqual([1]);
  });
});

describe('a checkpoint is ignored', () => {
  it('if the disk cannot read it', async () => {
    await append(...FIVE);
    await save();
    const failing: Disk = {
      ...localDisk,
      readBytes: (path) => {
        const error = Object.assign(new Error('EIO'), { code: 'EIO' });
        return path === saved() ? Promise.reject(error) : localDisk.readBytes(path);
      },
    };
    const { coverage } = await log.open(failing).refresh();
    expect(coverage.entries()).toHaveLength(5);
  });

  it.each([
    ['layout', '"layout":"2"', '"layout":"3"'],
    ['protocol', '"protocol":[1,2]', '"protocol":[3,7]'],
  ])('if it has another %s', async (_what, from, to) => {
    await append(...FIVE);
    await save();
    const reader = log.open();
    await reader.refresh();
    const text = await readFile(saved(), 'utf8');
    expect(text).toContain(from);
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1).replace(from, to);
    await writeFile(saved(), `${body}${endOf(body)}`);
    expect((await opened()).versions.slice(-5)).toEqual([0, 1, 2, 3, 4]);
    const unchanged = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    await writeFile(saved(), `${unchanged}${endOf(unchanged)}`);
    expect((await opened()).versions).toEqual([4]);
  });

  it('unless another windrow wrote it in another format, which refuses the table', async () => {
    await append(...FIVE);
    await save();
    const text = await readFile(saved(), 'utf8');
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    const other = body.replace('"format":6', '"format":7');
    await writeFile(saved(), `${other}${endOf(other)}`);
    await expect(log.open().refresh()).rejects.toMatchObject({
      kind: 'lake',
      message: 'This checkpoint has format 7, and this windrow reads format 6.',
      where: saved(),
    });
  });

  it('if it names a file outside the folder of its table', async () => {
    await append({ added: [blocks('a')] }, ...FIVE);
    await save();
    const text = await readFile(saved(), 'utf8');
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    const elsewhere = body.replace('"path":"a', '"path":"../a');
    expect(elsewhere).not.toBe(body);
    await writeFile(saved(), `${elsewhere}${endOf(elsewhere)}`);
    expect((await opened()).versions.slice(-6)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('a checkpoint is written', () => {
  it('after this many commits, or entries of as many bytes as it has', async () => {
    const written: number[] = [];
    const reader = log.open();
    const write: typeof log.writeState = (fold) => {
      written.push(fold.version);
      return log.writeState(fold);
    };
    const long = 'x'.repeat(CHECKPOINT_BYTES);
    for (const item of [...FIVE, covering(100, 109, { reason: long }), covering(120, 129)]) {
      await append(item);
      await reader.refresh();
      await reader.checkpoint(3, write);
    }
    expect(written).toEqual([2, 5]);
    await append(covering(140, 149, { reason: `${long}${long}` }));
    await reader.refresh();
    await reader.checkpoint(3, write);
    expect(written).toEqual([2, 5, 7]);
  });

  it('as it was: an entry that is committed meanwhile is folded after it', async () => {
    await append(...FIVE.slice(0, 4));
    const reader = log.open();
    await reader.refresh();
    let next: Promise<unknown> = Promise.resolve();
    await reader.checkpoint(1, async (fold) => {
      await append(...FIVE.slice(4));
      next = reader.refresh();
      await new Promise((resolve) => setImmediate(resolve));
      return log.writeState(fold);
    });
    await next;
    const fold = stateIn(await readFile(log.stateOf(3)), log.stateOf(3));
    expect(fold?.version).toBe(3);
    expect(fold?.coverage.entries()).toHaveLength(4);
    expect((await opened()).covered).toEqual(ALL);
  });

  it('or not, on a disk that refuses it; other errors are errors', async () => {
    await append(...FIVE);
    const reader = log.open();
    await reader.refresh();
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    expect(await reader.checkpoint(1, () => Promise.reject(full))).toBe(full);
    await append(covering(100, 109));
    await reader.refresh();
    const buggy = reader.checkpoint(1, () => Promise.reject(new Error('a bug')));
    await expect(buggy).rejects.toThrow('a bug');
  });

  it('in this format, whose number changes with it', () => {
    const fold = new Fold();
    const at = { rows: 2, heights: { from: 1, to: 2 }, sha256: 'ab', source: BLOCKS };
    const file: TableFile = { path: 'a', sizeBytes: 1, addedAtMs: 11, ...at };
    const metaData = { id: 'id', schemaString: '{}', partitionColumns: [], configuration: {} };
    const options = { ...BLOCKS, from: 0, to: 4, status: 'complete' as const, reason: 'r' };
    const digests = { before: 'b'.repeat(64), digest: 'a'.repeat(64) };
    Object.assign(fold, { version: 3, ...digests, latestMs: 12, columns: ['c'], metaData });
    fold.names.add(0, ['k', 'l']);
    fold.files.set('a', file);
    fold.removedAt.set('b', 7);
    fold.transactions.set('t', 8);
    fold.walked.set('list?', { slices: 1, requests: 2, keyBlocks: 3 });
    fold.reorganisations.push({ height: 5 });
    fold.blockCheckpoints = [{ height: 6, hash: '0x6' }];
    for (const key of ['k', 'l']) fold.coverage.add({ ...options, key, head: 9, readAtMs: 10 });
    const text = [...stateContent(fold)].join('');
    const [head, ...lines] = text.split('\n');
    expect(JSON.parse(head ?? '')).toEqual({
      format: 6,
      layout: '2',
      protocol: [1, 2],
      version: 3,
      before: 'b'.repeat(64),
      digest: 'a'.repeat(64),
      latestMs: 12,
      columns: ['c'],
      metaData,
    });
    expect(lines.slice(0, -2).map((line) => JSON.parse(line))).toEqual([
      { names: ['k', 'l'] },
      { files: [file] },
      { removedAt: [['b', 7]] },
      { transactions: [['t', 8]] },
      { walked: [['list?', { slices: 1, requests: 2, keyBlocks: 3 }]] },
      { reorganisations: [{ height: 5 }] },
      { blockCheckpoints: [{ height: 6, hash: '0x6' }] },
      {
        coverage: {
          ...BLOCKS,
          keys: ['k', 'l'],
          parts: [{ from: 0, to: 4, status: 'complete', reason: 'r', head: 9, readAtMs: 10 }],
        },
      },
    ]);
    expect(lines.at(-2)).toMatch(/^\{"sha256":"[0-9a-f]{64}"\}$/);
    // A field that is folded but not written would be lost.
    expect(Object.keys(fold).length).toBe(15);
  });
});
