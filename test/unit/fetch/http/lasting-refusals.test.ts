import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../../src/fetch/transport/transport.ts';
import {
  endpoint,
  json,
  pageOf,
  query,
  refused,
  setUp,
} from '../../../fixtures/fetch-client-setup.ts';

/** Goal: a request that is refused again and again beside granted ones ends, and no other does. */

const MINUTE_MS = 60_000;
const PAGE = { page: '1', limit: '20', totalPage: '0', transactionList: [] };
const EMPTY = json({ code: '0', msg: '', data: [PAGE] });
const BARE = json({ code: '0', msg: 'No transactions found', data: [] });
const isBad = ({ target }: { readonly target: string }): boolean => target.includes('0xbad');

/** A client that has read some lists; requests that name `0xbad` get `refusal`. */
async function opened(refusal: () => HttpResponse) {
  const set = setUp((request) => {
    if (isBad(request)) return refusal();
    return request.target.includes('0xnone') ? EMPTY : pageOf({ a: '1' });
  });
  const call = (address: string, more: object = {}) =>
    set.client.call(endpoint, { ...query, address }, { priority: 0, ...more });
  for (let i = 0; i < 10; i += 1) await set.clock.run(call(`0x${i}`));
  const startMs = set.clock.now();
  const tookMs = (): number => set.clock.now() - startMs;
  const sent = (): number => set.requests.filter(isBad).length;
  return { ...set, call, sent, tookMs };
}

describe('an empty list without a page', () => {
  it.each([
    ['a list', BARE],
    ['null', json({ code: '0', msg: '', data: null })],
  ])(
    'as %s is an empty answer after a minute of granted requests, then at once',
    async (_, bare) => {
      const { clock, call, sent, tookMs, requests } = await opened(() => bare);
      expect(await clock.run(call('0xbad'))).toEqual({ records: [] });
      expect(tookMs()).toBeGreaterThan(MINUTE_MS);
      expect(tookMs()).toBeLessThan(3 * MINUTE_MS);
      expect(sent()).toBeLessThan(12);
      // Without other calls, a request that had records is repeated between the attempts.
      const others = requests.length - 10 - sent();
      expect(others).toBeGreaterThan(3);
      expect(others).toBeLessThan(12);
      const before = [requests.length, clock.now()] as const;
      await clock.run(Promise.all(Array.from({ length: 50 }, (__, i) => call(`0xbad${i}`))));
      expect(requests.length - before[0]).toBe(50);
      expect(clock.now() - before[1]).toBeLessThan(MINUTE_MS);
    },
  );

  it('fails its request where the list writes empty answers as pages', async () => {
    const { clock, call, fails } = await opened(() => BARE);
    await clock.run(call('0xnone'));
    expect(await fails(call('0xbad'))).toMatchObject({
      outcome: 'lasting',
      code: 'silent-empty',
      detail: expect.stringMatching(/^refused \d+ times while \d+ other requests were granted: /),
    });
  });

  it('is a false empty answer where records are due, and proves nothing', async () => {
    const { clock, call } = await opened(() => BARE);
    let falseEmpties = 0;
    const onFalseEmpty = (): void => {
      falseEmpties += 1;
    };
    expect(await clock.run(call('0xbad', { onFalseEmpty }))).toMatchObject({ records: [] });
    expect(falseEmpties).toBe(6);
    const startMs = clock.now();
    await clock.run(call('0xbad2'));
    expect(clock.now() - startMs).toBeGreaterThan(1000);
  });
});

describe('a request that is refused for ever', () => {
  it.each([
    ['HTTP 200', '50011', 6, () => refused('50011', 'Too Many Requests')],
    ['HTTP 429', '50011', 6, () => refused('50011', '', 429)],
    ['HTTP 503 and Retry-After', 'http-503', 6, () => json({}, 503, { 'retry-after': '30' })],
    // The whole source waits for an hour once; requests are rare for a while after that.
    ['Retry-After 1 h', '50011', 80, () => refused('50011', '', 429, { 'retry-after': '3600' })],
  ])('with %s fails alone, with the reason', async (_, code, minutes, refusal) => {
    const { clock, call, fails, sent, tookMs, pacer } = await opened(refusal);
    const other = async (): Promise<void> => {
      for (let i = 0; i < 600; i += 1) {
        await call(`0xother${i}`);
        await clock.sleep(1000);
      }
    };
    const others = other();
    const failure = await fails(call('0xbad'));
    expect(failure).toMatchObject({ outcome: 'lasting', code });
    expect(failure.message).toMatch(/refused \d+ times while \d+ other requests were granted/);
    expect(tookMs()).toBeLessThan(minutes * MINUTE_MS);
    expect(sent()).toBeLessThan(12);
    await clock.run(others);
    if (minutes < 60) expect(pacer.explain().ratePerSecond).toBeGreaterThan(1);
    const before = sent();
    expect(await fails(call('0xbad2'))).toMatchObject({ outcome: 'lasting' });
    expect(sent() - before).toBeLessThan(8);
  });
});

describe('throttling', () => {
  it('that refuses half of all requests at any rate fails none', async () => {
    let count = 0;
    const { clock, client } = setUp(() => {
      count += 1;
      // Halves by a hash of the number of the request.
      return Math.imul(count, 0x9e3779b1) < 0 ? refused('50011') : pageOf({ a: '1' });
    });
    const calls = Array.from({ length: 150 }, (_, i) =>
      client.call(endpoint, { ...query, startBlockHeight: String(i) }, { priority: 0 }),
    );
    expect(await clock.run(Promise.all(calls))).toHaveLength(150);
  });

  it('of one list by a limit per minute fails none of its requests', async () => {
    const granted = new Map<number, number>();
    const { clock, client } = setUp(({ target }) => {
      if (!target.includes('0xlimited')) return pageOf({ a: '1' });
      const minute = Math.floor(clock.now() / MINUTE_MS);
      const used = (granted.get(minute) ?? 0) + 1;
      if (used > 10) return refused('50011');
      granted.set(minute, used);
      return pageOf({ a: '1' });
    });
    const call = (name: string, nth: number) =>
      client.call(endpoint, { ...query, address: `0x${name}${nth}` }, { priority: 0 });
    const work = async (name: string): Promise<void> => {
      for (let i = 0; i < 20; i += 1) await call(name, i);
    };
    await clock.run(Promise.all([work('limited'), work('limited'), work('other'), work('more')]));
  });
});
