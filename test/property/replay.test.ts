import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf, IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { falseCompletes } from '../model/history.ts';
import { MemoryLake, playQuarantine, quarantineActions } from '../model/quarantine-history.ts';

/**
 * Goal: after any history of runs, refetches, reorganisations, upgrades, replays of any choice, and
 * deaths between the two commits of either, what coverage calls complete equals the chain as a
 * multiset. A replay that is played once more changes nothing.
 */
test('what coverage calls complete equals the chain, whatever was replayed and when', async () => {
  const seed = Number(process.env['SEED'] ?? 4_711);
  const numRuns = casesOf(IS_EXHAUSTIVE ? 2_000 : 800);
  const counts = new Map<string, number>();
  let claims = 0;
  await fc.assert(
    fc.asyncProperty(quarantineActions, async (history) => {
      const lake = new MemoryLake();
      const told = (outcome: string, status = ''): void => {
        const name = `${outcome} ${status}`.trim();
        counts.set(name, (counts.get(name) ?? 0) + 1);
      };
      await playQuarantine(history, lake, told, async (chain) => {
        const { coverage } = await lake.store.known();
        claims += coverage.entries().filter(({ status }) => status === 'complete').length;
        expect(falseCompletes(chain, await lake.store.rows(), coverage)).toEqual([]);
      });
      const landings: string[] = [];
      await lake.replay(
        () => true,
        0,
        false,
        () => undefined,
      );
      await lake.replay(
        () => true,
        0,
        false,
        (outcome) => landings.push(outcome),
      );
      expect(landings).not.toContain('landing');
    }),
    { seed, numRuns },
  );
  const said = [...counts].map(([name, count]) => `${count} ${name}`).sort();
  process.stdout.write(`replay: seed ${seed}, ${claims} complete entries; ${said.join(', ')}\n`);
  expect(counts.get('landing complete')).toBeGreaterThan(numRuns / 20);
  expect(counts.get('landing inconsistent')).toBeGreaterThan(numRuns / 20);
  expect(counts.get('refused')).toBeGreaterThan(numRuns / 20);
});
