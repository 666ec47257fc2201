import { describe, expect, it } from 'vitest';
import { Admission } from '../../../../src/fetch/limits/admission.ts';
import { RequestLimits } from '../../../../src/fetch/limits/request-limits.ts';
import { Pacer } from '../../../../src/fetch/rate/pacer.ts';
import { RpcClient } from '../../../../src/fetch/rpc/rpc-client.ts';
import type { HttpResponse } from '../../../../src/fetch/transport/transport.ts';
import { virtualClock } from '../../../fixtures/virtual-clock.ts';

/** Goal: calls are batched where the service allows it, and every refusal has an end. */

interface Sent {
  readonly id: number;
  readonly method: string;
}

const respond = (status: number, body: unknown, headers = {}): HttpResponse => {
  return { status, headers, body: JSON.stringify(body) };
};
const answers = (calls: readonly Sent[]) =>
  calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }));

/** A client of a service that answers `calls` in one body, at its nth request. */
function clientOf(
  answer: (calls: Sent[], isBatch: boolean, nth: number) => HttpResponse,
  { patienceMs, answerMs = 0 }: { patienceMs?: number; answerMs?: number } = {},
) {
  const clock = virtualClock();
  const sizes: number[] = [];
  const limits = new RequestLimits({ maxRequests: 400 });
  const client = new RpcClient({
    transport: {
      basePath: '/rpc',
      close: async () => undefined,
      send: async ({ body }) => {
        await clock.sleep(answerMs);
        const parsed = JSON.parse(body) as Sent | Sent[];
        const calls = [parsed].flat();
        sizes.push(calls.length);
        return answer(calls, Array.isArray(parsed), sizes.length);
      },
    },
    origin: 'http://node',
    pacer: new Pacer({ effects: clock, startPerSecond: 100, maxPerSecond: 100 }),
    admission: new Admission({ effects: clock, limits }),
    effects: clock,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  const call = (count: number) => {
    const calls = Array.from({ length: count }, (_, nth) => ({
      entry: { method: `m${nth}` },
      params: [],
    }));
    return clock.run(client.call(calls, new AbortController().signal));
  };
  return { call, sizes };
}

describe('a client of JSON-RPC', () => {
  it('sends batches, and puts replies in the order of the calls', async () => {
    const { call, sizes } = clientOf((calls) => respond(200, answers(calls).reverse()));
    const replies = await call(60);
    expect(replies).toEqual(Array.from({ length: 60 }, (_, nth) => ({ result: `m${nth}` })));
    expect(sizes).toEqual([50, 10]);
  });

  it('falls back to smaller batches, down to single calls, and stays there', async () => {
    const most = (limit: number) =>
      clientOf((calls, isBatch) => {
        if (calls.length > limit || (limit === 1 && isBatch)) {
          return respond(limit === 1 ? 400 : 200, {
            id: null,
            error: { code: -32600, message: 'no' },
          });
        }
        return respond(200, isBatch ? answers(calls) : answers(calls)[0]);
      });
    const small = most(20);
    expect(await small.call(30)).toHaveLength(30);
    expect(await small.call(15)).toHaveLength(15);
    expect(small.sizes).toEqual([30, 15, 15, 15]);
    const single = most(1);
    expect(await single.call(4)).toHaveLength(4);
    expect(single.sizes).toEqual([4, 2, 1, 1, 1, 1]);
  });

  it('keeps errors of calls beside results of others', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x01' };
    const { call } = clientOf((calls) =>
      respond(200, [{ id: 0, error }, ...answers(calls).slice(1)]),
    );
    expect(await call(2)).toEqual([{ error }, { result: 'm1' }]);
  });

  it('reads the trace of as many calls within calls as the chain allows', async () => {
    const trace = `${'{"calls":['.repeat(1024)}${']}'.repeat(1024)}`;
    const body = `[{"id":0,"result":[{"result":${trace}}]}]`;
    const { call } = clientOf(() => ({ status: 200, headers: {}, body }));
    expect(await call(1)).toMatchObject([{ result: [{ result: { calls: [{}] } }] }]);
  });

  it('sends a call again after a rate limit or a failure, and ends with a fault', async () => {
    const once = clientOf((calls, _, nth) => {
      if (nth === 1) return respond(429, {}, { 'retry-after': '3' });
      if (nth === 2) return respond(503, {});
      if (nth === 3) return respond(200, { id: 0, error: { code: -32005, message: 'slow' } });
      return respond(200, answers(calls)[0]);
    });
    expect(await once.call(1)).toEqual([{ result: 'm0' }]);
    const down = clientOf(() => respond(500, {}));
    await expect(down.call(1)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(down.sizes).toHaveLength(5);
    const busy = clientOf(() => respond(429, {}));
    await expect(busy.call(1)).rejects.toMatchObject({ kind: 'throttled' });
    expect(busy.sizes).toHaveLength(20);
    const closed = clientOf(() => respond(403, 'no'));
    await expect(closed.call(3)).rejects.toMatchObject({ kind: 'refused' });
  });

  it.each([
    [500, 'unreachable'],
    [429, 'throttled'],
  ])('ends the retries after a status of %i when its patience is over', async (status, kind) => {
    const limits = { patienceMs: 30_000, answerMs: 20_000 };
    const { call, sizes } = clientOf(() => respond(status, {}), limits);
    await expect(call(1)).rejects.toMatchObject({ kind });
    expect(sizes).toHaveLength(2);
  });

  it('sends no more requests than the run may send', async () => {
    const { call, sizes } = clientOf((calls) => respond(200, answers(calls)));
    await expect(call(50 * 500)).rejects.toMatchObject({ kind: 'limited' });
    expect(sizes).toHaveLength(400);
  });
});
