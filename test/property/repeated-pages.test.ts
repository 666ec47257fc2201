import { expect, test } from 'vitest';
import { repeatedPage } from '../model/faulty-wire.ts';
import { type Answer, chainOf, exported } from '../model/limited-world.ts';
import { type Dish, MENU } from '../model/menu.ts';
import { TOKENS } from '../model/small-chain.ts';

/** A service that answers its nth request with the page before the one asked for. */
function repeatingOnce(nth: number) {
  let requests = 0;
  return (answer: Answer): Answer =>
    async (request) => {
      requests += 1;
      const repeated = requests === nth ? await repeatedPage(answer, request) : undefined;
      return repeated ?? answer(request);
    };
}

const MOST_REQUESTS = 24;

/** Plays every repeat there can be in a walk of a list that moves; returns what was wrong. */
async function repeats(dish: Dish): Promise<string[]> {
  const wrong: string[] = [];
  for (const blocks of [17, 33]) {
    for (let nth = 1; nth <= MOST_REQUESTS; nth += 1) {
      const { chain } = chainOf(blocks, ['token_transfers'], { base: 9_000, zoneBase: 30_000 });
      chain.grow('primary', 100);
      chain.grow('zone', 100);
      // The zone chain has a block at every height, so its list is long.
      const from = dish === 'zoneBlocks' ? 15_000 + 7 * blocks : 9_030;
      const bounds = { from, to: from + blocks - 1 };
      const { findings } = await exported({
        chain,
        requests: [{ ...MENU[dish], pageSize: 20, blocks: bounds }],
        keys: { tokens: [String(TOKENS[0])] },
        blocks: bounds,
        zoneBlocks: bounds,
        enforced: repeatingOnce(nth),
      });
      wrong.push(...findings.map((finding) => `${blocks} blocks, request ${nth}: ${finding}`));
    }
  }
  return wrong;
}

/** Goal: one page that is served twice, at any moment of a walk, hides nothing. */
test.each<Dish>(['blockList', 'transfersOfToken', 'zoneBlocks'])(
  'a page of %s that comes again is never taken for the next one',
  async (dish) => {
    expect(await repeats(dish)).toEqual([]);
  },
);
