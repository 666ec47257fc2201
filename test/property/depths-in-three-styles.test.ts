import { describe, expect, test } from 'vitest';
import { endpointAt, paramOf } from '../../src/catalogue/index.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { type RequestLimits, STYLES, type Style, shallow } from '../model/limited.ts';
import { type Answer, chainOf, exported, honest } from '../model/limited-world.ts';
import { type Dish, MENU } from '../model/menu.ts';
import { ADDRESSES, TOKENS } from '../model/small-chain.ts';
import { COUNTS, KEYS, onlyOn, overSeeds, pathOf, SEEDS } from './limits-setup.ts';

/**
 * Goal: whatever the depth of a list hides, and however the service treats requests that ask for
 * too much at once, nothing hidden is called complete.
 */

const YEAR_MS = 365 * 86_400_000;

/** A list that reaches so far back in time, from the newest record of the address. */
function playYears(dish: Dish, style: Style, shareOfYear: number) {
  return (seed: number) => {
    const blockMs = YEAR_MS / 20;
    const { chain, chance } = chainOf(seed, ['transactions'], { blockMs });
    chain.grow('primary', chance.between(24, 40));
    const path = MENU.yearOfTransactions.entry.path;
    const depthMs = shareOfYear * YEAR_MS;
    const shown = honest(chain, { view: (source) => shallow(source, { ms: depthMs }) });
    const enforced = (answer: Answer): Answer => {
      return (request) => {
        if (pathOf(request.target) !== path) return answer(request);
        if (style !== 'error') return shown(request);
        const query = new URL(request.target, 'http://x').searchParams;
        const from = Number(query.get('startBlockHeight'));
        const newest = chain
          .all('transactions')
          .findLast(({ record }) =>
            `${record['from_address']},${record['to_address']}`.includes(
              query.get('address') ?? '',
            ),
          );
        const oldestMs = Number(newest?.record['block_time'] ?? 0) - depthMs;
        return Number(chain.timeAt(from)) < oldestMs ? refused() : shown(request);
      };
    };
    return exported({ chain, enforced, requests: [MENU[dish]], keys: KEYS });
  };
}

const refused = () =>
  Promise.resolve({ status: 400, headers: {}, body: '{"code":"50036","msg":"too old","data":[]}' });

describe.each(STYLES)('beyond a year of an address: %s', (style) => {
  test('what is older is depth limited, and what is not is complete', async () => {
    const statuses = await overSeeds(playYears('yearOfTransactions', style, 1));
    expect(statuses['depth_limited']).toBeGreaterThan(SEEDS);
    expect(statuses['complete']).toBeGreaterThan(SEEDS);
    expect(statuses['failed'] ?? 0).toBe(0);
  });

  test('another list reaches what is older', async () => {
    const statuses = await overSeeds(playYears('transactionsEitherWay', style, 1));
    expect(statuses['depth_limited'] ?? 0).toBe(0);
    expect(statuses['complete']).toBeGreaterThan(SEEDS);
  });
});

const DEPTH = 10_000;

/** Blocks around the oldest one that a list of so many of them still shows. */
function playBlocks(dish: Dish, style: Style, shown: (seed: number) => number) {
  return (counts: 'shown' | 'all') => (seed: number) => {
    const { chain, chance } = chainOf(seed, [], { base: 12_000 + 100 * seed });
    chain.grow('primary', 3);
    const oldest = chain.heads.primary - shown(seed) + 1;
    const from = Math.max(0, oldest - chance.between(1, 40));
    return exported({
      chain,
      requests: [MENU[dish]],
      blocks: { from, to: oldest + chance.between(0, 40) },
      enforced: onlyOn(['blockList'], style, () => ({ records: shown(seed), counts })),
    });
  };
}

describe.each(STYLES)('beyond the newest blocks of the block list: %s', (style) => {
  test.each(COUNTS)('what is older is not complete; counted: %s', async (counts) => {
    const statuses = await overSeeds(playBlocks('blockList', style, () => DEPTH)(counts));
    expect(statuses['depth_limited']).toBeGreaterThan(SEEDS);
    expect(statuses['complete']).toBeGreaterThan(SEEDS);
  });

  test.each(COUNTS)(
    'nor in a list that is not as deep as documented; counted: %s',
    async (counts) => {
      const play = playBlocks('blockList', style, (seed) => DEPTH - 31 * seed);
      const statuses = await overSeeds(play(counts));
      expect(Object.keys(statuses)).not.toEqual(['complete']);
    },
  );

  test('blocks one by one reach what is older', async () => {
    const statuses = await overSeeds(playBlocks('blocksEitherWay', style, () => DEPTH)('shown'));
    expect(statuses).toEqual({ complete: statuses['complete'] });
  });
});

/** A ranking of so many holders, of which so many are shown. */
function playRanks(style: Style, holders: number, shown: number) {
  return (seed: number) => {
    const { chain } = chainOf(seed, ['native_holders'], { holders: holders + seed });
    chain.grow('primary', 3);
    return exported({
      chain,
      requests: [MENU.holders],
      enforced: onlyOn(['holders'], style, () => ({ records: shown, counts: 'shown' })),
    });
  };
}

test.each(STYLES)('beyond the 10,000th rank: %s', async (style) => {
  const seeds = IS_EXHAUSTIVE ? SEEDS : 1;
  let complete = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { lake, keyBlocks, ran } = await playRanks(style, DEPTH, DEPTH)(seed);
    expect(ran.failed).toEqual([]);
    expect(lake.rows.map(({ row }) => row.cells[0]).length).toBe(DEPTH);
    complete += keyBlocks.get('complete') ?? 0;
  }
  expect(complete).toBe(seeds);
});

const MANY = Array.from({ length: 26 }, (_, i) => `0x${(0x11 + i).toString(16)}`);
const MANY_KEYS = { addresses: [...MANY, ...ADDRESSES].sort(), tokens: TOKENS };

describe.each(STYLES)('beyond what one request may ask: %s', (style) => {
  const documented = (path: string): RequestLimits => {
    const { limits } = endpointAt(path);
    const { pageSize, blockSpan } = limits;
    return {
      ...(pageSize === undefined ? {} : { pageSize: pageSize.max }),
      ...(blockSpan === undefined ? {} : { blockSpan }),
      keys: paramOf(endpointAt(path), 'keys')?.max ?? 0,
    };
  };
  const dishes: readonly Dish[] = [
    'transactions',
    'internal',
    'transactionsByHash',
    'zoneTransactions',
  ];

  test('no request goes beyond page size, keys or block span, and all is complete', async () => {
    const statuses = await overSeeds((seed) => {
      const datasets = ['transactions', 'internal_transactions', 'zone_transactions'];
      const { chain, chance } = chainOf(seed, datasets);
      for (const axis of ['primary', 'zone'] as const) {
        chain.grow(axis, 24);
        chain.skip(axis, 9_990 - chance.between(0, 20));
        chain.grow(axis, 24);
      }
      const requests = dishes.map((dish) => MENU[dish]);
      return exported({
        chain,
        requests,
        keys: MANY_KEYS,
        enforced: onlyOn(dishes, style, documented),
      });
    });
    expect(statuses).toEqual({
      complete: statuses['complete'],
      provisional: statuses['provisional'],
    });
  });

  test('pages that are smaller than documented end as failed or complete', async () => {
    const statuses = await overSeeds((seed) => {
      const { chain, chance } = chainOf(seed, ['transactions']);
      chain.grow('primary', 24);
      const most = chance.between(3, 30);
      const enforced = onlyOn(['transactions'], style, () => ({ pageSize: most }));
      return exported({ chain, requests: [MENU.transactions], keys: KEYS, enforced });
    });
    expect(statuses['complete'] === undefined).toBe(style === 'error');
    expect(statuses['failed'] === undefined).toBe(style !== 'error');
  });
});

/**
 * Services that show less than the interface says, in a way that none of their answers tells. What
 * they hide is called complete; whoever finds evidence against one of them turns its test around.
 */
describe('what no answer tells', () => {
  test.fails('an address list that reaches back for half a year', async () => {
    await overSeeds(playYears('yearOfTransactions', 'empty', 0.5));
  });

  test.fails('a ranking that ends long before the 10,000th rank', async () => {
    await overSeeds(playRanks('empty', 400, 250), 1);
  });
});
