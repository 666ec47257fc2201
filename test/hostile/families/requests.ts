import { ADDRESS_LISTS, CAPS, type Family, OPERATIONS, WITHOUT_BURSTS } from '../family.ts';
import {
  capPerKey,
  cutAtIndex,
  emptyAboveIndex,
  emptyAboveMovingIndex,
  emptyForKey,
  emptyForLimit,
  emptyForManyKeys,
  emptyForWideRanges,
  emptyForWidth,
  emptyUntilIndexed,
} from '../faults/requests.ts';

const LAGS = [2, 20, 80, 500, 3000];
/** A half window and a window, with one block more or less beside it. */
const WIDTHS = [1000, 2500, 4999, 5000, 5001, 7000, 9999, 10_000];
const PIPELINES = [...ADDRESS_LISTS, 'zone'] as const;

/** Answers that depend on the end, the width, the keys or the page size of their request. */
export const REQUESTS: readonly Family[] = [
  {
    name: 'ends above the index',
    promise: 'exact',
    variant: (random, lists) => ({
      fault: emptyAboveIndex(
        lists,
        random.pick(LAGS),
        random.chance(0.5) ? undefined : [random.pick(OPERATIONS)],
      ),
      pipeline: random.pick(PIPELINES),
    }),
  },
  {
    name: 'index that moves',
    promise: 'likely',
    variant: (random, lists) => ({
      fault: random.chance(0.5)
        ? emptyAboveMovingIndex(lists, random.pick(LAGS))
        : emptyUntilIndexed(lists, random.pick(LAGS), random.pick([300, 1000, 3000])),
      pipeline: random.pick(PIPELINES),
    }),
  },
  {
    name: 'lists cut at the index',
    promise: 'strict',
    isLeftOut: true,
    variant: (random, lists) => ({
      fault: cutAtIndex(lists, random.pick(LAGS)),
      pipeline: random.pick(PIPELINES),
    }),
  },
  {
    name: 'wide ranges',
    promise: 'exact',
    variant: (random) => ({
      fault: random.chance(0.8)
        ? emptyForWideRanges(random.pick(WIDTHS))
        : emptyForWidth(random.pick([10_000, 10_001])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'groups of keys',
    promise: 'exact',
    variant: (random, lists) => ({
      fault: random.chance(0.5)
        ? emptyForKey(random.pick(lists.chain.addresses))
        : emptyForManyKeys(random.pick([1, 5, 10])),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'page sizes',
    promise: 'exact',
    variant: (random) => ({
      fault: emptyForLimit(random.pick([50, 100])),
      pipeline: random.pick(ADDRESS_LISTS),
    }),
  },
  {
    name: 'caps of each key',
    promise: 'exact',
    variant: (random) => ({
      fault: capPerKey(random.pick(CAPS)),
      pipeline: 'addresses',
      size: WITHOUT_BURSTS,
    }),
  },
];
