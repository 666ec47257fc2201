import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { datasets } from '../../../src/catalogue/index.ts';
import { hullOf, type Interval } from '../../../src/coverage/ranges.ts';
import type { AxisRows } from '../../../src/curate/axis-rows.ts';
import { ChunkSessions } from '../../../src/curate/chunk-sessions.ts';
import { RangeSession } from '../../../src/curate/rule/range-session.ts';
import { ruleSql } from '../../../src/curate/rule/rule-sql.ts';
import { limitMemory } from '../../../src/land/storage/memory-limit.ts';

const CHUNKS: readonly Interval[][] = [0, 1, 2, 3, 4, 5, 6, 7].map((from) => [{ from, to: from }]);

const NO_ROWS = datasets.map(({ name }) => {
  return { dataset: name, files: [], coverage: [], pathOf: () => '' };
});

let folder = '';
let sessions: ChunkSessions | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-chunks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  sessions?.close();
  vi.restoreAllMocks();
  limitMemory();
});

async function opened(): Promise<ChunkSessions> {
  const rule = await ruleSql();
  const stored = { name: 'token_transfers', paths: [] };
  const raw = NO_ROWS;
  sessions = new ChunkSessions({ axis: 'primary', raw, rule, spilledTo: folder, stored });
  await sessions.first();
  return sessions;
}

describe('sessions that compute chunks', () => {
  it('enter every chunk once, each on a session that no other chunk uses meanwhile', async () => {
    const busy = new Set<unknown>();
    const entered: number[] = [];
    await (await opened()).forEach(CHUNKS, async (chunk, rows) => {
      expect(busy.has(rows)).toBe(false);
      busy.add(rows);
      await rows.session.connection.run('SELECT 1');
      entered.push(hullOf(chunk).from);
      busy.delete(rows);
    });
    expect(entered.sort((a, b) => a - b)).toEqual(CHUNKS.map((chunk) => hullOf(chunk).from));
  });

  it('are opened anew after 8 chunks, and all are closed at the end', async () => {
    limitMemory('512MiB');
    const used: AxisRows[] = [];
    const chunks = Array.from({ length: 17 }, (_, i) => [{ from: i, to: i }]);
    const all = await opened();
    await all.forEach(chunks, async (_, rows) => void used.push(rows));
    const perSession = [...new Set(used)].map(
      (rows) => used.filter((each) => each === rows).length,
    );
    expect(perSession).toEqual([8, 8, 1]);
    expect(await all.first()).toBe(used.at(-1));
    all.close();
    for (const { session } of used) {
      await expect(session.connection.run('SELECT 1')).rejects.toThrow('disconnected');
    }
  });

  it('are whole again after one could not be opened anew, and all are closed at the end', async () => {
    limitMemory('1GiB');
    const chunks = Array.from({ length: 40 }, (_, i) => [{ from: i, to: i }]);
    const used = new Set<AxisRows>();
    const all = await opened();
    const first = await all.first();
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const open = RangeSession.open.bind(RangeSession);
    let opens = 1;
    vi.spyOn(RangeSession, 'open').mockImplementation(async (options) => {
      opens += 1;
      if (opens > 10) throw new Error('opened without end');
      if (opens !== all.most + 1) return open(options);
      fail();
      throw new Error('no memory');
    });
    const forEach = () =>
      all.forEach(chunks, async (_, rows) => {
        used.add(rows);
        // So the session at the first place is the one to be opened anew.
        if (rows !== first) await failed;
      });
    await expect(forEach()).rejects.toThrow('no memory');
    expect(opens).toBe(all.most + 1);
    await forEach();
    all.close();
    for (const { session } of used) {
      await expect(session.connection.run('SELECT 1')).rejects.toThrow('disconnected');
    }
  });

  it('are as many as there are cores, while each has half a GiB of memory', async () => {
    const most = async (memory: string): Promise<number> => {
      limitMemory(memory);
      const { most: found } = await opened();
      sessions?.close();
      return found;
    };
    const cores = availableParallelism();
    const found = [await most('512MiB'), await most('1023MiB'), await most('1GiB')];
    expect(found).toEqual([1, 1, Math.min(cores, 2)]);
    expect(await most('512GiB')).toBe(cores);
  });

  it('begin no chunk after a failure, and end those that were begun', async () => {
    let open = 0;
    const begun: number[] = [];
    const failing = (await opened()).forEach(CHUNKS, async (chunk, rows) => {
      const { from } = hullOf(chunk);
      begun.push(from);
      open += 1;
      if (from > 0) await rows.session.connection.run('SELECT 1');
      open -= 1;
      if (from === 0) throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(open).toBe(0);
    expect(begun.length).toBeLessThan(CHUNKS.length);
  });
});
