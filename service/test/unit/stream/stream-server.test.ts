import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { listen } from '../../../src/server/listener.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { createStreamServer } from '../../../src/stream/stream-server.ts';
import type { StreamSettings } from '../../../src/stream/stream-settings.ts';

async function started(settings: StreamSettings = {}) {
  const effects = virtualClock();
  const stream = createStreamServer(effects, settings);
  const service = serviceOver(chainSource(simulatedChain({ seed: 'wire', head: 5 })));
  const streams = new Map([['/stream', stream]]);
  const listener = await listen(service, { effects, streams });
  whenOver(() => listener.close());
  return {
    stream,
    effects,
    listener,
    service,
    url: `${listener.url.replace('http', 'ws')}/stream`,
  };
}

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return socket;
}

/** The status with which a connection is refused. */
function refusal(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on('error', () => undefined);
    socket.on('open', () => reject(new Error('it was accepted')));
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode);
    });
  });
}

/** Waits until it holds, by turns of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !holds(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(holds()).toBe(true);
}

const message = { payload_id: '0x01', index: 0 };

describe('the stream', () => {
  it('sends every message to everybody who is there, and nothing from before', async () => {
    const { stream, url } = await started();
    stream.send({ early: true });
    const sockets = [await connected(url), await connected(url)];
    await until(() => stream.clients === 2);
    const heard = sockets.map((socket) => once(socket, 'message'));
    stream.send(message);
    for (const [data, isBinary] of await Promise.all(heard)) {
      expect(JSON.parse(String(data))).toEqual(message);
      expect(isBinary).toBe(false);
    }
  });

  it('speaks text, binary, brotli, or brotli behind a mark', async () => {
    const read = {
      text: (data: Buffer) => data,
      binary: (data: Buffer) => data,
      brotli: (data: Buffer) => brotliDecompressSync(data),
      'marked-brotli': (data: Buffer) => {
        expect(data[0]).toBe(0x1e);
        return brotliDecompressSync(data.subarray(1));
      },
    } as const;
    for (const encoding of Object.keys(read) as (keyof typeof read)[]) {
      const { stream, url } = await started({ encoding });
      const socket = await connected(url);
      await until(() => stream.clients === 1);
      const heard = once(socket, 'message');
      stream.send(message);
      const [data, isBinary] = (await heard) as [Buffer, boolean];
      expect(isBinary).toBe(encoding !== 'text');
      expect(JSON.parse(String(read[encoding](data)))).toEqual(message);
    }
  });

  it('turns away who finds it full, with code 1013, and has room again later', async () => {
    const { stream, url } = await started({ maxClients: 1 });
    const first = await connected(url);
    await until(() => stream.clients === 1);
    const second = new WebSocket(url);
    expect((await once(second, 'close'))[0]).toBe(1013);
    first.close();
    await until(() => stream.clients === 0);
    const third = await connected(url);
    await until(() => stream.clients === 1);
    expect(third.readyState).toBe(WebSocket.OPEN);
  });

  it('drops who does not read, and goes on for who does', async () => {
    const { stream, url } = await started({ maxUnsentBytes: 100_000 });
    const slow = await connected(url);
    slow.pause();
    const quick = await connected(url);
    let heard = 0;
    quick.on('message', () => {
      heard += 1;
    });
    await until(() => stream.clients === 2);
    const long = { text: 'x'.repeat(60_000) };
    let sent = 0;
    for (; sent < 5_000 && stream.clients === 2; sent += 1) {
      stream.send(long);
      await until(() => heard > sent);
    }
    expect(stream.clients).toBe(1);
    await until(() => heard === sent);
    expect(sent).toBeGreaterThan(1);
  });

  it('disconnects all clients on demand, and accepts them again', async () => {
    const { stream, url } = await started();
    const socket = await connected(url);
    await until(() => stream.clients === 1);
    const closed = once(socket, 'close');
    stream.disconnect();
    expect((await closed)[0]).toBe(1006);
    await connected(url);
    await until(() => stream.clients === 1);
  });

  it('lets no client say much, or break it', async () => {
    const { stream, url } = await started();
    const [loud, quiet] = [await connected(url), await connected(url)];
    await until(() => stream.clients === 2);
    loud.send('x'.repeat(2_000));
    expect((await once(loud, 'close'))[0]).toBe(1009);
    await until(() => stream.clients === 1);
    quiet.send('hello');
    const heard = once(quiet, 'message');
    stream.send(message);
    await heard;
  });

  it('is closed with its listener', async () => {
    const { listener, url, stream } = await started();
    const socket = await connected(url);
    await until(() => stream.clients === 1);
    const closed = once(socket, 'close');
    await listener.close();
    await closed;
    expect(stream.clients).toBe(0);
  });
});

describe('a connection', () => {
  it('is refused for other paths, other names, and pages of other services', async () => {
    const { url } = await started();
    expect(await refusal(`${url}s`)).toBe(404);
    expect(await refusal(url, { host: 'evil.example' })).toBe(421);
    expect(await refusal(url, { origin: 'http://evil.example' })).toBe(421);
    expect(await refusal(url, { origin: 'null' })).toBe(421);
    const parts = new WebSocket(url, { headers: { origin: 'http://localhost:3000' } });
    await once(parts, 'open');
  });

  it.each([
    ['another protocol', 'GET', { upgrade: 'other' }, 'Upgrade'],
    ['another method', 'POST', {}, 'method'],
    ['no key', 'GET', { 'sec-websocket-key': '' }, 'Key'],
    ['a version that there is not', 'GET', { 'sec-websocket-version': '99' }, 'Version'],
    ['protocols that are none', 'GET', { 'sec-websocket-protocol': ',,' }, 'Protocol'],
  ])('that asks with %s is refused in JSON, counted, and closed', async (_, method, more, why) => {
    const { listener, service, stream } = await started();
    const headers = {
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      ...more,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    socket.write(`${method} /stream HTTP/1.1\r\n${lines.join('')}\r\n`);
    let received = '';
    socket.on('data', (data: Buffer) => {
      received += data.toString();
    });
    await once(socket, 'close');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/content-type: application\/json/i);
    expect(head).toMatch(/sec-websocket-version: 13, 8/i);
    const answer = JSON.parse(body) as { msg: string };
    expect(answer).toEqual({ code: '50050', msg: expect.any(String) as string, data: [] });
    expect(answer.msg).toContain(why);
    expect(stream.clients).toBe(0);
    expect(service.requests).toEqual([{ method, target: '/stream', status: 400 }]);
    expect(service.counters.byStatus).toEqual(new Map([[400, 1]]));
    // Whoever does it right is let in afterwards, and counted as such.
    await connected(`${listener.url.replace('http', 'ws')}/stream`);
    expect(service.counters.byStatus.get(101)).toBe(1);
  });
});
