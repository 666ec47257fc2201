import { aroundBurst, type Family, OPERATIONS, type Variant } from '../family.ts';
import { otherHashes, otherTransactions, wrongTimes } from '../faults/facts.ts';
import {
  ODD_VALUES,
  oddValues,
  PADDINGS,
  paddedAddresses,
  withoutHeight,
} from '../faults/values.ts';
import type { Lists } from '../lists.ts';
import type { Random } from '../random.ts';

const [TRANSACTIONS = '', INTERNALS = '', TRANSFERS = ''] = OPERATIONS;
const IN_BLOCK = 'mainchain/block/transaction-list';
const CALLS = 'mainchain/transaction/internal-transaction-detail';

/** Facts that lists must give alike, and units of fields. */
export const FACTS: readonly Family[] = [
  {
    name: 'units of time',
    promise: 'exact',
    variant: (random) => ({
      fault: wrongTimes(
        random.pick(['seconds', 'zero'] as const),
        random.pick([[], [INTERNALS], [TRANSACTIONS], [TRANSFERS], OPERATIONS]),
      ),
      pipeline: 'addresses',
    }),
  },
  {
    name: 'contradictory records',
    promise: 'exact',
    variant: (random, lists) => {
      const share = random.pick([0.1, 0.5]);
      const settings = { blocks: aroundBurst(random, lists) };
      const how = random.pick(['a second late', 'of the next block'] as const);
      return random.pick([
        { fault: wrongTimes(how, [INTERNALS]), pipeline: 'addresses' as const },
        { fault: wrongTimes(how, [CALLS], share), pipeline: 'hashes' as const },
        { fault: wrongTimes(how, [IN_BLOCK], share), pipeline: 'blocks' as const, settings },
        { fault: otherHashes([IN_BLOCK], share), pipeline: 'blocks' as const, settings },
        {
          fault: otherTransactions(random.pick(['height', 'nonce', 'from', 'to'] as const), share),
          pipeline: 'hashes' as const,
        },
      ]);
    },
  },
  {
    name: 'odd values',
    promise: 'exact',
    leastRows: 1,
    maxPrice: 1.03,
    variant: (random, lists) => ({
      fault: oddValues(random.pick(ODD_VALUES), random.pick(EVERY)),
      ...anyPipeline(random, lists),
    }),
  },
  {
    name: 'padded addresses',
    promise: 'exact',
    leastRows: 1,
    maxPrice: 1.03,
    variant: (random, lists) => ({
      fault: paddedAddresses(
        random.pick(PADDINGS),
        random.pick(['before', 'after', 'both'] as const),
        random.pick(EVERY),
      ),
      ...anyPipeline(random, lists),
    }),
  },
  {
    name: 'missing heights',
    promise: 'exact',
    variant: (random, lists) => ({
      fault: withoutHeight(
        random.pick(['', 'latest', '-1', '0x1b4', '1.5']),
        random.pick([7, 50, 100]),
      ),
      ...anyPipeline(random, lists),
    }),
  },
];

/** One of so many records has the fault. */
const EVERY = [1, 2, 20];

function anyPipeline(random: Random, lists: Lists): Pick<Variant, 'pipeline' | 'settings'> {
  const settings = { blocks: aroundBurst(random, lists) };
  return random.pick([
    { pipeline: 'addresses' as const },
    { pipeline: 'hashes' as const },
    { pipeline: 'blocks' as const, settings },
  ]);
}
