import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { type Layout, layout } from '../../../../src/land/storage/layout.ts';
import { removeLeftovers, removeStaging } from '../../../../src/land/storage/staging.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';
import { DiskStore } from '../../../model/disk-store.ts';
import { dyingDisk } from '../../../model/dying-disk.ts';
import { ENDPOINT } from '../../../model/history.ts';

/**
 * Goal: what killed runs left in the making goes, what this run makes goes at its end, and nothing
 * else under the data root ever does.
 */

const OWN = '20260103T000000Z-abcdef';
const KILLED = '20260102T030405Z-1f2e3d';
const REPLAY = '20260102T030406Z-replay';

/** Files that a test puts are made now, give or take. */
const NOW_MS = Date.now();

let root = '';
let paths: Layout;

beforeEach(async () => {
  root = await freshFolder();
  paths = layout(root);
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), name);
  }
}

/** Paths of all files under the data root, sorted. */
async function files(): Promise<string[]> {
  const all = await readdir(root, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const OTHERS = [
  'lake/MAINCHAIN/blocks/part-1.parquet',
  `lake/${KILLED}/part-1.parquet`,
  `runs/${KILLED}.json`,
  `${KILLED}/part-1.parquet`,
  'staging/load/part-1.parquet',
  `staging/load/${KILLED}/part-1.parquet`,
  'staging/warehouse-1.duckdb',
  `staging/${KILLED}.keep/x`,
  `staging/x${KILLED}/x`,
  'state/lock',
];

describe('what other runs left in the making', () => {
  it('goes, and nothing else', async () => {
    const parts = [`staging/${OWN}/part-2.parquet`, `staging/${OWN}/spilled/1.tmp`];
    await put(...OTHERS, ...parts);
    await put(`staging/${KILLED}/part-1.parquet`, `staging/${KILLED}/spilled/1.tmp`);
    await put(`staging/${REPLAY}/1.json`);
    expect(await removeLeftovers(paths, OWN, localDisk, NOW_MS)).toEqual([KILLED, REPLAY]);
    expect(await files()).toEqual([...OTHERS, ...parts].sort());
    expect(await removeLeftovers(paths, OWN, localDisk, NOW_MS)).toEqual([]);
  });

  it('goes with warehouses that are a day old and that no run was making', async () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    const old = [
      `warehouse-${id}.duckdb`,
      `warehouse-${id}.duckdb.wal`,
      `load/checkpoint-${id}.windrow`,
      `load/part-${id}.parquet`,
      `load/spilled-${id}`,
      `load/warehouse-${id}.duckdb`,
    ];
    await put(...old.map((name) => `staging/${name}`), 'staging/load/other', 'staging/warehouse-1');
    expect(await removeLeftovers(paths, OWN, localDisk, NOW_MS)).toEqual([]);
    const later = NOW_MS + 2 * 86_400_000;
    expect(await removeLeftovers(paths, OWN, localDisk, later)).toEqual(old);
    expect(await files()).toEqual(['staging/load/other', 'staging/warehouse-1']);
  });

  it('is nothing where there is no data root yet', async () => {
    await rm(root, { recursive: true });
    expect(await removeLeftovers(paths, OWN, localDisk, NOW_MS)).toEqual([]);
    expect(await localDisk.list(root)).toEqual([]);
  });

  it('that is a link to somewhere else goes without what it leads to', async () => {
    await put('lake/MAINCHAIN/blocks/part-1.parquet', 'staging/load/x');
    await symlink(join(root, 'lake'), join(root, 'staging', KILLED));
    expect(await removeLeftovers(paths, OWN, localDisk, NOW_MS)).toEqual([KILLED]);
    expect(await files()).toEqual(['lake/MAINCHAIN/blocks/part-1.parquet', 'staging/load/x']);
  });

  it('that the disk does not let go is a fault', async () => {
    await put(`staging/${KILLED}/1.json`);
    const broken = Object.assign(new Error('EIO'), { code: 'EIO' });
    const disk = { ...localDisk, remove: () => Promise.reject(broken) };
    await expect(removeLeftovers(paths, OWN, disk, NOW_MS)).rejects.toBeInstanceOf(Fault);
    await expect(removeStaging(paths, KILLED, disk)).rejects.toBeInstanceOf(Fault);
  });

  it('was left by a run killed at any operation, and the table stays as it was', async () => {
    const killed = new Error('killed');
    let left = 0;
    for (let kill = 1; ; kill += 1) {
      const folder = join(root, `kill-${kill}`);
      const at = { ...paths, staging: join(folder, 'staging') };
      const dying = dyingDisk(localDisk, kill, killed);
      const first = await DiskStore.open(quietEffects(), dying, folder);
      const records = [{ height: 1, touches: ['0xa'], content: '1' }];
      const claim = {
        list: listNamed(ENDPOINT),
        keys: ['0xa'],
        interval: { from: 0, to: 9 },
      };
      const proved = {
        status: 'complete' as const,
        reason: '',
        head: 9,
        readAtMs: 1,
        generation: 0,
      };
      const walk = { claim: { ...claim, ...proved }, records };
      const isKilled = await first.commit([walk]).then(
        () => false,
        (error: unknown) => error === killed,
      );
      // The table of the model stages as the run `test`; the folder takes the name of a run.
      const staged = await localDisk.list(at.staging);
      left += staged.length;
      await localDisk.makeFolder(at.staging);
      await localDisk.rename(at.staging, join(folder, KILLED));
      await localDisk.makeFolder(at.staging);
      await localDisk.rename(join(folder, KILLED), join(at.staging, KILLED));
      const before = await first.rows();
      expect(await removeLeftovers(at, OWN, localDisk, NOW_MS)).toEqual([KILLED]);
      expect(await localDisk.list(at.staging)).toEqual([]);
      expect(await first.rows()).toEqual(before);
      await first.close();
      if (!isKilled) break;
    }
    expect(left).toBeGreaterThan(0);
  });
});

describe('what a run made', () => {
  it('goes at its end, and nothing else', async () => {
    await put(...OTHERS, `staging/${OWN}/part-2.parquet`, `staging/${KILLED}/1.json`);
    await removeStaging(paths, OWN, localDisk);
    expect(await files()).toEqual([...OTHERS, `staging/${KILLED}/1.json`].sort());
    await removeStaging(paths, OWN, localDisk);
  });

  it.each(['', '.', '..', '../lake', 'load'])(
    'stays where its name is none: "%s"',
    async (name) => {
      await put(...OTHERS);
      await removeStaging(paths, name, localDisk);
      expect(await files()).toEqual([...OTHERS].sort());
    },
  );
});
