import { expect, it } from 'vitest';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { KINDS } from './pacer-servers.ts';
import { mean, type Result, simulate } from './pacer-simulation.ts';

/**
 * Processes that share a key keep to the hidden limit together. The gates are 5 points below those
 * of one process; limits per minute are left out: each process tests after such a limit for itself,
 * so together they use about three quarters of it.
 */
const COUNTS = IS_EXHAUSTIVE ? [2, 3] : [2];
const CASES = KINDS.filter(({ isPerMinute }) => !isPerMinute).flatMap((kind) =>
  COUNTS.flatMap((processes) =>
    (IS_EXHAUSTIVE ? [5, 50] : [10]).map((limitPerSecond) => ({
      kind,
      processes,
      limitPerSecond,
      name: `${kind.name} of ${limitPerSecond}/s, ${processes} processes`,
    })),
  ),
);

it.each(CASES)('several processes use one limit: $name', async (given) => {
  const { kind, processes, limitPerSecond } = given;
  const found: Result[] = [];
  for (const seed of [1, 2]) {
    const of = { kind, limitPerSecond, seed, durationMs: 400_000, warmUpMs: 120_000 };
    found.push(await simulate({ ...of, processes }));
  }
  expect(mean(found.map(({ ratio }) => ratio))).toBeGreaterThanOrEqual(kind.minRatio - 0.05);
  expect(mean(found.map(({ ratio }) => ratio))).toBeLessThanOrEqual(1);
  expect(mean(found.map(({ rejections }) => rejections))).toBeLessThanOrEqual(0.02);
});
