import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf } from '../../fixtures/thorough.ts';
import { actions, falseCompletes, play } from '../../model/history.ts';
import { MemoryStore } from '../../model/memory-store.ts';

/**
 * Goal: after any history of growth, reorganisation, overlapping groups, truncated and stale
 * walks, two writers and crashes, what coverage calls complete equals the chain as a multiset.
 */
test('what coverage calls complete equals the chain after any history', async () => {
  const seed = Number(process.env['SEED'] ?? 20_251);
  let claims = 0;
  await fc.assert(
    fc.asyncProperty(actions, async (history) => {
      const store = new MemoryStore();
      await play(history, store, async (chain, state) => {
        claims += state.coverage.entries().filter((e) => e.status === 'complete').length;
        expect(falseCompletes(chain, await store.rows(), state.coverage)).toEqual([]);
      });
    }),
    { seed, numRuns: casesOf(3_000) },
  );
  process.stdout.write(`merge: seed ${seed}, ${claims} complete entries checked\n`);
  expect(claims).toBeGreaterThan(10_000);
});
