import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TransportFailure } from '../../../../src/fetch/transport/failures.ts';
import {
  type HttpSource,
  type TransportOptions,
  undiciTransport,
} from '../../../../src/fetch/transport/transport.ts';
import { portOf, whenOver } from '../../../fixtures/when-over.ts';

/** A real server on loopback, because sockets, encodings and time limits are under test. */
const TIMEOUTS = { connectMs: 2000, headersMs: 2000, bodyMs: 2000, totalMs: 4000 };
const request = { method: 'GET', target: '/a/b?c=d,e', headers: {}, body: '' } as const;
const unaborted = new AbortController().signal;

async function listening(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await portOf(createServer(answer))}`;
}

function sourceAt(baseUrl: string, more: Partial<TransportOptions> = {}): HttpSource {
  const source = undiciTransport({ baseUrl, connections: 4, timeouts: TIMEOUTS, ...more });
  whenOver(() => source.close());
  return source;
}

async function served(
  body: string | Buffer,
  headers: Record<string, string>,
  more: Partial<TransportOptions> = {},
) {
  const url = await listening((_, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  return sourceAt(url, more).send(request, unaborted);
}

describe('a transport over HTTP', () => {
  it('sends method, target, headers and body unchanged, and returns the response', async () => {
    let seen: unknown;
    const url = await listening((incoming, response) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        const { method, url: target, headers } = incoming;
        seen = { method, target, key: headers['svc-access-key'], body: String(pieces[0]) };
        response.writeHead(418, { 'X-One': ['a', 'b'], Date: 'now' });
        response.end('{"é":1}');
      });
    });
    const source = sourceAt(`${url}/base/`);
    expect(source.basePath).toBe('/base');
    const sent = { ...request, method: 'POST', headers: { 'SVC-ACCESS-KEY': 'k' }, body: 'text' };
    const response = await source.send({ ...sent, method: 'POST' }, unaborted);
    expect(seen).toEqual({ method: 'POST', target: '/a/b?c=d,e', key: 'k', body: 'text' });
    expect(response).toMatchObject({ status: 418, body: '{"é":1}' });
    expect(response.headers).toMatchObject({ 'x-one': 'a, b', date: 'now' });
  });

  it('refuses redirects, and names only their origin', async () => {
    let hits = 0;
    const url = await listening((_, response) => {
      hits += 1;
      response.writeHead(302, { location: 'https://elsewhere.example/steal?key=abc' });
      response.end();
    });
    const sent = sourceAt(url).send(request, unaborted);
    await expect(sent).rejects.toMatchObject({
      kind: 'redirect',
      message: expect.stringMatching(/^[^?]*https:\/\/elsewhere\.example;[^?]*$/),
    });
    expect(hits).toBe(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('accepts and decodes %s', async (coding, encode) => {
    let accepted: string | undefined;
    const url = await listening((incoming, response) => {
      accepted = String(incoming.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': coding });
      response.end(encode(Buffer.from('{"a":"é"}')));
    });
    const { body } = await sourceAt(url).send(request, unaborted);
    expect(body).toBe('{"a":"é"}');
    expect(accepted).toContain(coding);
  });

  it('bounds the decoded size, whatever the encoded size', async () => {
    const large = Buffer.alloc(2_000_000, 'a');
    const bound = { maxBodyBytes: 1_000_000 };
    for (const [coding, encode] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateRawSync],
    ] as const) {
      const coded = encode(large);
      expect(coded.length).toBeLessThan(10_000);
      await expect(served(coded, { 'content-encoding': coding }, bound)).rejects.toMatchObject({
        kind: 'too-large',
      });
    }
    await expect(served(large, {}, bound)).rejects.toMatchObject({ kind: 'too-large' });
    const twice = gzipSync(gzipSync(large));
    const coded = served(twice, { 'content-encoding': 'gzip, gzip' }, bound);
    await expect(coded).rejects.toMatchObject({ kind: 'too-large' });
    const fits = await served(gzipSync(large), { 'content-encoding': 'gzip' });
    expect(fits.body).toHaveLength(2_000_000);
  });

  it('reports a body that is cut, wrongly encoded or not text as broken', async () => {
    const whole = gzipSync(Buffer.from('{"a":1}'.repeat(1000)));
    const gzip = { 'content-encoding': 'gzip' };
    for (const [body, headers] of [
      [whole.subarray(0, whole.length - 10), gzip],
      [Buffer.from('not gzip'), gzip],
      [Buffer.from('text'), { 'content-encoding': 'exotic' }],
      [gzipSync(gzipSync(whole)), { 'content-encoding': 'gzip, gzip, gzip' }],
      [Buffer.from([0x7b, 0xff, 0xfe]), {}],
    ] as const) {
      await expect(served(body, headers)).rejects.toMatchObject({ kind: 'broken-body' });
    }
  });

  it('reports a connection that ends in the middle as lost', async () => {
    const url = await listening((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"a":');
      setImmediate(() => response.destroy());
    });
    await expect(sourceAt(url).send(request, unaborted)).rejects.toMatchObject({
      kind: 'network',
    });
  });

  it('reports a closed port and an unknown host', async () => {
    const server = createServer();
    const url = `http://127.0.0.1:${await portOf(server)}`;
    server.close();
    await expect(sourceAt(url).send(request, unaborted)).rejects.toMatchObject({
      kind: 'refused',
    });
    const nowhere = sourceAt('http://no-such-host.invalid').send(request, unaborted);
    const failure: TransportFailure = await nowhere.then(
      () => Promise.reject(new Error('answered')),
      (error) => error,
    );
    // Without any resolver, the time limit ends the look-up.
    expect(['unknown-host', 'timeout']).toContain(failure.kind);
  });

  it('has time limits for the head, for each chunk of the body, and for the whole', async () => {
    const silent = await listening(() => {});
    const stalling = await listening((_, response) => void response.write('{'));
    const dripping = await listening((_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    // A request that waited for one of these would meet the time limit of the test.
    const hour = 3_600_000;
    const long = { connectMs: hour, headersMs: hour, bodyMs: hour, totalMs: hour };
    for (const [url, timeouts] of [
      [silent, { ...long, headersMs: 100 }],
      [stalling, { ...long, bodyMs: 100 }],
      [dripping, { ...long, totalMs: 200 }],
    ] as const) {
      await expect(sourceAt(url, { timeouts }).send(request, unaborted)).rejects.toMatchObject({
        kind: 'timeout',
      });
    }
  });

  it('throws the reason of its signal if it is aborted', async () => {
    let hits = 0;
    const reason = new Error('interrupted');
    const abort = new AbortController();
    const url = await listening(() => {
      hits += 1;
      abort.abort(reason);
    });
    const source = sourceAt(url);
    const sent = source.send(request, abort.signal);
    await expect(sent).rejects.toBe(reason);
    await expect(source.send(request, abort.signal)).rejects.toBe(reason);
    expect(hits).toBe(1);
  });

  it('never sends a request that was aborted while it waited for a connection', async () => {
    const targets: string[] = [];
    let answer = (): void => {};
    const url = await listening((incoming, response) => {
      targets.push(String(incoming.url));
      if (targets.length === 1) answer = () => response.end('{}');
      else response.end('{}');
    });
    const source = sourceAt(url, { connections: 1 });
    const first = source.send({ ...request, target: '/first' }, unaborted);
    const abort = new AbortController();
    const second = source.send({ ...request, target: '/second' }, abort.signal);
    while (targets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('interrupted');
    abort.abort(reason);
    await expect(second).rejects.toBe(reason);
    answer();
    await first;
    await source.send({ ...request, target: '/third' }, unaborted);
    expect(targets).toEqual(['/first', '/third']);
  });
});
