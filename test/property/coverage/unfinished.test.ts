import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Coverage } from '../../../src/coverage/coverage.ts';
import { listOf } from '../../../src/coverage/list.ts';
import { contains, subtract } from '../../../src/coverage/ranges.ts';
import { LAST_READING_BLOCKS, UNFINISHED_REASON } from '../../../src/coverage/unfinished.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { casesOf } from '../../fixtures/thorough.ts';
import { asking, inputOf } from '../../model/plan-input.ts';

/**
 * Goal: blocks with unfinished records are read again at growing intervals and no others are, for
 * any times at which the service fills records in and any times of runs. The clock is the head.
 */

const seed = Number(process.env['SEED'] ?? 90_417);
const PATH = 'mainchain/zone/cross/transaction-list';
const LIST = listOf(listNamed(PATH).entry);
const LAG = 10;
const pipeline = asking(['  cross_chain_transfers:', `    - { endpoint: ${PATH} }`], {
  zoneBlocks: { from: 0, to: 'safe' },
});

test('unfinished records are read again at growing intervals, until they are finished', () => {
  process.stdout.write(`unfinished records: seed ${seed}\n`);
  const crossing = fc.record({
    height: fc.integer({ min: 0, max: 3000 }),
    // The service fills it in when the chain has grown by so many blocks.
    delay: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(1_000_000), fc.constant(Infinity)),
  });
  const growth = fc.oneof(fc.nat(20), fc.nat(2000), fc.nat(2_000_000), fc.nat(20_000_000));
  fc.assert(
    fc.property(
      fc.array(crossing, { maxLength: 6 }),
      fc.array(growth, { minLength: 2, maxLength: 40 }),
      (crossings, growths) => {
        const coverage = new Coverage();
        const readings = new Map<number, number[]>();
        let head = 3000 + LAG;
        for (const blocks of [0, ...growths]) {
          head += blocks;
          const before = coverage.get(LIST, '');
          const end = (before.at(-1)?.to ?? -1) + 1;
          const heads = { zone: { head, safe: head - LAG } };
          const { slices } = planSlices(inputOf(pipeline, [], { coverage, heads }));
          for (const { interval } of slices) {
            const part = { ...interval, reason: '', head, readAtMs: 0 };
            coverage.addTo(LIST, [''], { ...part, status: 'complete' });
            for (const { height, delay } of crossings.filter((place) =>
              contains(interval, place.height),
            )) {
              readings.set(height, [...(readings.get(height) ?? []), head]);
              const isOpen = head - height < Math.min(delay, LAST_READING_BLOCKS);
              const open = { ...part, from: height, to: height, reason: UNFINISHED_REASON };
              if (isOpen) coverage.addTo(LIST, [''], { ...open, status: 'provisional' });
            }
          }
          // No block is read again but those of records that were unfinished.
          const unfinished = before.filter(({ status }) => status === 'provisional');
          const due = [...unfinished, { from: end, to: Infinity }];
          expect(slices.flatMap(({ interval }) => subtract(interval, due))).toEqual([]);
          for (const { height, delay } of crossings) {
            const age = head - height;
            const isComplete =
              coverage.missing(LIST, '', { from: height, to: height }).length === 0;
            if (age < Math.min(delay, LAST_READING_BLOCKS)) expect(isComplete).toBe(false);
            // One half more of the age at which it was filled in is the latest it is seen.
            if (age >= Math.min(1.5 * delay, LAST_READING_BLOCKS)) expect(isComplete).toBe(true);
          }
        }
        for (const [height, heads] of readings) {
          const ages = [...new Set(heads)].map((top) => top - height);
          for (const [i, age] of ages.slice(1).entries()) {
            const least = Math.min(1.5 * (ages[i] ?? 0), LAST_READING_BLOCKS);
            expect(age).toBeGreaterThanOrEqual(least);
          }
          expect(ages.length).toBeLessThan(45);
        }
      },
    ),
    { seed, numRuns: casesOf(60) },
  );
});
