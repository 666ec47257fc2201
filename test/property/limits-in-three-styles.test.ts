import { describe, expect, test } from 'vitest';
import { endpointAt, endpoints, paramOf } from '../../src/catalogue/index.ts';
import { STYLES, type Style } from '../model/limited.ts';
import { chainOf, exported } from '../model/limited-world.ts';
import { BY_HEIGHT, type Dish, MENU } from '../model/menu.ts';
import { COUNTS, KEYS, onlyOn, overSeeds, SEEDS } from './limits-setup.ts';

/**
 * Goal: whatever a cap on records hides, and whether the service refuses what lies beyond it, shows
 * nothing of it or the last page again, nothing hidden is called complete.
 */

/** Lists of the primary chain that end at the record cap, with the list that finds their keys. */
const CAPPED: readonly { readonly dishes: readonly Dish[]; readonly isSplit: boolean }[] = [
  { dishes: ['transactions'], isSplit: true },
  { dishes: ['transactionsBySide'], isSplit: true },
  { dishes: ['yearOfTransactions'], isSplit: true },
  { dishes: ['internal'], isSplit: true },
  { dishes: ['transfers'], isSplit: true },
  { dishes: ['transfersOfToken'], isSplit: false },
  { dishes: ['transactionsOfBlocks'], isSplit: true },
  { dishes: ['internalOfBlocks'], isSplit: true },
  { dishes: ['transfersOfBlocks'], isSplit: true },
  { dishes: ['internal', 'internalByHash'], isSplit: true },
  { dishes: ['transfers', 'transfersByHash'], isSplit: true },
];

const isPrimaryCap = (path: string): boolean => {
  const { axis, reply, limits } = endpointAt(path);
  const { depthBlocks, depthRecords } = limits;
  const isDefined = depthBlocks !== undefined || depthRecords !== undefined;
  return axis === 'primary' && reply.shape === 'paged' && !isDefined;
};

test('every list of the primary chain that ends at a cap is played', () => {
  const played = new Set(
    CAPPED.flatMap(({ dishes }) => dishes).map((dish): string => MENU[dish].entry.path),
  );
  const capped = endpoints.map(({ path }) => path).filter(isPrimaryCap);
  expect(capped.filter((path) => !played.has(path))).toEqual([]);
});

/** Heights that are asked one by one. */
const FEW_BLOCKS = { from: 9_985, to: 9_998 };

interface CapOf {
  readonly dishes: readonly Dish[];
  readonly style: Style;
  /** The pipeline knows the cap; else it believes in 10,000. */
  readonly isTold: boolean;
  readonly counts: 'shown' | 'all';
}

function playCap({ dishes, style, isTold, counts }: CapOf) {
  return (seed: number) => {
    const datasets = ['transactions', 'internal_transactions', 'token_transfers'];
    // What stands at one height has no halves that could be counted.
    const { chain, chance } = chainOf(seed, datasets, { burst: isTold ? 45 : 12, bursts: 0.3 });
    chain.grow('primary', chance.between(16, 28));
    const cap = chance.between(20, 30);
    const isByHeight = dishes.some((dish) => BY_HEIGHT.has(dish));
    return exported({
      chain,
      requests: dishes.map((dish) => ({
        ...MENU[dish],
        pageSize: chance.pick([3, 7, 10]),
        ...(isByHeight ? { blocks: FEW_BLOCKS } : {}),
      })),
      keys: KEYS,
      recordCap: isTold ? cap : 10_000,
      enforced: onlyOn(dishes, style, () => ({ records: cap, counts })),
    });
  };
}

describe.each(STYLES)('beyond a cap on records: %s', (style) => {
  test.each(CAPPED)('$dishes: nothing hidden is called complete', async ({ dishes, isSplit }) => {
    for (const counts of COUNTS) {
      const statuses = await overSeeds(playCap({ dishes, style, isTold: true, counts }));
      expect(statuses['complete']).toBeGreaterThan(SEEDS);
      // A token's list is split by amounts, everything else by heights and keys.
      if (isSplit) expect(statuses['truncated']).toBeGreaterThan(0);
      expect(statuses['failed']).toBeUndefined();
    }
  });

  const counted = CAPPED.filter(({ dishes }) => dishes.every((dish) => isCountable(dish)));
  test.each(counted)(
    '$dishes: nor where the pipeline does not know the cap',
    async ({ dishes }) => {
      for (const counts of COUNTS) {
        const statuses = await overSeeds(playCap({ dishes, style, isTold: false, counts }));
        expect(statuses['complete']).toBeGreaterThan(SEEDS);
      }
    },
  );
});

/** Whether there is a total, or what is asked has parts to be counted: heights, or several keys. */
function isCountable(dish: Dish): boolean {
  const endpoint = MENU[dish].entry;
  const keys = paramOf(endpoint, 'keys')?.max ?? 1;
  const { reply } = endpoint;
  if (reply.shape === 'paged' && reply.total !== undefined) return true;
  return endpoint.list === 'ranged' || (endpoint.list === 'by-key' && keys > 1);
}

/**
 * Services that show less than the interface says, in a way that none of their answers tells. What
 * they hide is called complete; whoever finds evidence against one of them turns its test around.
 */
describe('what no answer tells', () => {
  const lookedUp: readonly (readonly Dish[])[] = [
    ['transactionsOfBlocks'],
    ['internal', 'internalByHash'],
  ];
  test.fails.each(lookedUp)('a cap on %s %s that the pipeline does not know', async (...dishes) => {
    const last = dishes.at(-1) ?? 'transactionsOfBlocks';
    await overSeeds((seed) => {
      const datasets = ['transactions', 'internal_transactions', 'token_transfers'];
      const { chain } = chainOf(seed, datasets, { burst: 30, bursts: 0.3 });
      chain.grow('primary', 20);
      const blocks = { from: 9_985, to: 9_998 };
      const requests = dishes.map((dish) => ({ ...MENU[dish], pageSize: 10, blocks }));
      const enforced = onlyOn([last], 'empty', () => ({ records: 17, counts: 'shown' }));
      return exported({ chain, requests, keys: KEYS, enforced });
    }, 20);
  });
});
