import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpointAt } from '../../src/catalogue/index.ts';
import type { Region } from '../../src/coverage/slice.ts';
import { entryName } from '../../src/land/delta/log-files.ts';
import type { Claim, Walk } from '../../src/land/rule/claim.ts';
import type { TableState } from '../../src/land/rule/merge.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { verifyLake } from '../../src/land/verify/verify-lake.ts';
import { verifyTable } from '../../src/land/verify/verify-table.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { Chance } from '../model/chance.ts';
import { cutEnd, flipBit, lakeFiles } from '../model/corrupter.ts';
import { contentNumber, DiskStore } from '../model/disk-store.ts';
import { actions, type ChainRecord, ENDPOINT, falseCompletes, play } from '../model/history.ts';

const DATASET = endpointAt(ENDPOINT).dataset;
/** Histories with a lost file. */
const RUNS = IS_EXHAUSTIVE ? 120 : IS_THOROUGH ? 20 : 8;
const DAY_MS = 24 * 3_600_000;

/**
 * Goal: whatever a table went through, every changed bit and every lost end is found and named, and
 * nothing is found where nothing has changed. A day passes between any two steps, so early entries
 * have expired.
 */
test('every changed bit and every lost end of a file is found, and nothing else', async () => {
  const seed = Number(process.env['SEED'] ?? 4_211);
  let tried = 0;
  let expired = 0;
  let nowMs = 1_700_000_000_000;
  const effects = quietEffects({ now: () => (nowMs += DAY_MS) });
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(), async (history, at) => {
      const root = await freshFolder();
      const folder = join(root, 'lake', 'CHAIN');
      const store = await DiskStore.open(effects, localDisk, folder, DATASET, 2);
      try {
        await play(history, store, () => Promise.resolve());
        const healthy = await verifyLake(root, localDisk);
        expect(healthy.damages).toEqual([]);
        for (const { log, unproven, orphans, outdated } of healthy.tables) {
          expect([log.unproven, unproven, orphans, outdated]).toEqual([[], [], [], []]);
        }
        const chance = new Chance(at);
        const { log, data, states } = await lakeFiles(root);
        const isExpired = log[0]?.endsWith(entryName(0)) === false;
        if (isExpired) expired += 1;
        const { files } = await store.table.snapshot();
        // No version has a file that was removed before the log begins.
        const read = data.filter((path) => !isExpired || files.has(basename(path)));
        for (const path of [...log, ...read, ...states]) {
          for (const corrupt of [flipBit, cutEnd]) {
            const { what, undo } = await corrupt(path, chance);
            const { damages, tables } = await verifyLake(root, localDisk);
            const outdated = tables.flatMap((entry) =>
              entry.outdated.map((name) => join(entry.folder, name)),
            );
            const results = [...damages.map((damage) => damage.path), ...outdated];
            expect(results, `${path}: ${what}`).toContain(path);
            await undo();
            tried += 1;
          }
        }
        expect((await verifyLake(root, localDisk)).damages).toEqual([]);
      } finally {
        await store.close();
      }
    }),
    { seed, numRuns: IS_THOROUGH ? 6 : 4 },
  );
  expect(tried).toBeGreaterThan(40);
  expect(expired).toBeGreaterThan(1);
});

/**
 * Goal: what is named for a damaged file has all its rows; without them nothing is called complete
 * that is not; and once it was read again, everything is complete that was.
 */
test('a file that is lost takes exactly the right coverage with it, and a repair gives it back', async () => {
  const seed = Number(process.env['SEED'] ?? 911);
  let repaired = 0;
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(), async (history, at) => {
      const store = await DiskStore.open(quietEffects());
      try {
        let chain: readonly ChainRecord[] = [];
        await play([...history, { do: 'detect' }], store, async (now) => {
          chain = now;
        });
        const place = { chain: 'CHAIN', table: DATASET, folder: join(store.folder, 'table') };
        const { files } = await store.table.snapshot();
        const [file] = new Chance(at).some([...files.values()]);
        if (file === undefined) return;
        const before = await store.state();
        // On disk a content is a number.
        const truth = chain.map((entry) => ({ ...entry, content: contentNumber(entry.content) }));
        expect(falseCompletes(truth, await store.rows(), before.coverage)).toEqual([]);
        const all = await store.rows();
        const path = store.table.pathOf(file);
        await rename(path, `${path}.lost`);
        const [damage, ...others] = (await verifyTable(place)).damaged;
        expect([damage?.path, damage?.what, others]).toEqual([file.path, 'is missing', []]);
        const regions = damage?.regions ?? [];
        await store.table.withdraw(new Set([file.path]), regions);
        const left = await store.rows();
        for (const row of missing(all, left)) {
          const isNamed = regions.some(({ from, to, keys }) => {
            const touches = row.touches.some((key) => keys.includes(key));
            return touches && from <= row.height && row.height <= to;
          });
          expect(isNamed, `${row.height} ${row.touches.join('>')}`).toBe(true);
        }
        const without = await store.state();
        expect(falseCompletes(truth, left, without.coverage)).toEqual([]);
        await store.commit(regions.map((region) => walkOf(region, chain, without)));
        const after = await store.state();
        expect(falseCompletes(truth, await store.rows(), after.coverage)).toEqual([]);
        for (const { key, from, to, status } of before.coverage.entries()) {
          if (status !== 'complete') continue;
          expect(
            after.coverage.missing({ endpoint: ENDPOINT, variant: '' }, key, { from, to }),
          ).toEqual([]);
        }
        repaired += 1;
      } finally {
        await store.close();
      }
    }),
    { seed, numRuns: RUNS },
  );
  expect(repaired).toBeGreaterThan(0.7 * RUNS);
});

/** The rows of which fewer copies are left. */
function missing(all: readonly ChainRecord[], left: readonly ChainRecord[]): ChainRecord[] {
  const rest = left.map(({ content }) => content);
  return all.filter(({ content }) => {
    const results = rest.indexOf(content);
    if (results >= 0) rest.splice(results, 1);
    return results < 0;
  });
}

function walkOf(
  region: Region,
  chain: readonly ChainRecord[],
  expected: TableState,
): Walk<ChainRecord> {
  const { from, to, keys } = region;
  const records = chain.filter(({ height, touches }) => {
    return from <= height && height <= to && touches.some((key) => keys.includes(key));
  });
  const claim: Claim = {
    list: listNamed(ENDPOINT),
    keys,
    interval: { from, to },
    status: 'complete',
    reason: '',
    head: 0,
    readAtMs: 0,
    generation: expected.reorganisations.length,
  };
  return { claim, records };
}
