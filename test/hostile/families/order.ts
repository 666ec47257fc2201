import { ADDRESS_LISTS, aroundBurst, EMPTY_SHARES, type Family, MIXED, SHARES } from '../family.ts';
import { randomEmpties } from '../faults/empties.ts';
import { miscounted } from '../faults/moving.ts';
import {
  ascending,
  oncePerMatchedKey,
  repeatedPages,
  replicas,
  shifted,
  shuffled,
  unsorted,
} from '../faults/order.ts';

/** Other orders and offsets than the interface shows. */
export const ORDER: readonly Family[] = [
  {
    name: 'replicas',
    promise: 'exact',
    leastRows: 0.7,
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
    name: 'lists of tokens',
    promise: 'exact',
    variant: (random) => ({
      fault: random.pick([
        repeatedPages(random.pick([0.3, 1])),
        randomEmpties(random.pick(EMPTY_SHARES)),
        miscounted(random.pick(['floored', 'absent', 'one more'] as const), 1),
      ]),
      pipeline: 'tokens',
    }),
  },
  {
    // A list that moves has no bounds to move, so its pages are all there is.
    name: 'lists of tokens from replicas',
    promise: 'open',
    variant: (random) => ({
      fault: random.pick([
        replicas(random.pick(SHARES), random.between(0, 2 ** 30)),
        shuffled,
        shifted(random.pick([-1, 1]), random.pick([0.3, 1])),
      ]),
      pipeline: 'tokens',
    }),
  },
  {
    name: 'shuffled heights',
    promise: 'exact',
    leastRows: 0.5,
    variant: (random) => ({ fault: shuffled, pipeline: random.pick(ADDRESS_LISTS) }),
  },
  {
    name: 'shifted offsets',
    promise: 'exact',
    leastRows: 0.5,
    variant: (random) => ({
      fault: shifted(random.pick([-2, -1, 1, 2]), random.pick([0.1, 0.5, 1, 1])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'mixed order',
    promise: 'exact',
    maxPrice: MIXED,
    leastRows: 0.85,
    variant: (random) => ({
      fault: random.pick([unsorted(random.between(0, 2 ** 30)), ascending]),
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
];
