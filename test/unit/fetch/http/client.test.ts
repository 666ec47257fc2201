import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { TransportFailure } from '../../../../src/fetch/transport/failures.ts';
import {
  type Answer,
  endpoint,
  json,
  LATENCY_MS,
  lost,
  options,
  pageOf,
  query,
  refused,
  setUp,
} from '../../../fixtures/fetch-client-setup.ts';
import { asSent } from '../../../fixtures/listed.ts';

describe('a call', () => {
  it('returns the reply, and an empty one if a height has no data', async () => {
    const { clock, call } = setUp((_, count) =>
      count === 1 ? pageOf({ a: '1' }) : refused('50040'),
    );
    expect(await clock.run(call())).toMatchObject({
      records: asSent([{ a: '1' }]),
      page: 1,
      totalPage: 1,
    });
    expect(await clock.run(call())).toEqual({ records: [] });
  });

  it('is tried five times after transient failures, with growing random delays', async () => {
    const { requests, fails, client } = setUp(() => lost());
    const failure = await fails();
    expect(failure).toMatchObject({
      name: 'CallFailure',
      outcome: 'transient',
      code: 'network',
      endpoint: endpoint.path,
      detail: 'the connection met network',
      message: `${endpoint.path}: the connection met network (network)`,
    });
    expect(requests).toHaveLength(5);
    const delays = requests.slice(1).map(({ atMs }, i) => atMs - (requests[i]?.atMs ?? 0));
    for (const [i, delayMs] of delays.entries()) {
      expect(delayMs).toBeLessThanOrEqual(250 * 2 ** i + LATENCY_MS + 20);
    }
    expect(new Set(delays).size).toBeGreaterThan(1);
    expect(client.statistics()).toMatchObject({
      requests: 5,
      replies: 0,
      retries: { transient: 4 },
    });
  });

  it('fails within seconds if the port is closed, and keeps the cause', async () => {
    const { clock, fails } = setUp(() => lost('refused'), {}, {});
    const startMs = clock.now();
    const failure = await fails();
    expect(failure).toMatchObject({ outcome: 'transient', code: 'refused' });
    expect(failure.cause).toBeInstanceOf(TransportFailure);
    expect(clock.now() - startMs).toBeLessThan(8000);
  });

  it('counts no attempt for throttling', async () => {
    const { clock, call, requests, client } = setUp((_, count) => {
      if (count % 2 === 0 && count < 9) return lost();
      return count < 21 ? refused('50011') : pageOf({ a: '1' });
    });
    await clock.run(call());
    expect(requests).toHaveLength(21);
    expect(client.statistics()).toMatchObject({
      rejections: 16,
      retries: { throttle: 16, transient: 4 },
    });
  });

  it('waits for the Retry-After', async () => {
    const { clock, call, requests } = setUp((_, count) =>
      count === 1 ? refused('50011', 'busy', 429, { 'retry-after': '30' }) : pageOf(),
    );
    await clock.run(call());
    const waitedMs = (requests[1]?.atMs ?? 0) - (requests[0]?.atMs ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(30_000 + LATENCY_MS);
    expect(waitedMs).toBeLessThan(31_000);
  });

  it('treats a bare empty answer as throttling, and retries', async () => {
    const { clock, call, pacer } = setUp((_, count) =>
      count === 1 ? json({ code: '0', msg: '', data: [] }) : pageOf({ a: '1' }),
    );
    expect(await clock.run(call())).toMatchObject({ records: asSent([{ a: '1' }]) });
    expect(pacer.memory().ceilingPerSecond).not.toBeNull();
  });

  it('fails after fifteen minutes of throttling without a success', async () => {
    const { clock, call, fails } = setUp(() => refused('50011'));
    const startMs = clock.now();
    const waiting = [call(), call(), call()].map((work) => fails(work));
    for (const failure of await clock.run(Promise.all(waiting))) {
      expect(failure).toMatchObject({ outcome: 'throttle', code: 'starved' });
    }
    const minutes = (clock.now() - startMs) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(15);
    expect(minutes).toBeLessThan(15.1);
  });

  it.each([
    ['succeeds', () => pageOf()],
    ['is refused for itself', () => refused('50036')],
  ])('continues while some call occasionally %s', async (_, answered) => {
    const { clock, client, call } = setUp(({ target }) => {
      const passedMs = clock.now() - grantedMs;
      const isOther = target.includes('limit');
      const isDue = isOther ? passedMs > 600_000 : clock.now() - startMs > 2_400_000;
      if (!isDue) return refused('50011');
      grantedMs = clock.now();
      return isOther ? answered() : pageOf();
    });
    const startMs = clock.now();
    let grantedMs = startMs;
    const others = async (): Promise<void> => {
      for (let i = 0; i < 5; i += 1) {
        await client.call(endpoint, { limit: '5' }, options).catch(() => undefined);
      }
    };
    await clock.run(Promise.all([call(), others()]));
    expect(clock.now() - startMs).toBeGreaterThan(2_400_000);
  });

  it('is not retried if it is invalid, redirected or too large', async () => {
    const answers: [Answer, object][] = [
      [() => refused('50036', 'bad parameter.'), { code: '50036', detail: 'bad parameter' }],
      [() => lost('redirect'), { code: 'redirect' }],
      [() => lost('too-large'), { code: 'too-large' }],
    ];
    for (const [answer, expected] of answers) {
      const { requests, fails } = setUp(answer);
      expect(await fails()).toMatchObject({ outcome: 'permanent', ...expected });
      expect(requests).toHaveLength(1);
    }
  });

  it('that is refused with an unknown code names its URL, and the setting for no records', async () => {
    const origin = 'http://127.0.0.1:1';
    const unknown = setUp(() => refused('50044', 'No records found'), { origin });
    expect((await unknown.fails()).message).toBe(
      `${origin}/api/v5/${endpoint.path}: No records found (50044). If this code means that ` +
        'there are no records, set codes: { "50044": empty } in source',
    );
    const missing = setUp(() => json('', 404), { origin });
    expect((await missing.fails()).message).toContain('codes: { "http-404": empty } in source');
    const set = setUp(() => refused('50044'), { codes: { '50044': 'empty' } });
    expect(await set.clock.run(set.call())).toMatchObject({ records: [] });
    const setup = setUp(() => refused('50036'));
    expect((await setup.fails()).message).not.toContain('codes:');
  });

  it.each([
    ['50113', 'auth'],
    ['50030', 'stop'],
  ])('that gets code %s stops the source: %s', async (code, outcome) => {
    const { call, fails, requests, client, clock } = setUp(() => refused(code), { concurrency: 1 });
    const waiting = [call(), call(), call()].map((work) => fails(work));
    for (const failure of await clock.run(Promise.all(waiting))) {
      expect(failure).toMatchObject({ outcome, code });
    }
    await expect(client.call(endpoint, query, options)).rejects.toMatchObject({ outcome });
    expect(requests).toHaveLength(1);
  });

  it('ends with the reason of its signal, before, during and after a wait', async () => {
    const { clock, client } = setUp(() => lost());
    const reason = new Error('interrupted');
    for (const delayMs of [0, 5, LATENCY_MS + 50]) {
      const abort = new AbortController();
      const work = client.call(endpoint, query, { priority: 0, signal: abort.signal });
      const settled = work.catch((error: unknown) => error);
      await clock.pass(delayMs);
      abort.abort(reason);
      expect(await clock.run(settled)).toBe(reason);
      const late = client.call(endpoint, query, { priority: 0, signal: abort.signal });
      await expect(late).rejects.toBe(reason);
    }
  });

  it('leaves no timer if it is aborted while the source throttles', async () => {
    const { clock, client } = setUp(() => refused('50011'));
    const abort = new AbortController();
    const work = client.call(endpoint, query, { priority: 0, signal: abort.signal });
    await Promise.all([expect(work).rejects.toThrow('interrupted'), clock.pass(1000).then(stop)]);
    function stop(): void {
      abort.abort(new Error('interrupted'));
    }
    const atMs = clock.now();
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('nothing sleeps');
    expect(clock.now()).toBe(atMs);
  });

  it('accepts one signal for many calls without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { clock, client } = setUp(() => pageOf());
    const { signal } = new AbortController();
    const calls = Array.from({ length: 30 }, () =>
      client.call(endpoint, query, { priority: 0, signal }),
    );
    await clock.run(Promise.all(calls));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
