import { ADDRESS_LISTS, type Family } from '../family.ts';
import { together } from '../server.ts';
import { EMPTIES } from './empties.ts';
import { FACTS } from './facts.ts';
import { LIMITS } from './limits.ts';
import { ORDER } from './order.ts';
import { REQUESTS } from './requests.ts';

/** Faults that windrow promises something of, each alone, in lists with block bounds. */
const PARTNERS = [...ORDER, ...EMPTIES, ...LIMITS, ...FACTS, ...REQUESTS].filter(
  ({ promise }) => promise === 'exact',
);

/** Faults of two families in one service. */
export const PAIRS: readonly Family[] = [
  {
    name: 'pairs of faults',
    promise: 'likely',
    isLeftOut: true,
    variant: (random, lists) => {
      const variants = random
        .shuffled(PARTNERS)
        .map((family) => family.variant(random, lists))
        .filter(({ pipeline }) => ADDRESS_LISTS.includes(pipeline));
      const [first, second] = variants;
      if (first === undefined || second === undefined) throw new Error('too few families');
      const name = `${first.fault.name}; ${second.fault.name}`;
      return {
        fault: together(name, first.fault, second.fault),
        pipeline: first.pipeline,
        settings: { ...first.settings, ...second.settings },
        ...(first.size === undefined ? {} : { size: first.size }),
      };
    },
  },
];
