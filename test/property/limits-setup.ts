import { expect } from 'vitest';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { limited, type RequestLimits, type Style } from '../model/limited.ts';
import type { Answer, exported } from '../model/limited-world.ts';
import { type Dish, MENU } from '../model/menu.ts';
import { ADDRESSES, TOKENS } from '../model/small-chain.ts';

/** Whether page counts tell of what is shown, or of everything. */
export const COUNTS = ['shown', 'all'] as const;
export const SEEDS = Number(process.env['SEEDS'] ?? (IS_EXHAUSTIVE ? 20 : IS_THOROUGH ? 3 : 2));
export const KEYS = { addresses: ADDRESSES, tokens: TOKENS };

/** Everything that statuses and findings say, over all seeds. */
export async function overSeeds(
  play: (seed: number) => ReturnType<typeof exported>,
  seeds = SEEDS,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { findings, keyBlocks, ran } = await play(seed);
    expect(findings, `seed ${seed}`).toEqual([]);
    for (const [status, blocks] of keyBlocks) statuses[status] = (statuses[status] ?? 0) + blocks;
    if (ran.failed.length > 0) statuses['failed'] = (statuses['failed'] ?? 0) + ran.failed.length;
  }
  return statuses;
}

/** Only these lists are limited; heads and depth limits are read without limits. */
export function onlyOn(
  dishes: readonly Dish[],
  style: Style,
  limitsOf: (path: string) => RequestLimits,
) {
  const paths = dishes.flatMap((dish) => {
    return [MENU[dish], ...MENU[dish].alternatives].map(({ entry }) => entry.path);
  });
  return (answer: Answer): Answer => {
    const by = new Map(paths.map((path) => [path, limited(answer, style, limitsOf(path))]));
    return (request) => (by.get(pathOf(request.target)) ?? answer)(request);
  };
}

export function pathOf(target: string): string {
  return target.slice('/api/v5/'.length, target.indexOf('?'));
}
