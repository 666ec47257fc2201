import {
  bareEmpties,
  emptiesAboveRate,
  emptyOperation,
  emptyPeriod,
  emptyStretch,
  randomEmpties,
} from './faults/empties.ts';
import {
  boundsIgnored,
  firstKeysOnly,
  keysIgnored,
  protocolIgnored,
  protocolTakenFor,
  sentOnly,
} from './faults/filters.ts';
import { clampedPages, rangeEnds, recordCap } from './faults/limits.ts';
import {
  lateRecords,
  miscounted,
  pendingRecords,
  shortFirstPage,
  staleReplica,
} from './faults/moving.ts';
import {
  ascending,
  oncePerMatchedKey,
  repeatedPages,
  replicas,
  shifted,
  shuffled,
  unsorted,
} from './faults/order.ts';
import type { Lists } from './lists.ts';
import type { PipelineName, PipelineSettings } from './pipelines.ts';
import type { Random } from './random.ts';
import { type Fault, together } from './server.ts';

/** Families of faults, each with a variant for every seed, and what windrow promises of each. */

/** Of the variants of a family that is `likely`. */
export const LIKELY_WRONG = 0.1;

export interface Variant {
  readonly fault: Fault;
  readonly pipeline: PipelineName;
  readonly settings?: PipelineSettings;
}

export interface Family {
  readonly name: string;
  /**
   * `exact`: no row called complete is wrong. `likely`: the same with `proof: strict`; otherwise at
   * most the share LIKELY_WRONG of the variants has wrong rows. `open`: nothing in the answers
   * shows the fault; played and reported, and held to no number of rows.
   */
  readonly promise: 'exact' | 'likely' | 'open';
  /** Most requests, as a multiple of those of an honest service; none where absent. */
  readonly maxPrice?: number;
  /** The fault changes nothing in the records of a list: all of them must be complete. */
  readonly isHarmless?: true;
  variant(random: Random, lists: Lists): Variant;
}

const ADDRESS_LISTS: readonly PipelineName[] = ['addresses', 'addresses', 'history'];
const SHARES = [0.02, 0.1, 0.3, 0.5];
const EMPTY_SHARES = [0.01, 0.03, 0.05, 0.1, 0.2];
const CAPS = [7, 25, 60, 99, 100, 150, 400];
const BY_WINDOW = [
  'mainchain/address/normal-transaction-list-multi',
  'mainchain/address/internal-transaction-list-multi',
  'mainchain/address/token-transaction-list',
];

/** Price of a walk that splits where it cannot trust order or totals. */
const MIXED = 1.3;
/** Price of a walk that gives up: it has a budget. */
const GIVEN_UP = 4;

export const FAMILIES: readonly Family[] = [
  {
    name: 'replicas',
    promise: 'exact',
    isHarmless: true,
    variant: (random) => ({
      fault: replicas(random.pick(SHARES), random.between(0, 2 ** 30)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'pages of one block or hash',
    promise: 'exact',
    variant: (random, lists) => ({
      fault: random.pick([
        replicas(random.pick(SHARES), random.between(0, 2 ** 30)),
        shuffled,
        shifted(random.pick([-1, 1]), random.pick([0.3, 1])),
        repeatedPages(random.pick([0.3, 1])),
      ]),
      pipeline: random.pick(['blocks', 'hashes'] as const),
      settings: { blocks: aroundBurst(random, lists) },
    }),
  },
  {
    name: 'shuffled heights',
    promise: 'exact',
    isHarmless: true,
    variant: (random) => ({ fault: shuffled, pipeline: random.pick(ADDRESS_LISTS) }),
  },
  {
    name: 'shifted offsets',
    promise: 'exact',
    isHarmless: true,
    variant: (random) => ({
      fault: shifted(random.pick([-2, -1, 1, 2]), random.pick([0.1, 0.5, 1, 1])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'random empties',
    promise: 'likely',
    variant: (random) => ({
      fault: randomEmpties(random.pick(EMPTY_SHARES)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'empties above a rate',
    promise: 'exact',
    variant: (random) => ({
      fault: emptiesAboveRate(random.pick([10, 20, 40, 80])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'stretches of empties',
    promise: 'exact',
    variant: (random) => ({
      fault: random.chance(0.5)
        ? emptyPeriod(random.pick([0, 300, 600]), random.pick([100, 400, 2000]))
        : emptyStretch(random.between(3, 60), random.pick([5, 20, 60])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'empty operation',
    promise: 'likely',
    variant: (random) => ({
      fault: emptyOperation(random.pick(BY_WINDOW), random.pick([0.2, 0.5]), random.between(0, 9)),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'operation that is always empty',
    promise: 'open',
    variant: (random) => ({
      fault: emptyOperation(random.pick(BY_WINDOW), 1),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'bare empties',
    promise: 'likely',
    variant: (random) => ({
      fault: bareEmpties(random.pick([0.03, 0.1, 0.2, 0.5])),
      pipeline: random.pick(['hashes', 'zone']),
      settings: { zoneBlocks: { from: 0, to: 1_999 } },
    }),
  },
  {
    name: 'empties everywhere',
    promise: 'likely',
    variant: (random, lists) => ({
      fault: randomEmpties(random.pick(EMPTY_SHARES)),
      pipeline: random.pick(['hashes', 'blocks', 'zone'] as const),
      settings: { blocks: aroundBurst(random, lists), zoneBlocks: { from: 0, to: 1_999 } },
    }),
  },
  {
    name: 'protocol types',
    promise: 'exact',
    variant: (random) => ({
      fault: random.pick([
        protocolTakenFor('token_10', 'token_20'),
        protocolTakenFor('token_1155', 'token_721'),
        protocolTakenFor('token_20', 'token_10'),
        protocolIgnored,
      ]),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'ends of ranges',
    promise: 'exact',
    isHarmless: true,
    variant: (random) => ({
      fault: rangeEnds(random.chance(0.25), random.chance(0.5)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'ignored filters',
    promise: 'exact',
    maxPrice: GIVEN_UP,
    variant: (random, lists) => ({
      fault: random.pick([
        keysIgnored(lists),
        boundsIgnored('start'),
        boundsIgnored('end'),
        boundsIgnored('both'),
      ]),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'wrong defaults',
    promise: 'open',
    variant: (random) => ({
      fault: random.pick([sentOnly, firstKeysOnly(random.pick([1, 5, 10]))]),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'page counts',
    promise: 'exact',
    isHarmless: true,
    maxPrice: MIXED,
    variant: (random) => ({
      fault: miscounted(
        random.pick(['floored', 'stale', 'absent', 'one more', 'one'] as const),
        random.pick([0.2, 1, 1]),
      ),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'lasting drift',
    promise: 'exact',
    maxPrice: GIVEN_UP,
    variant: (random) => ({
      fault: together(
        'lasting drift',
        shortFirstPage(random.pick([1, 3])),
        miscounted('floored', 1),
      ),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'pending records',
    promise: 'exact',
    isHarmless: true,
    variant: (_random, lists) => ({ fault: pendingRecords(lists), pipeline: 'history' }),
  },
  {
    name: 'stale replica',
    promise: 'exact',
    variant: (random, lists) => ({
      fault: staleReplica(random.pick([50, 200, 1000]), random.pick([0.1, 0.5, 0.5]), lists),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'late records',
    promise: 'open',
    variant: (random) => ({
      fault: lateRecords(0.01, random.between(100, 900), random.between(0, 2 ** 30)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'hidden caps',
    promise: 'exact',
    variant: (random) => ({
      fault: recordCap(random.pick(CAPS)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'documented caps',
    promise: 'exact',
    variant: (random) => {
      const cap = random.pick(CAPS);
      const pipeline = random.pick(ADDRESS_LISTS);
      return { fault: recordCap(cap), pipeline, settings: { recordCap: cap } };
    },
  },
  {
    name: 'clamped pages',
    promise: 'exact',
    isHarmless: true,
    variant: (random) => ({
      fault: clampedPages(random.pick([7, 10, 20, 33, 50]), random.chance(0.5)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'once per matched address',
    promise: 'exact',
    variant: () => ({ fault: oncePerMatchedKey, pipeline: 'addresses' }),
  },
  {
    name: 'repeated pages',
    promise: 'exact',
    variant: (random) => ({
      fault: repeatedPages(random.pick([0.1, 0.5, 1])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'mixed order',
    promise: 'exact',
    maxPrice: MIXED,
    isHarmless: true,
    variant: (random) => ({
      fault: random.pick([unsorted(random.between(0, 2 ** 30)), ascending]),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'two faults at once',
    promise: 'likely',
    variant: (random) => ({
      fault: together(
        'a replica, a cap and empties',
        recordCap(random.pick([60, 99, 400])),
        replicas(random.pick(SHARES), random.between(0, 2 ** 30)),
        randomEmpties(random.pick(EMPTY_SHARES)),
      ),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
];

/** Some heights, with the one that holds most transactions among them. */
function aroundBurst(random: Random, { chain }: Lists): { from: number; to: number } {
  const counts = new Map<number, number>();
  for (const { height } of chain.transactions) counts.set(height, (counts.get(height) ?? 0) + 1);
  const [most = 0] = [...counts].sort((a, b) => b[1] - a[1]).map(([height]) => height);
  const from = Math.max(0, most - random.between(0, 12));
  return { from, to: Math.min(chain.head - 1, from + 12) };
}
