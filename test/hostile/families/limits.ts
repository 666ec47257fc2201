import { ADDRESS_LISTS, CAPS, type Family, GIVEN_UP, MIXED, WITHOUT_BURSTS } from '../family.ts';
import {
  boundsIgnored,
  firstKeysOnly,
  keysIgnored,
  protocolIgnored,
  protocolTakenFor,
  sentOnly,
} from '../faults/filters.ts';
import { clampedPages, rangeEnds, recordCap } from '../faults/limits.ts';
import {
  lateRecords,
  miscounted,
  pendingRecords,
  shortFirstPage,
  staleReplica,
} from '../faults/moving.ts';
import { together } from '../server.ts';

/** Limits, ranges, filters, counts, and lists that move. */
export const LIMITS: readonly Family[] = [
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
    leastRows: 1,
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
    leastRows: 1,
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
    leastRows: 1,
    variant: (_random, lists) => ({ fault: pendingRecords(lists), pipeline: 'history' }),
  },
  {
    // Standard reads each head 5 times: of half the requests, one in 32 readings sees only new ones.
    name: 'stale replica',
    promise: 'likely',
    isLeftOut: true,
    variant: (random, lists) => ({
      fault: staleReplica(random.pick([50, 200, 1000]), random.pick([0.5, 0.7]), lists),
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
      size: WITHOUT_BURSTS,
    }),
  },
  {
    // What one address did in one block cannot be asked for in parts.
    name: 'hidden caps inside a block',
    promise: 'open',
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
    leastRows: 0.95,
    variant: (random) => ({
      fault: clampedPages(random.pick([7, 10, 20, 33, 50]), random.chance(0.5)),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
];
