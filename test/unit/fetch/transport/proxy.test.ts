import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { type Environment, proxyFor } from '../../../../src/fetch/transport/proxy.ts';
import { undiciTransport } from '../../../../src/fetch/transport/transport.ts';
import { certificateOf } from '../../../fixtures/certificate.ts';
import { forwardProxy } from '../../../fixtures/forward-proxy.ts';
import { portOf, whenOver } from '../../../fixtures/when-over.ts';

describe('the proxy of an address', () => {
  const both = { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://s:2' };
  it.each<[string, Environment, string | undefined]>([
    ['http://explorer.example', both, 'http://p:1'],
    ['https://explorer.example', both, 'http://s:2'],
    ['https://explorer.example', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://explorer.example', { ...both, http_proxy: 'http://lower:3' }, 'http://lower:3'],
    ['http://explorer.example', { ...both, http_proxy: '' }, undefined],
    [
      'http://explorer.example',
      { HTTP_PROXY: ' proxy.example:3128\r\n' },
      'http://proxy.example:3128',
    ],
    ['http://127.0.0.1:8080', both, undefined],
    ['http://[::1]:8080', both, undefined],
    ['http://localhost:8080', both, undefined],
    ['http://a.example', { ...both, NO_PROXY: '*' }, undefined],
    ['http://a.example', { ...both, NO_PROXY: 'b.example, a.example' }, undefined],
    ['http://a.example', { ...both, NO_PROXY: 'x', no_proxy: 'A.Example' }, undefined],
    ['http://a.b.example', { ...both, NO_PROXY: '.b.example' }, undefined],
    ['http://a.b.example', { ...both, NO_PROXY: '*.b.example' }, undefined],
    ['http://ab.example', { ...both, NO_PROXY: 'b.example' }, 'http://p:1'],
    ['http://a.example', { ...both, NO_PROXY: 'a.example:80' }, undefined],
    ['http://a.example:81', { ...both, NO_PROXY: 'a.example:80' }, 'http://p:1'],
    ['http://10.1.2.3', { ...both, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['http://11.1.2.3', { ...both, NO_PROXY: '10.0.0.0/8,10.0.0.0/99,1.2.3' }, 'http://p:1'],
    ['http://[fd00::1]', { ...both, NO_PROXY: 'fd00::/8' }, undefined],
    ['http://[fd00::1]:81', { ...both, NO_PROXY: '[fd00::1]:81' }, undefined],
    ['http://[fd00::1]', { ...both, NO_PROXY: 'fd00::1' }, undefined],
    ['http://[fd00::1:2]', { ...both, NO_PROXY: 'fd00::1:2' }, undefined],
    ['http://a.example.', { ...both, NO_PROXY: 'a.example' }, undefined],
  ])('%s with %j is %s', (address, env, origin) => {
    expect(proxyFor(address, env)?.origin).toBe(origin);
  });

  it('keeps its password apart, also one with a percent sign', () => {
    const proxy = proxyFor('http://a.example', { HTTP_PROXY: 'http://us%40er:50%@p:1' });
    expect(proxy?.origin).toBe('http://p:1');
    const basic = Buffer.from('us@er:50%').toString('base64');
    expect(proxy?.headers).toEqual({ 'proxy-authorization': `Basic ${basic}` });
  });

  it.each(['socks5://p:1', 'http://', 'http://p:port', 'secret word'])(
    'is refused by the name of its variable: %s',
    (value) => {
      const read = () => proxyFor('https://a.example', { https_proxy: value });
      expect(read).toThrow(Fault);
      expect(read).toThrow('https_proxy is not the address of an HTTP proxy.');
    },
  );
});

describe('requests through a proxy', () => {
  afterEach(async () => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  });
  const request = { method: 'GET', target: '/a?b=c,d', headers: { key: 'secret' }, body: '' };

  /** Sends one request to a host that only the proxy knows. */
  async function sent(
    scheme: 'http' | 'https',
    { refuse, login = '' }: { readonly refuse?: number | 'hang'; readonly login?: string } = {},
    answer: [number, Record<string, string>, string | Buffer] = [200, {}, '{"a":1}'],
  ) {
    const reply: Parameters<typeof createServer>[1] = (incoming, response) => {
      const [status, headers, body] = answer;
      const echoed = { 'x-host': incoming.headers.host ?? '', 'x-key': incoming.headers['key'] };
      response.writeHead(status, { ...echoed, ...headers }).end(body);
    };
    const server =
      scheme === 'http'
        ? createServer(reply)
        : createTlsServer(certificateOf('host', { names: ['explorer.example'] }), reply);
    const proxy = await forwardProxy(await portOf(server), refuse);
    whenOver(proxy.close);
    const source = undiciTransport({
      baseUrl: `${scheme}://explorer.example`,
      connections: 2,
      timeouts: { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5000 },
      maxBodyBytes: 1000,
      env: { [`${scheme.toUpperCase()}_PROXY`]: `http://${login}127.0.0.1:${proxy.port}` },
    });
    whenOver(source.close);
    const never = new AbortController().signal;
    const response = source.send({ ...request, method: 'GET' }, never);
    const failure = response.then(
      () => Promise.reject(new Error('answered')),
      (error) => error,
    );
    failure.catch(() => undefined);
    return { proxy, response, failure, source };
  }

  it('to an http address have the whole address, the host and the login of the proxy', async () => {
    const { proxy, response } = await sent('http', { login: 'user:word@' });
    const headers = { 'x-host': 'explorer.example', 'x-key': 'secret' };
    expect(await response).toMatchObject({ status: 200, body: '{"a":1}', headers });
    expect(proxy.seen.map(({ line }) => line)).toEqual(['GET http://explorer.example/a?b=c,d']);
    const basic = `Basic ${Buffer.from('user:word').toString('base64')}`;
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(basic);
  });

  it('to an https address show the proxy nothing but the host', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const { proxy, response } = await sent('https', { login: 'user:word@' });
    expect((await response).headers).toMatchObject({
      'x-host': 'explorer.example',
      'x-key': 'secret',
    });
    expect(proxy.seen.map(({ line }) => line)).toEqual(['CONNECT explorer.example:443']);
    expect(JSON.stringify(proxy.seen)).not.toContain('secret');
  });

  it.each(['http', 'https'] as const)('keep the bound on decoded bodies: %s', async (scheme) => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const coded = gzipSync('a'.repeat(1001));
    const { failure } = await sent(scheme, {}, [200, { 'content-encoding': 'gzip' }, coded]);
    expect(await failure).toMatchObject({ kind: 'too-large' });
  });

  it('refuse redirects', async () => {
    const { failure } = await sent('http', {}, [302, { location: 'http://other.example' }, '']);
    expect(await failure).toMatchObject({ kind: 'redirect' });
  });

  it.each([
    ['http', 403, 'proxy', /answered HTTP 403 in place of the service/, /allows this address/],
    ['http', 502, 'proxy', /answered HTTP 502 in place of the service/, /NO_PROXY/],
    ['http', 407, 'proxy-login', /wants a user name and a password/, /in HTTP_PROXY, as in/],
    ['http', 'hang', 'timeout', /took too long to begin; requests go through/, /NO_PROXY/],
    ['https', 403, 'proxy', /answered HTTP 403 in place of the service/, /allows this address/],
    ['https', 407, 'proxy-login', /wants a user name and a password/, /in HTTPS_PROXY, as in/],
    ['https', 'hang', 'timeout', /opened no tunnel in time/, /NO_PROXY/],
  ] as const)(
    'that a proxy refuses name it: %s %s',
    async (scheme, refuse, kind, message, advice) => {
      const { failure, proxy } = await sent(scheme, { refuse });
      const error = await failure;
      expect(error).toMatchObject({ kind });
      expect(error.message).toMatch(message);
      expect(error.message).toContain(
        `http://127.0.0.1:${proxy.port} (${scheme.toUpperCase()}_PROXY)`,
      );
      expect(error.advice).toMatch(advice);
    },
  );

  it('name a refused password without it', async () => {
    const { failure } = await sent('https', { refuse: 407, login: 'user:word@' });
    const error = await failure;
    expect(error.message).toContain('refused its user name and password');
    expect(error.message + error.advice).not.toContain('word@');
  });

  it('keep the 403 of the service itself, which is JSON', async () => {
    const { response } = await sent('http', {}, [403, {}, '{"code":"50030"}']);
    expect(await response).toMatchObject({ status: 403 });
  });

  it.each(['http', 'https'] as const)('to a closed proxy name it: %s', async (scheme) => {
    const source = undiciTransport({
      baseUrl: `${scheme}://explorer.example`,
      connections: 1,
      timeouts: { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5000 },
      env: { http_proxy: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' },
    });
    whenOver(source.close);
    const failure = source.send({ ...request, method: 'GET' }, new AbortController().signal);
    await expect(failure).rejects.toMatchObject({
      kind: 'refused',
      message: `the connection was refused; requests go through the proxy http://127.0.0.1:1 (${scheme}_proxy)`,
      advice: expect.stringContaining('Check that the proxy runs'),
    });
  });
});
