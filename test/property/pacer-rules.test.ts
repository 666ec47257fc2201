import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pacer } from '../../src/fetch/rate/pacer.ts';
import { virtualClock } from '../fixtures/virtual-clock.ts';

/** What a source answers, and after how long: anything may follow anything. */
const answer = fc.record({
  latencyMs: fc.integer({ min: 0, max: 3000 }),
  says: fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: 'granted' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'rejected' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'failed' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('rejected' as const),
        retryAfterMs: fc.integer({ min: 0, max: 20_000 }),
      }),
    },
  ),
});

const setting = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  answers: fc.array(answer, { minLength: 1, maxLength: 200 }),
  maxPerSecond: fc.constantFrom(0.5, 3, 20, 400),
  startPerSecond: fc.constantFrom(0.5, 2, 100),
  ceilingPerSecond: fc.constantFrom(null, 0.2, 5, 300),
});

interface Left {
  readonly atMs: number;
  readonly order: number;
}

describe('whatever a source answers, the pacer', () => {
  it('respects Retry-After, the maximum, the order of asking and the spacing', async () => {
    await fc.assert(
      fc.asyncProperty(setting, async (trial) => {
        const { answers, seed, ceilingPerSecond, ...rates } = trial;
        const clock = virtualClock(seed);
        const pacer = new Pacer({ effects: clock, memory: { ceilingPerSecond }, ...rates });
        const left: Left[] = [];
        let keepAwayUntilMs = 0;
        const request = async (order: number): Promise<void> => {
          const permit = await pacer.permit();
          left.push({ atMs: clock.now(), order });
          expect(clock.now()).toBeGreaterThanOrEqual(keepAwayUntilMs);
          const { latencyMs, says } = answers[order] ?? { latencyMs: 0, says: { kind: 'failed' } };
          await clock.sleep(latencyMs);
          if (says.kind === 'granted') permit.succeeded(latencyMs);
          else if (says.kind === 'failed') permit.failed();
          else {
            const retryAfterMs = 'retryAfterMs' in says ? says.retryAfterMs : 0;
            keepAwayUntilMs = Math.max(keepAwayUntilMs, clock.now() + retryAfterMs);
            permit.rejected('retryAfterMs' in says ? { retryAfterMs } : {});
          }
        };
        await clock.run(Promise.all(answers.map((_, order) => request(order))));

        expect(left.map(({ order }) => order)).toEqual(answers.map((_, order) => order));
        const spacingMs = 1000 / rates.maxPerSecond;
        for (const [i, { atMs }] of left.entries()) {
          const before = left[i - 1];
          // Half a spacing, but no more than 8 ms, may make good a timer that was late.
          const least = spacingMs - Math.min(8, spacingMs / 2);
          if (before !== undefined) expect(atMs - before.atMs).toBeGreaterThanOrEqual(least - 0.01);
        }
        const [first, last] = [left[0]?.atMs ?? 0, left.at(-1)?.atMs ?? 0];
        expect(last - first).toBeGreaterThanOrEqual((left.length - 1) * spacingMs - 9);
        expect(pacer.explain()).toMatchObject({ inFlight: 0, waiting: 0 });
      }),
      { numRuns: 150 },
    );
  });
});
