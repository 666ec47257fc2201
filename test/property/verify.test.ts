import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localDisk } from '../../src/land/disk.ts';
import { verifyLake } from '../../src/land/verify/verify-lake.ts';
import { Chance } from '../model/chance.ts';
import { cutEnd, flipBit, lakeFiles } from '../model/corrupter.ts';
import { DiskStore } from '../model/disk-store.ts';
import { actions, play } from '../model/history.ts';
import { quietEffects } from '../quiet-effects.ts';

/**
 * Goal: whatever a table went through, every changed bit and every lost end is found and named, and
 * nothing is found where nothing has changed.
 */
test('every changed bit and every lost end of a file is found, and nothing else', async () => {
  const seed = Number(process.env['SEED'] ?? 4_211);
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(), async (history, at) => {
      const root = await mkdtemp(join(tmpdir(), 'windrow-verify-'));
      const store = await DiskStore.open(quietEffects(), localDisk, join(root, 'lake', 'CHAIN'));
      try {
        await play(history, store, () => Promise.resolve());
        const healthy = await verifyLake(root, localDisk);
        expect(healthy.damages).toEqual([]);
        for (const { log, unproven, orphans, outdated } of healthy.tables) {
          expect([log.unproven, unproven, orphans, outdated]).toEqual([[], [], [], []]);
        }
        const chance = new Chance(at);
        const { log, data } = await lakeFiles(root);
        for (const path of [...log, ...data]) {
          for (const corrupt of [flipBit, cutEnd]) {
            const { what, undo } = await corrupt(path, chance);
            const { damages, tables } = await verifyLake(root, localDisk);
            const outdated = tables.flatMap((each) =>
              each.outdated.map((name) => join(each.folder, name)),
            );
            const found = [...damages.map((damage) => damage.path), ...outdated];
            expect(found, `${path}: ${what}`).toContain(path);
            await undo();
            tried += 1;
          }
        }
        expect((await verifyLake(root, localDisk)).damages).toEqual([]);
      } finally {
        await store.close();
        await rm(root, { recursive: true, force: true });
      }
    }),
    { seed, numRuns: 10 },
  );
  expect(tried).toBeGreaterThan(100);
});
