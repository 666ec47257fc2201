import { describe, expect, it } from 'vitest';
import { RateProbe } from '../../../../src/fetch/rate/rate-probe.ts';

const sentAt = (atMs: number, ratePerSecond: number) => ({
  atMs,
  epoch: 0,
  ratePerSecond,
  weight: 1,
});

/** Grants the due requests until `untilMs`, like a source with a higher limit. */
function granted(probe: RateProbe, fromMs: number, untilMs: number): void {
  for (let atMs = fromMs; atMs < untilMs; atMs += 1000 / probe.ratePerSecond) {
    probe.granted(sentAt(atMs, probe.ratePerSecond));
  }
}

describe('a probe', () => {
  it('rises in growing steps, each long enough to be evidence', () => {
    const probe = new RateProbe(10, Number.POSITIVE_INFINITY, 0);
    expect(probe.ratePerSecond).toBeCloseTo(10.2, 9);
    granted(probe, 0, 4100);
    expect(probe.isOver(4099, 100)).toBe(false);
    expect(probe.goodPerSecond).toBe(10);
    expect(probe.isOver(4100, 100)).toBe(false);
    expect(probe.goodPerSecond).toBeCloseTo(10.2, 9);
    expect(probe.ratePerSecond).toBeCloseTo(10.2 * 1.03, 9);
  });

  it('takes longer steps at low rates', () => {
    const probe = new RateProbe(0.5, Number.POSITIVE_INFINITY, 0);
    granted(probe, 0, 9000);
    expect(probe.isOver(9000, 0)).toBe(false);
    expect(probe.goodPerSecond).toBe(0.5);
    granted(probe, 9000, 10_000);
    expect(probe.isOver(10_000, 0)).toBe(false);
    expect(probe.goodPerSecond).toBeCloseTo(0.51, 9);
  });

  it('ends without a result if the rate was not used', () => {
    const probe = new RateProbe(10, Number.POSITIVE_INFINITY, 0);
    granted(probe, 0, 2000);
    expect(probe.isOver(4000, 0)).toBe(true);
    expect(probe.goodPerSecond).toBe(10);
  });

  it('counts only requests that were sent in the step', () => {
    const probe = new RateProbe(10, Number.POSITIVE_INFINITY, 5000);
    granted(probe, 0, 4999);
    expect(probe.isOver(9000, 0)).toBe(true);
  });

  it('ends at the maximum of the user', () => {
    const probe = new RateProbe(10, 10.1, 0);
    expect(probe.ratePerSecond).toBe(10.1);
    granted(probe, 0, 4000);
    expect(probe.isOver(4000, 0)).toBe(true);
    expect(probe.goodPerSecond).toBe(10.1);
  });

  it('falls back below the rate at which the rejected request was sent', () => {
    const probe = new RateProbe(10, Number.POSITIVE_INFINITY, 0);
    const first = sentAt(3900, probe.ratePerSecond);
    granted(probe, 0, 4000);
    probe.isOver(4000, 0);
    const second = sentAt(4100, probe.ratePerSecond);
    expect(probe.goodBelow(second)).toBeCloseTo(10.2, 9);
    expect(probe.goodBelow(first)).toBe(10);
    expect(probe.hasSent(first)).toBe(true);
    expect(probe.hasSent(sentAt(-1, 9.7))).toBe(false);
  });
});
