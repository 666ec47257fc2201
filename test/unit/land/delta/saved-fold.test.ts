import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoverageEntry } from '../../../../src/coverage/coverage.ts';
import type { DataFile, TableFile } from '../../../../src/land/delta/actions.ts';
import { listedHeights } from '../../../../src/land/delta/changed-heights.ts';
import { Fold } from '../../../../src/land/delta/fold.ts';
import { claimsOf } from '../../../../src/land/delta/ledger.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { EMPTY_LOG, logDigest, sealed } from '../../../../src/land/delta/log-entry.ts';
import { isMadeFromLog, savedContent, savedFoldIn } from '../../../../src/land/delta/saved-fold.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { walkTable } from '../../../../src/land/verify/verify-table.ts';
import { HEIGHT, type MadeEntry, SealedLog, writeFold } from '../../../fixtures/sealed-log.ts';

/**
 * Goal: a saved fold shortens the opening of a log, and can never change what is read from it.
 */

const BLOCKS = { endpoint: 'mainchain/block/block-fills', variant: '' };

let folder = '';
let log: SealedLog;
let read: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-fold-'));
  log = new SealedLog(join(folder, 'table'));
  read = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const disk: Disk = {
  ...localDisk,
  readBytes: (path) => {
    read.push(path);
    return localDisk.readBytes(path);
  },
};

function covering(from: number, to: number, more: Partial<CoverageEntry> = {}): MadeEntry {
  const of = { ...BLOCKS, key: '', from, to, status: 'complete' as const, reason: '' };
  return { ledger: { coverage: claimsOf([{ ...of, head: 99, readAtMs: 5, ...more }]) } };
}

function blocks(path: string): DataFile {
  const [rows, heights, sha256, source] = [undefined, undefined, undefined, undefined];
  return { path, sizeBytes: 1, rows, heights, sha256, source };
}

async function append(...entries: MadeEntry[]): Promise<void> {
  for (const entry of entries) await log.append(entry);
}

/** Saves the fold of the whole log. */
async function save(): Promise<void> {
  const reader = log.open();
  await reader.refresh();
  expect(await reader.save(writeFold)).toBeUndefined();
}

/** Opens the log; returns the versions of the entries that were read, and the covered heights. */
async function opened(): Promise<{ versions: number[]; covered: string[] }> {
  read = [];
  const { coverage } = await log.open(true, disk).refresh();
  const covered = coverage.entries().map(({ from, to }) => `${from}-${to}`);
  const entries = read.filter((path) => path.endsWith('.json'));
  return { versions: entries.map((path) => Number.parseInt(path.slice(-25), 10)), covered };
}

/** The last line of a saved fold with this text. */
function endOf(body: string): string {
  return `{"sha256":"${createHash('sha256').update(body).digest('hex')}"}\n`;
}

const FIVE = [0, 20, 40, 60, 80].map((from) => covering(from, from + 9));
const ALL = ['0-9', '20-29', '40-49', '60-69', '80-89'];

describe('a log with a saved fold', () => {
  it('is read from the entry of the fold on', async () => {
    await append(...FIVE.slice(0, 3));
    await save();
    await append(...FIVE.slice(3));
    expect(await opened()).toEqual({ versions: [2, 3, 4], covered: ALL });
  });

  it('is read from its first entry once the fold is lost', async () => {
    await append(...FIVE);
    await save();
    await rm(log.savedFold);
    expect(await opened()).toEqual({ versions: [0, 1, 2, 3, 4], covered: ALL });
  });

  it('has every entry on disk: a log without its old entries is corrupt', async () => {
    await append(...FIVE);
    await save();
    await rm(log.pathOf(1));
    await expect(log.open().refresh()).rejects.toMatchObject({ where: log.pathOf(1) });
  });

  it('gives what changed since versions before the fold', async () => {
    await append(...FIVE);
    await save();
    const reader = log.open();
    await reader.refresh();
    expect(listedHeights(await reader.changedSince(0))).toEqual(
      [20, 40, 60, 80].map((from) => ({ from, to: from + 9 })),
    );
  });

  it('gives no changes from entries before the fold that were changed on disk', async () => {
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

  it('is corrupt where the entry of the fold or a later one has changed', async () => {
    await append(...FIVE.slice(0, 3));
    await save();
    await append(...FIVE.slice(3));
    for (const version of [2, 3, 4]) {
      const text = await readFile(log.pathOf(version), 'utf8');
      await writeFile(log.pathOf(version), text.replace(',99,', ',98,'));
      await expect(log.open().refresh(), `version ${version}`).rejects.toMatchObject({
        where: log.pathOf(version),
        message: expect.stringContaining('was changed after it was written'),
      });
      await writeFile(log.pathOf(version), text);
    }
  });

  it('opens where an entry before the fold has changed, which verifying finds', async () => {
    await append(...FIVE);
    await save();
    const text = await readFile(log.pathOf(1), 'utf8');
    await writeFile(log.pathOf(1), text.replace(',99,', ',98,'));
    expect((await opened()).covered).toEqual(ALL);
    await expect(log.open(false).refresh()).rejects.toThrow('was changed after it was written');
    const { damaged } = await walkTable(
      { chain: 'CHAIN', table: 'blocks', folder: log.table },
      () => undefined,
    );
    expect(damaged.map(({ version }) => version)).toEqual([1]);
  });
});

describe('a saved fold is ignored', () => {
  const WHOLE = { versions: [0, 1, 2, 3, 4], covered: ALL };

  it('if any of its bytes is missing or changed', async () => {
    await append(...FIVE);
    await save();
    const whole = await readFile(log.savedFold);
    const ends = [0, 1, whole.length / 2, whole.length - 66, whole.length - 2].map(Math.floor);
    const torn = ends.map((end) => whole.subarray(0, end));
    // A changed digit makes other coverage: "from":40 becomes "from":41.
    const changed = Buffer.from(whole.toString().replace('"from":40', '"from":41'));
    const lines = whole.toString().split('\n');
    const shorter = Buffer.from([...lines.slice(0, 1), ...lines.slice(2)].join('\n'));
    for (const bytes of [...torn, changed, shorter, Buffer.from('{}\n'), Buffer.from('x')]) {
      expect(bytes.equals(whole)).toBe(false);
      await writeFile(log.savedFold, bytes);
      const { versions, covered } = await opened();
      expect({ versions: versions.slice(-5), covered }).toEqual(WHOLE);
    }
  });

  it('if the disk cannot read it', async () => {
    await append(...FIVE);
    await save();
    const failing: Disk = {
      ...localDisk,
      readBytes: (path) => {
        const error = Object.assign(new Error('EIO'), { code: 'EIO' });
        return path === log.savedFold ? Promise.reject(error) : localDisk.readBytes(path);
      },
    };
    const { coverage } = await log.open(true, failing).refresh();
    expect(coverage.entries()).toHaveLength(5);
  });

  it('if it is newer than the log, as after an older copy of the table was put back', async () => {
    await append(...FIVE);
    await save();
    await log.cut(3);
    expect(await opened()).toEqual({ versions: [0, 1, 2], covered: ALL.slice(0, 3) });
    await append(covering(41, 45), covering(61, 65));
    expect((await opened()).covered).toEqual(['0-9', '20-29', '40-49', '61-65']);
  });

  it('if it is of another log of the same length', async () => {
    await append(...FIVE);
    await save();
    const fold = await readFile(log.savedFold);
    const other = new SealedLog(join(folder, 'other'));
    for (const each of FIVE) await other.append(each);
    // The same as `FIVE`, but for one entry in the middle.
    const third = new SealedLog(join(folder, 'third'));
    for (const each of FIVE.with(2, covering(100, 109))) await third.append(each);
    for (const [of, used] of [
      [other, true],
      [third, false],
    ] as const) {
      log = of;
      await writeFold(log.savedFold, [fold.toString()]);
      expect((await opened()).versions.length, String(used)).toBe(used ? 1 : 6);
    }
    expect((await opened()).covered).toContain('100-109');
  });

  it.each([
    ['format', '"format":4', '"format":5'],
    ['layout', '"layout":"2"', '"layout":"3"'],
    ['protocol', '"protocol":[1,2]', '"protocol":[3,7]'],
    ['height column', '"heightColumn":"block_number"', '"heightColumn":"zone_height"'],
  ])('if it has another %s', async (_what, from, to) => {
    await append(...FIVE);
    await save();
    const reader = log.open();
    await reader.refresh();
    const text = await readFile(log.savedFold, 'utf8');
    expect(text).toContain(from);
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1).replace(from, to);
    await writeFile(log.savedFold, `${body}${endOf(body)}`);
    expect((await opened()).versions.slice(-5)).toEqual([0, 1, 2, 3, 4]);
    const unchanged = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    await writeFile(log.savedFold, `${unchanged}${endOf(unchanged)}`);
    expect((await opened()).versions).toEqual([4]);
  });

  it('if it names a file outside the folder of its table', async () => {
    await append({ added: [blocks('a')] }, ...FIVE);
    await save();
    const text = await readFile(log.savedFold, 'utf8');
    const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
    const elsewhere = body.replace('"path":"a', '"path":"../a');
    expect(elsewhere).not.toBe(body);
    await writeFile(log.savedFold, `${elsewhere}${endOf(elsewhere)}`);
    expect((await opened()).versions.slice(-6)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('if the entry of its version has no seal, which would tell logs apart', () => {
    const fold = new Fold();
    const entry = Buffer.from('{"commitInfo":{"operation":"OPTIMIZE"}}\n');
    fold.digest = logDigest(EMPTY_LOG, entry);
    expect(isMadeFromLog({ fold, before: EMPTY_LOG }, entry)).toBe(false);
    const own = Buffer.from(sealed('{"commitInfo":{"sealed":true}}\n', EMPTY_LOG));
    fold.digest = logDigest(EMPTY_LOG, own);
    expect(isMadeFromLog({ fold, before: EMPTY_LOG }, own)).toBe(true);
    expect(isMadeFromLog({ fold, before: '1'.repeat(64) }, own)).toBe(false);
  });
});

describe('a fold is saved', () => {
  it('when the new entries have the size of the rule, and a share of its own size', async () => {
    const rule = { bytes: 1500, share: 2, most: 5000 };
    const saves: number[] = [];
    const reader = new DeltaLog(localDisk, log.table, HEIGHT, { path: log.savedFold, rule });
    let bytes = 0;
    let saved = 0;
    const dueBytes = () => Math.max(rule.bytes, Math.min(rule.most, saved * rule.share));
    for (let at = 0; at < 60; at += 1) {
      await append(covering(at * 20, at * 20 + 9));
      bytes += (await readFile(log.pathOf(at))).length;
      await reader.refresh();
      await reader.save(async (path, text) => {
        expect(bytes).toBeGreaterThanOrEqual(dueBytes());
        saves.push(at);
        bytes = 0;
        saved = await writeFold(path, text);
        return saved;
      });
      expect(bytes).toBeLessThan(dueBytes());
    }
    expect(saves.length).toBeGreaterThan(2);
    expect((await opened()).versions[0]).toBe(saves.at(-1));
  });

  it('of a log that ends with an entry of windrow alone', async () => {
    await append(...FIVE, { isForeign: true });
    const reader = log.open();
    await reader.refresh();
    await reader.save(writeFold);
    expect(await localDisk.list(join(log.savedFold, '..'))).toEqual([]);
    await append(covering(100, 109));
    await reader.refresh();
    await reader.save(writeFold);
    expect((await opened()).versions).toEqual([6]);
  });

  it('as it was: an entry that is committed meanwhile is folded after it', async () => {
    await append(...FIVE.slice(0, 4));
    const reader = log.open();
    await reader.refresh();
    let next: Promise<unknown> = Promise.resolve();
    await reader.save(async (path, text) => {
      await append(...FIVE.slice(4));
      next = reader.refresh();
      await new Promise((resolve) => setImmediate(resolve));
      return writeFold(path, text);
    });
    await next;
    const saved = savedFoldIn(await readFile(log.savedFold), HEIGHT);
    expect(saved?.fold.version).toBe(3);
    expect(saved?.fold.coverage.entries()).toHaveLength(4);
    expect((await opened()).covered).toEqual(ALL);
  });

  it('or not, on a disk that refuses it; other errors are errors', async () => {
    await append(...FIVE);
    const reader = log.open();
    await reader.refresh();
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    expect(await reader.save(() => Promise.reject(full))).toBe(full);
    await append(covering(100, 109));
    await reader.refresh();
    await expect(reader.save(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });

  it('in this format, whose number changes with it', () => {
    const fold = new Fold();
    const at = { rows: 2, heights: { from: 1, to: 2 }, sha256: 'ab', source: BLOCKS };
    const file: TableFile = { path: 'a', sizeBytes: 1, addedAtMs: 11, ...at };
    const metaData = { id: 'id', schemaString: '{}', partitionColumns: [], configuration: {} };
    const of = { ...BLOCKS, from: 0, to: 4, status: 'complete' as const, reason: 'r' };
    Object.assign(fold, { version: 3, digest: 'a'.repeat(64), columns: ['c'], metaData });
    fold.names.add(0, ['k', 'l']);
    fold.files.set('a', file);
    fold.removedAt.set('b', 7);
    fold.transactions.set('t', 8);
    fold.walked.set('list?', { slices: 1, requests: 2, keyBlocks: 3 });
    fold.reorganisations.push({ height: 5 });
    fold.blockCheckpoints = [{ height: 6, hash: '0x6' }];
    for (const key of ['k', 'l']) fold.coverage.add({ ...of, key, head: 9, readAtMs: 10 });
    const text = [...savedContent({ fold, before: 'b'.repeat(64) }, 'h')].join('');
    const [head, ...lines] = text.split('\n');
    expect(JSON.parse(head ?? '')).toEqual({
      format: 4,
      layout: '2',
      protocol: [1, 2],
      heightColumn: 'h',
      version: 3,
      before: 'b'.repeat(64),
      digest: 'a'.repeat(64),
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
    // A field that is folded but not saved would be lost.
    expect(Object.keys(fold).length).toBe(13);
  });
});
