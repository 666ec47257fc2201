import { aroundBurst, type Family, OPERATIONS } from '../family.ts';
import { otherHashes, otherTransactions, wrongTimes } from '../faults/facts.ts';

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
];
