import { expect, test } from 'vitest';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { compareRoutes, type RouteName } from './differential.ts';

const FIRST_SEED = Number(process.env['SEED'] ?? 7);
const SEEDS = Array.from({ length: IS_EXHAUSTIVE ? 5 : 1 }, (_, i) => FIRST_SEED + i);
const FEW_ROUTES: RouteName[] = ['pages of 20', 'groups of 7', 'windows of 3,333'];

/**
 * Goal: how a lake was filled, with what page, group and window sizes, against how many faults and
 * with how many interruptions, does not show in what it holds; and that is what the chain holds.
 */
test.each(SEEDS)('one specification is one content by every route (seed %i)', async (seed) => {
  const compared = await compareRoutes(seed, IS_THOROUGH ? undefined : FEW_ROUTES);
  expect(compared.differences).toEqual([]);
  expect(Object.values(compared.rows).some((rows) => rows > 0)).toBe(true);
  expect(compared.struck).toBeGreaterThan(0);
});
