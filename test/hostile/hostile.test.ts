import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../thorough.ts';
import { FAMILIES } from './families.ts';
import type { Family } from './family.ts';
import { breachesOf, type Compared, play, playFamily } from './play.ts';
import { proofLine } from './windrow.ts';

/**
 * Goal: whatever a service does of the faults in ./faults, the rows that windrow's coverage calls
 * complete are the rows of the chain, as a multiset; what it does not call complete it names; and
 * it does not send requests without bound to find out. The real windrow runs to its end, against a
 * service that shares no code with it. A failure names the family and the seed:
 *
 *     node node_modules/.bench/test/bench/hostile.js 1 --family NAME --seed SEED --each
 */

/** The seed of the variant that everybody's run plays; the others play with `THOROUGH=1`. */
const SHORT: Readonly<Record<string, number>> = {
  replicas: 2,
  'shifted offsets': 1,
  'random empties': 1,
  'stretches of empties': 1,
  'protocol types': 1,
  'page counts': 1,
  'lasting drift': 1,
  'stale replica': 1,
};
const VARIANTS = 20;

function seedsOf({ name }: Family): number[] {
  if (IS_THOROUGH) return Array.from({ length: VARIANTS }, (_, i) => i + 1);
  const seed = SHORT[name];
  return seed === undefined ? [] : [seed];
}

describe('an honest service', () => {
  it('gives a lake that is the chain, and no message', async () => {
    const { wrong, complete, exit, messages } = await play({ seed: 1 });
    expect(complete).toBeGreaterThan(2000);
    expect({ wrong, exit, messages }).toEqual({ wrong: 0, exit: 0, messages: [] });
  });
});

const LEVELS = (['standard', 'strict'] as const).filter(
  (proof) => proof === 'standard' || (IS_THOROUGH && proofLine(proof) !== undefined),
);

describe.each(LEVELS)('a hostile service, proof %s', (proof) => {
  for (const family of FAMILIES.filter((each) => seedsOf(each).length > 0)) {
    it(`costs no row called complete: ${family.name}`, async () => {
      const played: Compared[] = [];
      for (const seed of seedsOf(family)) played.push(await playFamily(family, seed, proof));
      expect(breachesOf(family, played)).toEqual([]);
    });
  }
});
