import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointAt } from '../../src/catalogue/index.ts';
import type { Status } from '../../src/coverage/coverage.ts';
import type { Effects } from '../../src/effects.ts';
import { markRoot } from '../../src/land/data-root.ts';
import { openLake } from '../../src/land/lake.ts';
import type { Walk } from '../../src/land/rule/claim.ts';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { DiskStore } from '../model/disk-store.ts';
import { dyingDisk } from '../model/dying-disk.ts';
import { type ChainRecord, ENDPOINT } from '../model/history.ts';
import { breakages, type Operation, recordingDisk } from '../model/power-cut.ts';

/**
 * Goal: whenever the power goes, between any two operations of a commit, what is left on disk is
 * a table, and holds every commit that was told to be done.
 */

let root = '';
let operations: Operation[] = [];
let stores: DiskStore[] = [];

beforeEach(async () => {
  root = await freshFolder();
  operations = [];
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
});

async function openStore(
  disk: Disk = recordingDisk(operations),
  folder = 'lake',
  effects = quietEffects(),
): Promise<DiskStore> {
  const at = join(root, folder, 'CHAIN');
  // Every commit writes a checkpoint.
  const store = await DiskStore.open(effects, disk, at, endpointAt(ENDPOINT).dataset, 1);
  stores.push(store);
  return store;
}

function walk(keys: string[], from: number, status: Status, heights: number[]): Walk<ChainRecord> {
  const interval = { from, to: from + 9 };
  const claim = { list: listNamed(ENDPOINT), keys, interval, status, reason: '' };
  return {
    claim: { ...claim, head: 99, readAtMs: 1, generation: 0 },
    records: heights.map((height) => ({ height, touches: keys, content: `${height}` })),
  };
}

/** Notes that the newest version is told to be committed. */
async function tell(store: DiskStore): Promise<void> {
  const { version } = await store.table.snapshot();
  const name = `${String(version).padStart(20, '0')}.json`;
  operations.push({ do: 'tell', entry: join(store.folder, 'table', '_delta_log', name) });
}

async function commit(store: DiskStore, ...walks: Walk<ChainRecord>[]): Promise<void> {
  await store.commit(walks);
  await tell(store);
}

/** A clock that moves more than a week a look. */
function weekly(nowMs = 1_700_000_000_000): Effects {
  let weeks = 0;
  const now = (): number => {
    weeks += 1;
    return nowMs + weeks * 8 * 24 * 3_600_000;
  };
  return quietEffects({ now });
}

async function entriesIn(store: DiskStore): Promise<string[]> {
  const names = await localDisk.list(join(store.folder, 'table', '_delta_log'));
  return names.filter((name) => name.endsWith('.json'));
}

function renamed(end: string): Operation[] {
  return operations.filter((step) => step.do === 'rename' && step.to.endsWith(end));
}

describe('after a power cut', () => {
  it('a table holds every commit that was told, and all that its entries refer to', async () => {
    const store = await openStore();
    await commit(store, walk(['0xa'], 0, 'provisional', [1, 2, 2]));
    await commit(store, walk(['0xb'], 10, 'complete', [11]));
    await commit(store, walk(['0xa'], 0, 'complete', [1, 3]), walk(['0xc'], 0, 'complete', [4]));
    await commit(store, walk(['0xd'], 0, 'complete', []));
    await store.reorganised(5);
    await tell(store);
    await store.compact();
    await tell(store);
    expect(operations.filter((operation) => operation.do === 'tell')).toHaveLength(6);
    expect(renamed('.parquet')).toHaveLength(4 + 6);
    expect(renamed('.checkpoint.parquet')).toHaveLength(6);
    expect(renamed('.windrow')).toHaveLength(6);
    expect(breakages(operations, root)).toEqual([]);
    expect(await store.rows()).toHaveLength(4);
  });

  it('a table whose first commit found nothing holds this commit', async () => {
    const store = await openStore();
    await commit(store, walk(['0xa'], 0, 'complete', []));
    expect(renamed('.parquet')).toEqual(renamed('.checkpoint.parquet'));
    expect(breakages(operations, root)).toEqual([]);
  });

  it('a table of two writers holds what both were told', async () => {
    const disk = recordingDisk(operations);
    const other = await openStore(disk);
    let hasRaced = false;
    const late: Disk = {
      ...disk,
      linkIfAbsent: async (from, to) => {
        if (!hasRaced) {
          hasRaced = true;
          await commit(other, walk(['0xb'], 0, 'complete', [5]));
        }
        return disk.linkIfAbsent(from, to);
      },
    };
    const store = await openStore(late);
    await commit(store, walk(['0xa'], 0, 'complete', [1]));
    expect(operations.filter((operation) => operation.do === 'tell')).toHaveLength(2);
    expect(breakages(operations, root)).toEqual([]);
    const contents = (await store.rows()).map((row) => row.height).sort();
    expect(contents).toEqual([1, 5]);
    const { coverage } = await store.state();
    expect(coverage.entries().map(({ key }) => key)).toEqual(['0xa', '0xb']);
  });

  it('a table is whole too when a run was killed before, at any operation', async () => {
    const killed = new Error('killed');
    let points = 0;
    for (let kill = 1; ; kill += 1) {
      operations = [];
      const disk = dyingDisk(recordingDisk(operations), kill, killed);
      const store = await openStore(disk, `lake-${kill}`);
      const first = commit(store, walk(['0xa'], 0, 'complete', [1, 2]));
      const isKilled = await first.then(
        () => false,
        (error: unknown) => error === killed,
      );
      const next = await openStore(recordingDisk(operations), `lake-${kill}`);
      await commit(next, walk(['0xb'], 0, 'complete', [3]));
      await commit(next, walk(['0xa'], 0, 'complete', [1, 2]));
      expect(breakages(operations, root), `killed at operation ${kill}`).toEqual([]);
      expect((await next.rows()).map((row) => row.height).sort()).toEqual([1, 2, 3]);
      for (const handle of stores.splice(0)) await handle.close();
      if (!isKilled) break;
      points += 1;
    }
    expect(points).toBeGreaterThan(18);
  });

  it('a table holds every commit that was told while old entries expire', async () => {
    const effects = weekly();
    const store = await openStore(recordingDisk(operations), 'lake', effects);
    for (let at = 0; at < 6; at += 1) await commit(store, walk(['0xa'], 10 * at, 'complete', []));
    expect(await entriesIn(store)).toHaveLength(2);
    expect(breakages(operations, root)).toEqual([]);
  });

  it('a table is whole too when it was killed while entries expired', async () => {
    const killed = new Error('killed');
    let points = 0;
    const before = await openStore(localDisk, 'before');
    for (let i = 0; i < 4; i += 1) await before.commit([walk(['0xa'], 20 * i, 'complete', [])]);
    await cp(before.folder, join(root, 'original'), { recursive: true });
    for (let kill = 1; ; kill += 1) {
      const at = `lake-${kill}`;
      await cp(join(root, 'original'), join(root, at, 'CHAIN'), { recursive: true });
      operations = [];
      const late = weekly(1_800_000_000_000);
      const dying = await openStore(dyingDisk(localDisk, kill, killed), at, late);
      const isKilled = await dying.commit([walk(['0xa'], 80, 'complete', [])]).then(
        () => false,
        (error: unknown) => error === killed,
      );
      const next = await openStore(localDisk, at, late);
      const { version, coverage } = await next.table.snapshot();
      expect(coverage.entries(), `killed at ${kill}`).toHaveLength(version + 1);
      await next.commit([walk(['0xb'], 0, 'complete', [1])]);
      await next.commit([walk(['0xb'], 10, 'complete', [12])]);
      const fresh = await openStore(localDisk, at, late);
      expect(await fresh.table.snapshot()).toMatchObject({ version: version + 2 });
      expect((await fresh.rows()).map((row) => row.height).sort()).toEqual([1, 12]);
      expect((await entriesIn(next)).length).toBeLessThan(4);
      for (const handle of stores.splice(0)) await handle.close();
      if (!isKilled) break;
      points += 1;
    }
    expect(points).toBeGreaterThan(20);
  });

  it('the marker of a data root is whole or absent', async () => {
    const disk = recordingDisk(operations);
    await markRoot(root, '0.1.0', disk);
    await markRoot(root, '0.2.0', disk);
    const marker = join(root, 'state', 'root.json');
    const links = operations.filter((operation) => 'to' in operation && operation.to === marker);
    expect(links).toHaveLength(1);
    const synced = operations.findIndex((operation) => operation.do === 'sync');
    expect(synced).toBeGreaterThan(-1);
    expect(synced).toBeLessThan(operations.findIndex((operation) => operation.do === 'link'));
    const settings = { root, chains: CHAINS, run: 'test', effects: quietEffects(), disk };
    (await openLake(settings)).close();
  });
});
