import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { STREAM_PATHS } from '../../../src/node/no-node.ts';
import { type Listener, listen } from '../../../src/server/listener.ts';
import { createStreamServer } from '../../../src/stream/stream-server.ts';

/** Goal: clients of missing nodes and streams get errors in their own protocol. */

const service = serviceOver(tablesSource(new Map()));
const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

describe('the JSON-RPC of a service without a node', () => {
  const called = async (body: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await service.answer({ method: 'POST', target: '/rpc', headers, body });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body);
  };
  const refused = (id: unknown) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_000, message: expect.stringContaining('no node') },
  });

  it('answers calls with an error of JSON-RPC that has their id', async () => {
    const call = { jsonrpc: '2.0', method: 'eth_blockNumber', params: [] };
    expect(await called(JSON.stringify({ ...call, id: 7 }))).toEqual(refused(7));
    const batch = JSON.stringify([
      { ...call, id: 'a' },
      { ...call, id: 2 },
    ]);
    expect(await called(batch)).toEqual([refused('a'), refused(2)]);
  });

  it('answers a body that is not a call, without an id', async () => {
    for (const body of ['', 'null', '[]', '{"id":{}}']) {
      expect(await called(body)).toEqual(refused(null));
    }
  });
});

it('the stream of a service without one is closed with a reason', async () => {
  const effects = virtualClock();
  const absent = createStreamServer(effects, {}, true);
  const streams = new Map(STREAM_PATHS.map((path) => [path, absent]));
  const listener = await listen(service, { effects, streams });
  open.push(listener);
  const client = new WebSocket(`${listener.url.replace('http', 'ws')}/stream`);
  const [code, reason] = await once(client, 'close');
  expect([code, String(reason)]).toEqual([1011, 'only a simulated chain that grows has a stream']);
});
