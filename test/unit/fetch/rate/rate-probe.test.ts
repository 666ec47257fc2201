import { describe, expect, it } from 'vitest';
import {
  countInStep,
  goodBelow,
  hasProbeSent,
  isProbeOver,
  newProbe,
  type RateProbe,
} from '../../../../src/fetch/rate/rate-probe.ts';

const sentAt = (atMs: number, ratePerSecond: number) => ({ atMs, epoch: 0, ratePerSecond });
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Grants the due requests until `untilMs`, like a source with a higher limit. */
function granted(probe: RateProbe, fromMs: number, untilMs: number): void {
  for (let atMs = fromMs; atMs < untilMs; atMs += 1000 / probe.ratePerSecond) {
    countInStep(probe, sentAt(atMs, probe.ratePerSecond));
  }
}

describe('a probe', () => {
  it('rises in growing steps, each long enough to be evidence', () => {
    const probe = newProbe(10, NO_LIMIT, 0);
    expect(probe.ratePerSecond).toBeCloseTo(10.2, 9);
    granted(probe, 0, 12_600);
    expect(isProbeOver(probe, 12_599, 100, NO_LIMIT) || probe.good > 10).toBe(false);
    expect(isProbeOver(probe, 12_600, 100, NO_LIMIT)).toBe(false);
    expect(probe.good).toBeCloseTo(10.2, 9);
    expect(probe.ratePerSecond).toBeCloseTo(10.2 * 1.03, 9);
  });

  it('takes longer steps at low rates', () => {
    const probe = newProbe(0.25, NO_LIMIT, 0);
    granted(probe, 0, 20_000);
    expect(isProbeOver(probe, 19_000, 0, NO_LIMIT) || probe.good > 0.25).toBe(false);
    expect(isProbeOver(probe, 20_000, 0, NO_LIMIT)).toBe(false);
    expect(probe.good).toBeCloseTo(0.255, 9);
  });

  it('ends without a result if the rate was not used', () => {
    const probe = newProbe(10, NO_LIMIT, 0);
    granted(probe, 0, 5000);
    expect(isProbeOver(probe, 12_500, 0, NO_LIMIT)).toBe(true);
    expect(probe.good).toBe(10);
  });

  it('counts only requests that were sent in the step', () => {
    const probe = newProbe(10, NO_LIMIT, 5000);
    granted(probe, 0, 4999);
    expect(isProbeOver(probe, 18_000, 0, NO_LIMIT)).toBe(true);
  });

  it('ends at the maximum of the user', () => {
    const probe = newProbe(10, 10.1, 0);
    expect(probe.ratePerSecond).toBe(10.1);
    granted(probe, 0, 20_000);
    expect(isProbeOver(probe, 20_000, 0, 10.1)).toBe(true);
    expect(probe.good).toBe(10.1);
  });

  it('falls back below the rate at which the rejected request was sent', () => {
    const probe = newProbe(10, NO_LIMIT, 0);
    const first = sentAt(12_400, probe.ratePerSecond);
    granted(probe, 0, 12_500);
    isProbeOver(probe, 12_500, 0, NO_LIMIT);
    expect(goodBelow(probe, sentAt(12_600, probe.ratePerSecond))).toBeCloseTo(10.2, 9);
    expect(goodBelow(probe, first)).toBe(10);
    expect(hasProbeSent(probe, first)).toBe(true);
    expect(hasProbeSent(probe, sentAt(-1, 9.7))).toBe(false);
  });
});
