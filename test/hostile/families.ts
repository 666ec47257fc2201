import { EMPTIES } from './families/empties.ts';
import { FACTS } from './families/facts.ts';
import { LIMITS } from './families/limits.ts';
import { ORDER } from './families/order.ts';
import { PAIRS } from './families/pairs.ts';
import { REQUESTS } from './families/requests.ts';
import type { Family } from './family.ts';

/** Everything that is played. */
export const FAMILIES: readonly Family[] = [
  ...ORDER,
  ...EMPTIES,
  ...LIMITS,
  ...FACTS,
  ...REQUESTS,
  ...PAIRS,
];
