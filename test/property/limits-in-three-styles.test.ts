import { describe, expect, test } from 'vitest';
import { endpointAt, endpoints, paramOf } from '../../src/catalogue/index.ts';
import { limited, type RequestLimits, STYLES, type Style, shallow } from '../model/limited.ts';
import { type Answer, chainOf, exported, honest } from '../model/limited-world.ts';
import { BY_HEIGHT, type Dish, MENU } from '../model/menu.ts';
import { ADDRESSES, TOKENS } from '../model/small-chain.ts';
import { IS_THOROUGH } from '../thorough.ts';

/**
 * Goal: whatever a limit of the interface hides, and whether the service refuses what lies beyond
 * it, shows nothing of it or shows less, nothing hidden is called complete.
 */

/** Whether page counts tell of what is shown, or of everything. */
const COUNTS = ['shown', 'all'] as const;
const SEEDS = IS_THOROUGH ? 20 : 3;
const KEYS = { addresses: ADDRESSES, tokens: TOKENS };

/** Everything that statuses and findings say, over all seeds. */
async function overSeeds(
  play: (seed: number) => ReturnType<typeof exported>,
  seeds = SEEDS,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { findings, known, ran } = await play(seed);
    expect(findings, `seed ${seed}`).toEqual([]);
    for (const [status, blocks] of known) statuses[status] = (statuses[status] ?? 0) + blocks;
    if (ran.failed.length > 0) statuses['failed'] = (statuses['failed'] ?? 0) + ran.failed.length;
  }
  return statuses;
}

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
    CAPPED.flatMap(({ dishes }) => dishes).map((dish): string => MENU[dish].endpoint),
  );
  const capped = endpoints.map(({ path }) => path).filter(isPrimaryCap);
  expect(capped.filter((path) => !played.has(path))).toEqual([]);
});

/** Only these lists are limited; heads and horizons are read as ever. */
function onlyOn(dishes: readonly Dish[], style: Style, limitsOf: (path: string) => RequestLimits) {
  const paths = dishes.flatMap((dish) => {
    return [MENU[dish], ...MENU[dish].alternatives].map(({ endpoint }) => endpoint);
  });
  return (answer: Answer): Answer => {
    const by = new Map(paths.map((path) => [path, limited(answer, style, limitsOf(path))]));
    return (request) => (by.get(pathOf(request.target)) ?? answer)(request);
  };
}

function pathOf(target: string): string {
  return target.slice('/api/v5/'.length, target.indexOf('?'));
}

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
      // Where pages are counted that are not shown, what cannot be split any more fails.
      const named = counts === 'shown' ? 'truncated' : 'failed';
      if (isSplit) expect(statuses[named]).toBeGreaterThan(0);
      if (named !== 'failed') expect(statuses['failed']).toBeUndefined();
    }
  });

  const ranged = CAPPED.filter(({ dishes }) => dishes.every((dish) => isRanged(dish)));
  test.each(ranged)('$dishes: nor where the pipeline does not know the cap', async ({ dishes }) => {
    for (const counts of COUNTS) {
      const statuses = await overSeeds(playCap({ dishes, style, isTold: false, counts }));
      expect(statuses['complete']).toBeGreaterThan(SEEDS);
    }
  });
});

function isRanged(dish: Dish): boolean {
  return endpointAt(MENU[dish].endpoint).list === 'ranged';
}

const YEAR_MS = 365 * 86_400_000;

/** A list that reaches so far back in time, from the newest record of the address. */
function playYears(dish: Dish, style: Style, shareOfYear: number) {
  return (seed: number) => {
    const blockMs = YEAR_MS / 20;
    const { chain, chance } = chainOf(seed, ['transactions'], { blockMs });
    chain.grow('primary', chance.between(24, 40));
    const path = MENU.yearOfTransactions.endpoint;
    const depthMs = shareOfYear * YEAR_MS;
    const shown = honest(chain, { of: (source) => shallow(source, { ms: depthMs }) });
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
  const seeds = IS_THOROUGH ? SEEDS : 1;
  let complete = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { lake, known, ran } = await playRanks(style, DEPTH, DEPTH)(seed);
    expect(ran.failed).toEqual([]);
    expect(lake.rows.map(({ row }) => row.cells[0]).length).toBe(DEPTH);
    complete += known.get('complete') ?? 0;
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
  const asked: readonly Dish[] = [
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
      const requests = asked.map((dish) => MENU[dish]);
      return exported({
        chain,
        requests,
        keys: MANY_KEYS,
        enforced: onlyOn(asked, style, documented),
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

  const lookedUp: readonly (readonly Dish[])[] = [
    ['transactionsOfBlocks'],
    ['internal', 'internalByHash'],
    ['transfers', 'transfersByHash'],
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
