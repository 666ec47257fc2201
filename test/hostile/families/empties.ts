import {
  ADDRESS_LISTS,
  aroundBurst,
  EMPTY_SHARES,
  type Family,
  OPERATIONS,
  SHARES,
} from '../family.ts';
import {
  bareAboveRate,
  bareEmpties,
  bareWhenEmpty,
  emptiesAboveRate,
  emptyOperation,
  emptyPeriod,
  emptyStretch,
  nullWhenEmpty,
  randomEmpties,
  refusedForEver,
} from '../faults/empties.ts';
import { replicas } from '../faults/order.ts';
import { together, wireOf } from '../server.ts';

/** Slices of which most are empty. */
const SPARSE = { groupSize: 4, windowBlocks: 1_500 };

/** Refusals that mean throttling elsewhere. */
const REFUSALS = [
  wireOf({ code: '50011', msg: 'Too Many Requests', data: [] }),
  wireOf({ code: '50011', msg: 'Too Many Requests', data: [] }, 429, { 'retry-after': '2' }),
  wireOf({}, 503, { 'retry-after': '30' }),
];

/** Empty answers where there are records, and refusals that never end. */
export const EMPTIES: readonly Family[] = [
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
      fault: emptyOperation(random.pick(OPERATIONS), random.pick([0.2, 0.5]), random.between(0, 9)),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'operation that is always empty',
    promise: 'open',
    variant: (random) => ({
      fault: emptyOperation(random.pick(OPERATIONS), 1),
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
    name: 'two faults at once',
    promise: 'likely',
    variant: (random) => ({
      fault: together(
        'a replica and empties',
        replicas(random.pick(SHARES), random.between(0, 2 ** 30)),
        randomEmpties(random.pick(EMPTY_SHARES)),
      ),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'empty lists without a page',
    promise: 'exact',
    leastRows: 1,
    maxPrice: 2,
    variant: (random) => ({
      fault: random.pick([
        bareWhenEmpty(),
        nullWhenEmpty(),
        bareWhenEmpty(random.pick(OPERATIONS)),
        nullWhenEmpty(random.pick(OPERATIONS)),
      ]),
      pipeline: random.pick(ADDRESS_LISTS),
      settings: SPARSE,
    }),
  },
  {
    name: 'empties without a page above a rate',
    promise: 'exact',
    variant: (random) => {
      const rate = random.pick([2, 10, 20, 40, 80]);
      const trueOnes = bareWhenEmpty();
      return {
        fault: random.pick([
          bareAboveRate(rate),
          together(`${rate} and true ones`, emptiesAboveRate(rate), trueOnes),
        ]),
        pipeline: random.pick(ADDRESS_LISTS),
        settings: SPARSE,
      };
    },
  },
  {
    name: 'refused for ever',
    promise: 'exact',
    leastRows: 0.1,
    maxPrice: 2,
    variant: (random, { chain }) => {
      const key = random.pick(chain.addresses);
      const path = random.pick(OPERATIONS);
      const wire = random.pick(REFUSALS);
      return {
        fault: random.chance(0.6)
          ? refusedForEver(`requests of ${key} are`, wire, ({ keys }) => keys.includes(key))
          : refusedForEver(`requests of ${path} are`, wire, ({ kind }) => kind.path === path),
        pipeline: random.pick(ADDRESS_LISTS),
        settings: SPARSE,
      };
    },
  },
];
