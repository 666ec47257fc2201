import { describe, expect, it } from 'vitest';
import { Pacer, type Permit } from '../../../../src/fetch/rate/pacer.ts';
import { type VirtualClock, virtualClock } from '../../../fixtures/virtual-clock.ts';

/**
 * A source that grants every request after `latencyMs`; returns the times when requests were sent.
 */
async function send(pacer: Pacer, clock: VirtualClock, requests: number, latencyMs: number) {
  const startMs = clock.now();
  const left: number[] = [];
  const one = async (): Promise<void> => {
    const permit = await pacer.permit();
    left.push(clock.now() - startMs);
    await clock.sleep(latencyMs);
    permit.succeeded(latencyMs);
  };
  await clock.run(Promise.all(Array.from({ length: requests }, one)));
  return left;
}

/** Takes permits one by one and rejects until the pacer waits. */
async function congested(pacer: Pacer, clock: VirtualClock) {
  const first = await clock.run(pacer.permit());
  first.succeeded(20);
  const second = await clock.run(pacer.permit());
  second.rejected({});
  expect(pacer.explain().state).toBe('wait');
}

describe('a pacer', () => {
  it('starts at two requests per second and never sends two at once', async () => {
    const clock = virtualClock();
    const left = await send(new Pacer({ effects: clock }), clock, 20, 20);
    expect(left[0]).toBe(0);
    expect((left[1] ?? 0) - (left[0] ?? 0)).toBeGreaterThan(300);
    expect(new Set(left).size).toBe(20);
    const gaps = left.slice(1).map((at, i) => at - (left[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(30);
  });

  it('grants permits in the order of the calls', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    const order: number[] = [];
    const one = async (name: number): Promise<void> => {
      (await pacer.permit()).succeeded(1);
      order.push(name);
    };
    await clock.run(Promise.all([one(1), one(2), one(3), one(4)]));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('rises to thousands per second for a source without a limit', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    const left = await send(pacer, clock, 15_000, 5);
    const inTheLastSecond = left.filter((at) => at > (left.at(-1) ?? 0) - 1000).length;
    expect(left.at(-1)).toBeLessThan(25_000);
    expect(inTheLastSecond).toBeGreaterThan(3000);
  });

  it('starts at the rate of the user, with several requests at a time where timers are too coarse', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, startPerSecond: 2000, maxPerSecond: 2000 });
    const left = await send(pacer, clock, 4000, 5);
    expect(left.at(-1)).toBeGreaterThan(1950);
    expect(left.at(-1)).toBeLessThan(2050);
    const perTick = new Map<number, number>();
    for (const at of left) perTick.set(at, (perTick.get(at) ?? 0) + 1);
    expect(Math.max(...perTick.values())).toBeLessThanOrEqual(20);
  });

  it('never exceeds the maximum of the user', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, maxPerSecond: 10 });
    const left = await send(pacer, clock, 300, 20);
    for (const at of left) {
      const inSecond = left.filter((other) => other >= at && other < at + 1000).length;
      expect(inSecond).toBeLessThanOrEqual(11);
    }
    expect(left.at(-1)).toBeLessThan(34_000);
  });

  it('does not exceed the rate of a slow source', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    let busyUntilMs = 0;
    // One request at a time, 50 ms each: at most 20 per second, however many wait.
    const one = async (): Promise<void> => {
      const permit = await pacer.permit();
      const sentMs = clock.now();
      busyUntilMs = Math.max(busyUntilMs, sentMs) + 50;
      await clock.sleep(busyUntilMs - sentMs);
      permit.succeeded(clock.now() - sentMs);
    };
    await clock.run(Promise.all(Array.from({ length: 1000 }, one)));
    expect(pacer.explain().ratePerSecond).toBeLessThanOrEqual(60);
  });

  it('sends no request before a Retry-After has passed, and then a single one', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, startPerSecond: 10 });
    const first = await clock.run(pacer.permit());
    const rejectedMs = clock.now();
    first.rejected({ retryAfterMs: 90_000 });
    const granted: number[] = [];
    const permits: Permit[] = [];
    const ask = async (): Promise<void> => {
      permits.push(await pacer.permit());
      granted.push(clock.now() - rejectedMs);
    };
    const grants = Promise.all([ask(), ask(), ask()]);
    await clock.pass(89_999);
    expect(granted).toEqual([]);
    await clock.pass(14_000);
    expect(granted).toEqual([90_000]);
    permits[0]?.succeeded(10);
    await clock.pass(1000);
    for (const permit of permits) permit.succeeded(10);
    await clock.run(grants);
    expect(granted).toHaveLength(3);
  });

  it('respects the Retry-After of a request that was sent before the last cut', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, startPerSecond: 10 });
    const first = await clock.run(pacer.permit());
    const second = await clock.run(pacer.permit());
    first.rejected({});
    const atMs = clock.now();
    second.rejected({ retryAfterMs: 5000 });
    await clock.run(pacer.permit());
    expect(clock.now() - atMs).toBeGreaterThanOrEqual(5000);
  });

  it('cuts the rate once for all requests in flight', async () => {
    const clock = virtualClock();
    const rates = { memory: { ceilingPerSecond: 100 }, startPerSecond: 1 };
    const pacer = new Pacer({ effects: clock, ...rates });
    const permits: Permit[] = [];
    for (let i = 0; i < 5; i += 1) permits.push(await clock.run(pacer.permit()));
    const [last, ...others] = permits.reverse();
    for (const permit of others) permit.rejected({});
    expect(pacer.memory().ceilingPerSecond).toBeCloseTo(93, 5);
    expect(pacer.explain().ratePerSecond).toBeCloseTo(0.75 * 93, 5);
    // A granted request among them is not evidence that the source grants again.
    last?.succeeded(20);
    expect(pacer.explain().state).toBe('wait');
    const cutMs = clock.now();
    const trial = await clock.run(pacer.permit());
    expect(clock.now() - cutMs).toBeLessThanOrEqual(300);
    trial.succeeded(20);
    expect(pacer.explain().state).toBe('recover');
  });

  it('doubles its wait after each rejected trial, up to about a minute', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, memory: { ceilingPerSecond: 100 } });
    await congested(pacer, clock);
    const pauses: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const before = clock.now();
      const permit = await clock.run(pacer.permit());
      pauses.push(clock.now() - before);
      permit.rejected({});
    }
    expect(pauses[0]).toBeLessThanOrEqual(300);
    expect(pauses[1]).toBeLessThanOrEqual(313);
    expect(pauses[11]).toBeGreaterThanOrEqual(45_000);
    expect(pauses[11]).toBeLessThanOrEqual(75_001);
  });

  it('keeps its ceiling, and a later pacer starts just below it', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    expect(pacer.memory()).toEqual({ ceilingPerSecond: null });
    await congested(pacer, clock);
    const memory = JSON.parse(JSON.stringify(pacer.memory())) as { ceilingPerSecond: number };
    expect(memory.ceilingPerSecond).toBeGreaterThan(0);
    const later = new Pacer({ effects: clock, memory: { ceilingPerSecond: 50 } });
    expect(later.explain()).toMatchObject({ ratePerSecond: 40, ceilingPerSecond: 50 });
    await send(later, clock, 100, 5);
    expect(later.explain().state).toBe('hold');
    expect(later.explain().ratePerSecond).toBeCloseTo(48.5, 5);
  });

  it('treats failures neither as rejections nor as successes', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    for (let i = 0; i < 50; i += 1) (await clock.run(pacer.permit())).failed();
    expect(pacer.explain()).toMatchObject({ state: 'start', ceilingPerSecond: null });
    expect(pacer.explain().ratePerSecond).toBeLessThanOrEqual(4);
  });

  it('frees the queue place of an aborted call, and counts a report once', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    const first = await clock.run(pacer.permit());
    const abort = new AbortController();
    const second = pacer.permit(abort.signal);
    const third = pacer.permit();
    abort.abort(new Error('not wanted'));
    await expect(second).rejects.toThrow('not wanted');
    await expect(pacer.permit(abort.signal)).rejects.toThrow('not wanted');
    await clock.run(third);
    first.succeeded(5);
    first.rejected({});
    first.failed();
    expect(pacer.explain()).toMatchObject({ state: 'start', inFlight: 1, waiting: 0 });
  });

  it('names the limiting cause: the rate, the concurrency of its user, or the latency', async () => {
    const clock = virtualClock();
    const byRate = new Pacer({ effects: clock, maxPerSecond: 10 });
    await send(byRate, clock, 60, 5);
    expect(byRate.explain().limitedBy).toBe('rate');
    for (let i = 0; i < 60; i += 1) await send(byRate, clock, 1, 300);
    expect(byRate.explain().limitedBy).toBe('concurrency');

    const byConcurrency = new Pacer({ effects: clock, startPerSecond: 100 });
    for (let i = 0; i < 60; i += 1) await send(byConcurrency, clock, 1, 50);
    expect(byConcurrency.explain().limitedBy).toBe('concurrency');

    const byLatency = new Pacer({ effects: clock, startPerSecond: 20, maxPerSecond: 20 });
    await send(byLatency, clock, 40, 10);
    await send(byLatency, clock, 60, 30_000);
    expect(byLatency.explain().limitedBy).toBe('server latency');
  });

  it('bounds the requests in flight by rate and median latency', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, startPerSecond: 20, maxPerSecond: 20 });
    await send(pacer, clock, 40, 200);
    expect(pacer.inFlightLimit()).toBe(Math.ceil(1.5 * 20 * 0.2) + 2);
    let inFlight = 0;
    let most = 0;
    const stuck = async (): Promise<void> => {
      const permit = await pacer.permit();
      inFlight += 1;
      most = Math.max(most, inFlight);
      await clock.sleep(100_000);
      inFlight -= 1;
      permit.failed();
    };
    await clock.run(Promise.all(Array.from({ length: 30 }, stuck)));
    expect(most).toBe(8);
  });

  it('repeats a trial without an outcome after 15 seconds', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock });
    await congested(pacer, clock);
    await clock.run(pacer.permit());
    const trialMs = clock.now();
    await clock.run(pacer.permit());
    expect(clock.now() - trialMs).toBe(15_000);
  });

  it('goes on with its ceiling and says so when the clock is set back', async () => {
    const clock = virtualClock();
    let backMs = 0;
    const effects = { ...clock, now: () => clock.now() - backMs };
    const pacer = new Pacer({ effects, memory: { ceilingPerSecond: 100 }, maxPerSecond: 10 });
    await clock.run(pacer.permit());
    backMs = 3_600_000;
    const beganMs = clock.now();
    await clock.run(Promise.all([pacer.permit(), pacer.permit()]));
    expect(clock.now() - beganMs).toBeLessThan(1000);
    expect(pacer.memory()).toEqual({ ceilingPerSecond: 100 });
    expect(clock.logged).toEqual([
      'warn: The rate in memory was last used at 2025-01-01T00:00:00.000Z, which is in the ' +
        'future: the clock was set back. The rate begins again.',
    ]);
  });

  it('leaves no timer when no call waits', async () => {
    const clock = virtualClock();
    const pacer = new Pacer({ effects: clock, startPerSecond: 0.5 });
    await clock.run(pacer.permit());
    const abort = new AbortController();
    const waiting = pacer.permit(abort.signal);
    abort.abort(new Error('not wanted'));
    await expect(waiting).rejects.toThrow();
    // A remaining sleeper would advance the time; without one, the clock reports that no work is
    // left.
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('nothing sleeps');
    expect(clock.now()).toBe(virtualClock().now());
  });
});
