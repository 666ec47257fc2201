import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import type { TakenRequest } from '../../../../src/fetch/limits/admission.ts';
import { exitCodeOf } from '../../../../src/run/shell/run-document.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { smallJob } from '../../../fixtures/small-job.ts';

/** Goal: a run that a limit ends is in good order, and the next runs come to the same rows. */

const MAX_RUNS = 40;

describe('a run with a largest number of requests', () => {
  it('never sends more, and later runs come to the rows of one run without limits', async () => {
    const { once, digests } = await smallJob();
    const whole = await once({ root: 'whole' });
    expect(exitCodeOf(whole.ran)).toBe(0);
    const maxRequests = 40;
    let runs = 0;
    for (; runs < MAX_RUNS; runs += 1) {
      const { ran, requests } = await once({ limits: { maxRequests } });
      expect(requests).toBeLessThanOrEqual(maxRequests);
      if (ran.execution.left === 0) {
        expect(ran.limit).toBeUndefined();
        expect(exitCodeOf(ran)).toBe(0);
        break;
      }
      expect(ran.limit).toEqual({
        limit: 'requests',
        message: 'its limit of 40 requests is used up',
      });
      expect(exitCodeOf(ran)).toBe(3);
      expect(ran.execution.failed).toEqual([]);
      expect(ran.committer.counts().slices).toBeGreaterThan(0);
      expect(ran.checks.length).toBeGreaterThan(0);
    }
    expect(runs).toBeGreaterThan(0);
    expect(await digests()).toEqual(await digests('whole'));
  });

  it('is not limited if it needs fewer', async () => {
    const { once } = await smallJob();
    const { ran } = await once({ limits: { maxRequests: 1_000 } });
    expect([ran.limit, exitCodeOf(ran)]).toEqual([undefined, 0]);
  });
});

describe('a run with a longest time', () => {
  it('starts no slice in its last twentieth, and sends nothing after its end', async () => {
    const { once } = await smallJob();
    // The clock moves with the sleeps of the limits only, after some requests.
    const wakes: (() => void)[] = [];
    let reads = 0;
    const effects = quietEffects({
      sleep: (delayMs) =>
        delayMs >= 500 ? new Promise((resolve) => wakes.push(resolve)) : Promise.resolve(),
      reached: (step) => {
        reads += step === 'slice walked' ? 1 : 0;
        if (reads >= 6) wakes.shift()?.();
      },
    });
    const { ran } = await once({ limits: { forMs: 600_000 }, effects });
    expect(ran.limit?.limit).toBe('time');
    expect(ran.limit?.message).toBe('its time of 10 min is used up');
    expect(ran.execution.left).toBeGreaterThan(0);
    expect(ran.execution.failed).toEqual([]);
    expect(exitCodeOf(ran)).toBe(3);
    const { ran: next } = await once();
    expect(exitCodeOf(next)).toBe(0);
  });
});

describe('a daily quota', () => {
  const quotaOf = (perDay: number, untilMs: number) => {
    let used = 0;
    return {
      perDay,
      used: () => used,
      take: (): TakenRequest => {
        if (used >= perDay) return { isGranted: false, untilMs };
        used += 1;
        return { isGranted: true, left: perDay - used };
      },
    };
  };

  it('ends a run in good order', async () => {
    const { once } = await smallJob();
    const quota = quotaOf(40, Number.MAX_SAFE_INTEGER);
    const { ran, requests } = await once({ quota });
    expect(requests).toBe(quota.used());
    expect(requests).toBeLessThanOrEqual(40);
    expect(ran.limit?.message).toContain(
      'the quota of 40 requests a day is used up until 00:00 UTC',
    );
    expect(exitCodeOf(ran)).toBe(3);
  });

  it('that is used up before the plan is a fault of its own', async () => {
    const { once } = await smallJob();
    const untilMs = Date.UTC(2030, 0, 2);
    const fault = await once({ quota: quotaOf(0, untilMs) }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'limited', exitCode: 3 });
    expect(String(fault)).toContain('requests a day is used up until 2030-01-02 00:00:00 UTC');
  });

  it('is waited for with a longest wait', async () => {
    const { once } = await smallJob();
    let nowMs = Date.UTC(2026, 0, 1);
    let used = 0;
    const effects = quietEffects({
      now: () => nowMs,
      sleep: async (delayMs) => {
        nowMs += delayMs;
      },
    });
    const untilMs = nowMs + 3_600_000;
    const quota = {
      perDay: 40,
      take: (): TakenRequest => {
        used += 1;
        if (used > 40 && nowMs < untilMs) return { isGranted: false, untilMs };
        return { isGranted: true, left: 0 };
      },
    };
    const { ran } = await once({ quota, effects, limits: { maxWaitMs: 7_200_000 } });
    expect([ran.limit, exitCodeOf(ran)]).toEqual([undefined, 0]);
    expect(nowMs).toBeGreaterThanOrEqual(untilMs);
  });
});
