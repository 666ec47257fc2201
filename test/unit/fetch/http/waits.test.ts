import { describe, expect, it } from 'vitest';
import { faultOfCall } from '../../../../src/fetch/http/call-fault.ts';
import { waitText } from '../../../../src/fetch/http/patience.ts';
import type { LongWait } from '../../../../src/fetch/limits/admission.ts';
import { parseDuration } from '../../../../src/pipeline/syntax/duration.ts';
import { pageOf, refused, setUp } from '../../../fixtures/fetch-client-setup.ts';

const HOUR_MS = 3_600_000;
const askFor = (seconds: number) =>
  refused('50011', 'Too Many Requests', 429, { 'retry-after': String(seconds) });

describe('a long Retry-After', () => {
  it('is announced once, immediately, and may exceed 15 minutes', async () => {
    const waits: (LongWait & { readonly atMs: number })[] = [];
    const { clock, call } = setUp(
      () => (clock.now() - startMs < HOUR_MS ? askFor(3600) : pageOf({ a: '1' })),
      { onLongWait: (wait) => waits.push({ ...wait, atMs: clock.now() }) },
    );
    const startMs = clock.now();
    const replies = await clock.run(Promise.all([call(), call(), call()]));
    expect(replies).toHaveLength(3);
    expect(waits).toHaveLength(1);
    const [wait] = waits;
    expect(wait?.waitMs).toBe(HOUR_MS);
    expect(wait?.atMs).toBeLessThan(startMs + 1000);
    expect(wait && waitText(wait)).toMatch(
      /^The service asks to wait 1 h, until 2025-01-01 01:00:0\d UTC \(Retry-After\): Too Many Req/,
    );
  });

  it('is not announced if it is short', async () => {
    const waits: LongWait[] = [];
    const { clock, call } = setUp((_, count) => (count < 3 ? askFor(5) : pageOf()), {
      onLongWait: (wait) => waits.push(wait),
    });
    await clock.run(call());
    expect(waits).toEqual([]);
  });

  it('ends the source if it is longer than the accepted wait', async () => {
    const { clock, fails, requests } = setUp(() => askFor(1801), { maxWaitMs: HOUR_MS / 2 });
    const startMs = clock.now();
    const failure = await fails();
    expect(clock.now() - startMs).toBeLessThan(1000);
    expect(failure).toMatchObject({ outcome: 'stop', code: 'wait-too-long' });
    expect(requests).toHaveLength(1);
    const fault = faultOfCall(failure);
    expect(fault).toMatchObject({ kind: 'throttled', exitCode: 1 });
    expect(fault.message).toMatch(
      /it asks to wait 30 min 1 s, until 2025-.*at most 30 min are acc/,
    );
    expect(fault.advice).toContain('--max-wait');
  });

  it('ends the source if it is repeated without a success', async () => {
    const { clock, fails, requests } = setUp(() => askFor(3600), { maxWaitMs: 4 * HOUR_MS });
    const startMs = clock.now();
    expect(await fails()).toMatchObject({ code: 'wait-too-long' });
    expect(clock.now() - startMs).toBeLessThan(4.3 * HOUR_MS);
    expect(requests).toHaveLength(5);
  });

  it('is followed by 15 minutes without a success before the source ends', async () => {
    const { clock, fails } = setUp((_, count) => (count === 1 ? askFor(3600) : refused('50011')));
    const startMs = clock.now();
    expect(await fails()).toMatchObject({ outcome: 'throttle', code: 'starved' });
    const minutes = (clock.now() - startMs) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(75);
    expect(minutes).toBeLessThan(76);
  });
});

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('%s is %d ms', (text, expected) => {
    expect(parseDuration(text, '--max-wait')).toBe(expected);
  });

  it.each(['', '90', '1.5h', '-1s', '1w', '21d', '1h30m', 's'])('is not %j', (text) => {
    expect(() => parseDuration(text, '--max-wait')).toThrow('--max-wait is not a duration');
  });
});
