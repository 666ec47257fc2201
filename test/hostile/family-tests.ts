import { describe, expect, it } from 'vitest';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import type { Family } from './family.ts';
import { breachesOf, type Compared, playFamily } from './play.ts';
import { type Proof, proofLine } from './windrow.ts';

/**
 * Tests of some families: whatever a service does of the faults in ./faults, the rows that
 * windrow's coverage calls complete are the rows of the chain, as a multiset; what it does not call
 * complete it names; and it does not send requests without bound to find out. The real windrow runs
 * to its end, against a service that shares no code with it. A failure names the seed; to see more:
 *
 *     node node_modules/.bench/test/bench/hostile.js 1 --family NAME --seed SEED --each
 */

/**
 * The seed of the variant that everybody's run plays; the others play with `THOROUGH=1`. These
 * seeds share one chain, and so the honest runs beside them.
 */
const SHORT: Readonly<Record<string, number>> = {
  replicas: 7,
  'random empties': 1,
  'hidden caps': 1,
  'ends above the index': 4,
  'missing heights': 1,
};
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
/** Variants of each family with `THOROUGH=1`; 20 with `THOROUGH=2`. */
const VARIANTS = Number(process.env['VARIANTS'] ?? (IS_EXHAUSTIVE ? 20 : 1));

function seedsOf({ name }: Family): number[] {
  if (IS_THOROUGH) return Array.from({ length: VARIANTS }, (_, i) => FIRST_SEED + i);
  const seed = SHORT[name];
  return seed === undefined ? [] : [seed];
}

const LEVELS = (['standard', 'strict'] as const).filter(
  (proof) => proof === 'standard' || (IS_THOROUGH && proofLine(proof) !== undefined),
);

export function testFamilies(title: string, families: readonly Family[]): void {
  // With strict, only those that standard does not hold to no wrong row.
  const playedAt = (proof: Proof): readonly Family[] =>
    families.filter(
      (family) =>
        seedsOf(family).length > 0 &&
        (proof === 'standard' || family.promise === 'likely' || family.promise === 'strict'),
    );
  const levels = LEVELS.filter((proof) => playedAt(proof).length > 0);
  describe.each(levels)(`${title}, proof %s`, (proof) => {
    for (const family of playedAt(proof)) {
      const seeds = seedsOf(family);
      it(`cost no row called complete: ${family.name}`, async () => {
        const played: Compared[] = [];
        for (const seed of seeds) played.push(await playFamily(family, seed, proof));
        expect(breachesOf(family, played)).toEqual([]);
      });
    }
  });
  process.stdout.write(`hostile services: seed ${FIRST_SEED}, ${title}\n`);
}
