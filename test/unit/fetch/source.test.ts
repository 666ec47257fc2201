import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Client } from '../../../src/fetch/http/client.ts';
import { Secret } from '../../../src/fetch/http/signature.ts';
import { Pacer } from '../../../src/fetch/rate/pacer.ts';
import {
  type Answer,
  CANARY,
  credentials,
  endpoint,
  lost,
  options,
  pageOf,
  query,
  refused,
  setUp,
} from '../../fixtures/fetch-client-setup.ts';
import { virtualClock } from '../../fixtures/virtual-clock.ts';

describe('a call with a refused timestamp', () => {
  it('learns the time of the service once, then fails', async () => {
    const aheadMs = 3_600_000;
    const { clock, call, fails, requests, client } = setUp(
      (_, count) => {
        const date = new Date(clock.now() + aheadMs).toUTCString();
        return count === 2 ? pageOf() : refused('50102', 'expired', 401, { date });
      },
      { credentials },
    );
    await clock.run(call());
    const [first, second] = requests.map(({ headers, atMs }) => {
      return Date.parse(headers['SVC-ACCESS-TIMESTAMP'] ?? '') - atMs;
    });
    expect(first).toBe(0);
    expect(Math.abs((second ?? 0) - aheadMs)).toBeLessThan(1000);
    expect(client.statistics()).toMatchObject({ requests: 2, retries: { timestamp: 1 } });
    expect(clock.logged.join()).toContain('differs by 3600 s');
    expect(await fails()).toMatchObject({ outcome: 'auth', code: '50102' });
  });

  it('retries requests that were signed before the clock was corrected', async () => {
    const { clock, call, requests } = setUp(
      ({ headers }) => {
        const servedMs = clock.now() + 3_600_000;
        const signedMs = Date.parse(headers['SVC-ACCESS-TIMESTAMP'] ?? '');
        const isFresh = Math.abs(servedMs - signedMs) < 30_000;
        const date = new Date(servedMs).toUTCString();
        return isFresh ? pageOf() : refused('50112', 'timestamp', 401, { date });
      },
      { credentials },
    );
    const replies = await clock.run(Promise.all([call(), call(), call()]));
    expect(replies).toHaveLength(3);
    expect(requests.length).toBeGreaterThan(3);
  });

  it('fails immediately on a refused timestamp if the service sends no time', async () => {
    const { fails, requests } = setUp(() => refused('50102', 'expired', 401), { credentials });
    expect(await fails()).toMatchObject({ outcome: 'auth' });
    expect(requests).toHaveLength(1);
  });
});

describe('a client', () => {
  it('sends calls of higher priority first, and retries before new calls', async () => {
    let failed = 0;
    const order: string[] = [];
    const { clock, client } = setUp(
      ({ target }) => {
        const page = /page=([0-9]+)/.exec(target)?.[1] ?? '';
        order.push(page);
        failed += 1;
        return failed === 1 ? refused('50011') : pageOf();
      },
      { concurrency: 1 },
    );
    const calls = [
      [1, 0],
      [2, 0],
      [3, 1],
      [4, 0],
      [5, 1],
    ].map(([page, priority]) =>
      client.call(endpoint, { page: String(page) }, { priority: priority ?? 0 }),
    );
    await clock.run(Promise.all(calls));
    // The first was sent before another could be chosen; its retry precedes 2 and 4.
    expect(order).toEqual(['1', '3', '5', '1', '2', '4']);
  });

  it('sends an urgent call before those that wait for the rate', async () => {
    const order: string[] = [];
    const answer: Answer = ({ target }) => {
      order.push(/page=([0-9]+)/.exec(target)?.[1] ?? '');
      return pageOf();
    };
    const { clock, client } = setUp(answer, { concurrency: 50 }, { maxPerSecond: 2 });
    const call = (page: number, priority: number) =>
      client.call(endpoint, { page: String(page) }, { priority });
    const patient = Array.from({ length: 40 }, (_, i) => call(i, 0));
    await clock.pass(5000);
    const sent = order.length;
    await clock.run(Promise.all([...patient, call(99, 1)]));
    expect(order.indexOf('99') - sent).toBeLessThan(5);
  });

  it('keeps no more requests in flight than its setting or the pacer allows', async () => {
    for (const [concurrency, startPerSecond, most] of [
      [3, 1000, 3],
      [50, 20, Math.ceil(1.5 * 20 * 1) + 2],
    ] as const) {
      let underWay = 0;
      let peak = 0;
      const clock = virtualClock();
      const pacer = new Pacer({ effects: clock, startPerSecond, maxPerSecond: startPerSecond });
      const client = new Client({
        transport: async () => {
          underWay += 1;
          peak = Math.max(peak, underWay);
          await clock.sleep(60_000);
          underWay -= 1;
          return pageOf();
        },
        pacer,
        effects: clock,
        pathSegment: 'mainchain',
        headerPrefix: 'SVC-',
        concurrency,
      });
      const calls = Array.from({ length: 60 }, () => client.call(endpoint, query, options));
      await clock.pass(59_000);
      expect(peak).toBe(most);
      await clock.run(Promise.all(calls));
    }
  });

  it('sends a bounded number of retries to a source that only fails', async () => {
    const { clock, call, requests } = setUp(() => lost('timeout'), { concurrency: 40 });
    const calls = Array.from({ length: 40 }, () => call().catch((error: unknown) => error));
    await clock.run(Promise.all(calls));
    // 100 tokens pay for ten retries after timeouts; five attempts each would be 200 requests.
    expect(requests).toHaveLength(50);
  });

  it('earns new retries by successes', async () => {
    const { clock, call, requests } = setUp((_, count) => (count % 6 === 0 ? lost() : pageOf()));
    for (let i = 0; i < 200; i += 1) await clock.run(call());
    expect(requests.length).toBeGreaterThan(235);
  });

  it('counts a refused request as allowed by the rate limit', async () => {
    const { call, fails, pacer } = setUp(() => refused('50036'), {}, {});
    for (let i = 0; i < 100; i += 1) await fails(call());
    expect(pacer.explain().ratePerSecond).toBeGreaterThan(5);
  });

  it('counts its traffic, in total and by endpoint', async () => {
    const body = pageOf({ a: 'é' });
    const { clock, call, client } = setUp((_, count) => (count === 1 ? refused('50011') : body));
    await clock.run(call());
    await clock.run(call());
    const bytes = 2 * Buffer.byteLength(body.body) + refused('50011').body.length;
    const traffic = {
      requests: 3,
      replies: 2,
      rejections: 1,
      retries: { throttle: 1, transient: 0, timestamp: 0 },
      bytes,
    };
    const { byEndpoint, ...total } = client.statistics();
    expect(total).toEqual(traffic);
    expect(byEndpoint).toEqual({ [endpoint.path]: traffic });
  });

  it('extends the code table by its settings', async () => {
    const { fails } = setUp(() => refused('70001'), { codes: { '70001': 'stop' } });
    expect(await fails()).toMatchObject({ outcome: 'stop', code: '70001' });
  });

  it('reveals no secret, even if the service echoes it', async () => {
    const echo: Answer = ({ headers }, count) => {
      const said = `${JSON.stringify(headers)} ${CANARY}-secret\u001b[31m\n${'x'.repeat(500)}`;
      return count === 1 ? refused('50011', said, 429) : refused('50113', said, 401);
    };
    const { clock, fails, requests, pacer, client } = setUp(echo, { credentials });
    const failure = await fails();
    const sign = requests.at(-1)?.headers['SVC-ACCESS-SIGN'] ?? 'none';
    const shown = [
      failure.message,
      failure.stack,
      failure.detail,
      inspect(failure, { depth: 10, showHidden: true }),
      JSON.stringify({ failure, pacer: pacer.explain(), statistics: client.statistics() }),
      inspect(client, { depth: 10, showHidden: true }),
      clock.logged.join('\n'),
    ].join('\n');
    expect(failure.detail).toContain('[redacted]');
    expect(failure.detail).not.toMatch(/\p{Cc}/u);
    expect(failure.detail.length).toBeLessThan(300);
    expect(shown).not.toContain(CANARY);
    expect(shown).not.toContain(sign);
  });

  it('redacts a whole secret, even if another is a part of it', async () => {
    const whole = new Secret('phrase-and-more');
    const nested = { ...credentials, passphrase: whole, accessKey: new Secret('phrase') };
    const { fails } = setUp(() => refused('50113', 'phrase-and-more phrase'), {
      credentials: nested,
    });
    expect(await fails()).toMatchObject({ detail: '[redacted] [redacted]' });
  });
});
