import { describe, expect, it } from 'vitest';
import { stoppingWithin } from '../../../src/run/interruption.ts';
import { exitCodeOf } from '../../../src/run/shell/run-document.ts';
import { refused } from '../../fixtures/fetch-client-setup.ts';
import { smallJob } from '../../fixtures/small-job.ts';
import { virtualClock } from '../../fixtures/virtual-clock.ts';

/** Goal: an interrupted run ends in bounded time, whatever its open slices wait for. */

const job = await smallJob();

describe('an interrupted run', () => {
  it.each([
    ['throttling', () => refused('50011')],
    ['an hour of Retry-After', () => refused('50011', '', 429, { 'retry-after': '3600' })],
  ])(
    'cuts off slices that wait for %s after 30 s, or the time of the setting',
    async (_, answer) => {
      for (const stopWithinMs of [30_000, 5_000]) {
        const clock = virtualClock(1, Date.UTC(2025, 0, 1), true);
        const soft = new AbortController();
        let stoppedMs = Number.NaN;
        const work = job.once({
          root: `stopped ${stopWithinMs} ${answer().status}`,
          effects: { ...clock, now: () => Math.floor(clock.now()) },
          limits: { stopWithinMs },
          softStop: soft.signal,
          instead: (target) => {
            if (!target.includes('internal-transaction-list')) return undefined;
            if (!soft.signal.aborted) {
              stoppedMs = clock.now();
              soft.abort(new Error('interrupted'));
            }
            return answer();
          },
        });
        const { ran } = await clock.run(work);
        expect(clock.now() - stoppedMs).toBeGreaterThanOrEqual(stopWithinMs);
        expect(clock.now() - stoppedMs).toBeLessThan(stopWithinMs + 1000);
        expect(exitCodeOf(ran)).toBe(130);
      }
    },
  );

  it('ends with its work, and leaves no timer', async () => {
    const clock = virtualClock();
    const soft = new AbortController();
    const context = { effects: clock, pipeline: { limits: { stopWithinMs: 30_000 } } };
    const stops = { softStop: soft.signal, hardStop: new AbortController().signal };
    const work = stoppingWithin({ ...context, ...stops }, async (hardStop) => {
      soft.abort(new Error('interrupted'));
      await clock.sleep(1000);
      return hardStop.aborted;
    });
    expect(await clock.run(work)).toBe(false);
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('nothing sleeps');
  });
});
