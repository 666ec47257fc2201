import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Secret } from '../../../../src/fetch/http/signature.ts';
import { serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { STREAM_PATHS } from '../../../src/node/no-node.ts';
import { listen } from '../../../src/server/listener.ts';
import { createStreamServer } from '../../../src/stream/stream-server.ts';

/** Goal: clients of missing nodes and streams get errors in their own protocol. */

const service = serviceOver(tablesSource(new Map()));

describe('the JSON-RPC of a service without a node', () => {
  const called = async (path: string, method: string, answering = service): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: [] });
    const answer = await answering.answer({ method: 'POST', target: path, headers, body });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body);
  };
  const refused = (code: number, reason: string) => ({
    jsonrpc: '2.0',
    id: 7,
    error: { code, message: expect.stringContaining(reason) },
  });

  it('refuses what needs a node, a block or a test network', async () => {
    expect(await called('/rpc', 'eth_getBalance')).toEqual(refused(-32_601, 'needs a node'));
    expect(await called('/rpc', 'eth_chainId')).toEqual(refused(-32_000, 'id of their chain'));
    expect(await called('/rpc', 'eth_blockNumber')).toEqual(refused(-32_000, 'no blocks'));
    expect(await called('/test/rpc', 'eth_blockNumber')).toEqual(refused(-32_000, 'no such'));
  });

  it('shows no records of a service that checks keys', async () => {
    const secret = new Secret('a');
    const credentials = [{ accessKey: secret, secretKey: secret, passphrase: secret }];
    const guarded = serviceOver(tablesSource(new Map()), { credentials });
    const answer = await called('/rpc', 'eth_getBlockByNumber', guarded);
    expect(answer).toEqual(refused(-32_000, 'need a key'));
  });
});

it('the stream of a service without one is closed with a reason', async () => {
  const effects = virtualClock();
  const absent = createStreamServer(effects, {}, true);
  const streams = new Map(STREAM_PATHS.map((path) => [path, absent]));
  const listener = await listen(service, { effects, streams });
  whenOver(() => listener.close());
  const client = new WebSocket(`${listener.url.replace('http', 'ws')}/stream`);
  const [code, reason] = await once(client, 'close');
  expect([code, String(reason)]).toEqual([1011, 'only a simulated chain that grows has a stream']);
});
