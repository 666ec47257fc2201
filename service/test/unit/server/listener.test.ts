import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:http';
import type { Server, Socket } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import type { Listener, ListenOptions } from '../../../src/server/listener.ts';
import { listen } from '../../../src/server/listener.ts';
import type { Service } from '../../../src/server/service.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import type { StreamServer } from '../../../src/stream/stream-server.ts';

const TARGET = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=2';

async function started(
  service: Service = serviceOver(chainSource(simulatedChain({ seed: 'port', head: 10 }))),
  options: Partial<ListenOptions> = {},
): Promise<Listener> {
  const listener = await listen(service, { effects: virtualClock(), ...options });
  whenOver(() => listener.close());
  return listener;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function send(
  url: string,
  more: { headers?: OutgoingHttpHeaders; method?: string; body?: string; agent?: Agent } = {},
): Promise<Reply> {
  const { body = '', ...options } = more;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** All that comes back for these bytes until the service closes the connection. */
function rawReply(url: string, bytes: string, more = Buffer.alloc(0)): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(bytes);
      socket.write(more);
    });
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('close', () => resolve(received));
  });
}

describe('a listener', () => {
  it("serves the service's answers on a free port of this machine", async () => {
    const service = serviceOver(chainSource(simulatedChain({ seed: 'port', head: 10 })));
    const { url } = await started(service);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    const direct = await service.answer({ method: 'GET', target: TARGET, headers: {}, body: '' });
    const reply = await send(url + TARGET);
    expect(reply).toMatchObject({ status: 200, body: direct.body });
    expect(reply.headers).toMatchObject({ 'content-type': direct.headers['content-type'] });
  });

  it('allows no other origin anything', async () => {
    const { url } = await started();
    const { headers } = await send(url + TARGET, { headers: { origin: 'http://evil.example' } });
    const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control'));
    expect(allowed).toEqual([]);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect((await send(url + TARGET, { method: 'OPTIONS' })).status).toBe(405);
  });

  it('answers only under names of its own', async () => {
    const { url } = await started(undefined, { hostNames: ['Barn.Local'] });
    const status = async (host: string) => (await send(url + TARGET, { headers: { host } })).status;
    for (const host of ['localhost', 'LOCALHOST:99', '127.0.0.1:1', '[::1]:80', 'barn.local']) {
      expect(await status(host), host).toBe(200);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', ':80']) {
      expect(await status(host), host).toBe(421);
    }
  });

  it('keeps connections open between requests', async () => {
    const { url } = await started();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const replies = [await send(url + TARGET, { agent }), await send(url + TARGET, { agent })];
    expect(replies.map((reply) => reply.headers['connection'])).toEqual([
      'keep-alive',
      'keep-alive',
    ]);
    agent.destroy();
  });

  it('refuses bodies and headers that are too large', async () => {
    const { url } = await started();
    const body = 'x'.repeat(1_048_577);
    expect(await send(url + TARGET, { method: 'POST', body })).toMatchObject({
      status: 413,
      body: expect.stringContaining('50038') as string,
    });
    const headers = { 'x-long': 'x'.repeat(10_000) };
    expect((await send(url + TARGET, { headers })).status).toBe(431);
    expect((await send(url + TARGET)).status).toBe(200);
  });

  it('answers bytes that are no HTTP without telling about itself', async () => {
    const { url } = await started();
    const text = await rawReply(url, 'hello\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toMatch(/node|\.ts|at /i);
  });

  it.each([
    ['50000', 'no HTTP', 'hello\r\n\r\n'],
    ['50000', 'no host', `GET ${TARGET} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [
      '50000',
      'two hosts',
      `GET ${TARGET} HTTP/1.1\r\nHost: localhost\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
    [
      '50024',
      'long headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(9000)}\r\n\r\n`,
    ],
    ['50016', 'a wrong Expect', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: rain\r\n\r\n'],
  ])('answers with the code %s and an envelope for %s', async (code, _, bytes) => {
    const { url } = await started();
    const [head = '', body = ''] = (await rawReply(url, bytes)).split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({ code, msg: expect.any(String) as string, data: [] });
    expect(head).toMatch(/content-type: application\/json/i);
    expect(head).toMatch(/connection: close/i);
  });

  it('refuses a body that is not UTF-8, and takes one that is', async () => {
    const { url } = await started();
    const reply = (body: string) => {
      const head = `POST ${TARGET} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
      const bytes = Buffer.from(body, 'latin1');
      return rawReply(url, `${head}Content-Length: ${bytes.length}\r\n\r\n`, bytes);
    };
    expect(await reply('"\xff"')).toContain('"code":"50002"');
    expect(await reply('"\xc3\xbc"')).toContain('"code":"50041"');
  });

  it.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: localh'],
    ['a body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf'],
  ])('does not wait long for the rest of %s', async (_, start) => {
    const { url } = await started(undefined, { requestTimeoutMs: 100 });
    expect(await rawReply(url, start)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('closes a connection on which nothing moves, but for a stream', async () => {
    const taken: Socket[] = [];
    const silent = {
      accept: (_: unknown, socket: Socket) => {
        taken.push(socket);
        socket.write('joined');
      },
      close: () => {
        for (const socket of taken) socket.destroy();
      },
    };
    const streams = new Map([['/silent', silent as unknown as StreamServer]]);
    const { url } = await started(undefined, { standstillMs: 100, streams });
    const stream = connect(Number(new URL(url).port), '127.0.0.1');
    let isOpen = true;
    stream.on('close', () => {
      isOpen = false;
    });
    stream.write(
      'GET /silent HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
    );
    await once(stream, 'data');
    // Each of these has stood still as long as the stream.
    for (let nth = 0; nth < 3; nth += 1) expect(await rawReply(url, '')).toBe('');
    expect(isOpen).toBe(true);
  });

  it('closes no connection whose answer is still computed', async () => {
    let finish = (): void => {};
    const computed = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const service = serviceOver(chainSource(simulatedChain({ seed: 'port', head: 10 })));
    const slow: Service = {
      ...service,
      answer: async (question) => {
        await computed;
        return service.answer(question);
      },
    };
    const { url } = await started(slow, { standstillMs: 100 });
    const answer = send(`${url}${TARGET}`);
    // Each of these stands still as long as it is allowed to.
    for (let nth = 0; nth < 3; nth += 1) expect(await rawReply(url, '')).toBe('');
    finish();
    expect((await answer).status).toBe(200);
  });

  it('hands the service the request line and the headers as they came', async () => {
    const seen: unknown[] = [];
    const source = chainSource(simulatedChain({ seed: 'port', head: 1 }));
    const service = serviceOver(source, {
      before: (question) => {
        seen.push([
          question.method,
          question.target,
          question.headers['svc-access-key'],
          question.body,
        ]);
        return undefined;
      },
    });
    const { url } = await started(service);
    const headers = { 'SVC-ACCESS-KEY': 'somebody' };
    await send(`${url}/a%2Cb?c=%64&c=2`, { method: 'POST', headers, body: '{"ü":1}' });
    expect(seen).toEqual([['POST', '/a%2Cb?c=%64&c=2', 'somebody', '{"ü":1}']]);
  });
});

describe('connections that cannot be taken', () => {
  it('are logged as warnings, and the next one is accepted', async () => {
    const effects = virtualClock();
    let server: Server | undefined;
    const taking = {
      accept: (_: unknown, socket: Socket & { readonly server?: Server }) => {
        server = socket.server;
        socket.end('taken');
      },
      close: () => undefined,
    };
    const streams = new Map([['/taking', taking as unknown as StreamServer]]);
    const { url } = await started(undefined, { effects, streams });
    const handshake = 'Upgrade: websocket\r\nConnection: upgrade\r\n';
    await rawReply(url, `GET /taking HTTP/1.1\r\nHost: localhost\r\n${handshake}\r\n`);
    for (const nth of [1, 2]) server?.emit('error', new Error(`accept EMFILE ${nth}`));
    expect(effects.logged).toEqual(
      [1, 2].map((nth) => `warn: A connection could not be accepted: Error: accept EMFILE ${nth}`),
    );
    expect((await send(url + TARGET)).status).toBe(200);
  });
});

describe('a port', () => {
  it('that is taken is a fault with advice', async () => {
    const port = Number(new URL((await started()).url).port);
    const fault = await started(undefined, { port }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'port-taken', where: `127.0.0.1:${port}` });
  });

  it('is free again after closing, even with an idle connection left open', async () => {
    const listener = await started();
    const agent = new Agent({ keepAlive: true });
    await send(listener.url + TARGET, { agent });
    await listener.close();
    const port = Number(new URL(listener.url).port);
    expect((await started(undefined, { port })).url).toBe(listener.url);
    agent.destroy();
  });

  it('closes only after the answers under way have been given', async () => {
    const source = chainSource(simulatedChain({ seed: 'port', head: 1 }));
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const question = new Promise<void>((resolve) => {
      const find = source.find.bind(source);
      source.find = async (query) => {
        resolve();
        await held;
        return find(query);
      };
    });
    const listener = await started(serviceOver(source));
    const reply = send(listener.url + TARGET);
    await question;
    const closing = listener.close();
    release();
    expect(await reply).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closing;
  });
});
