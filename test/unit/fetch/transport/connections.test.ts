import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createRawServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { failureOf, unanswered } from '../../../../src/fetch/http/call-failure.ts';
import { faultOfCall } from '../../../../src/fetch/http/call-fault.ts';
import { asTransportFailure } from '../../../../src/fetch/transport/failures.ts';
import { undiciTransport } from '../../../../src/fetch/transport/transport.ts';
import { type Certificate, certificateOf } from '../../../fixtures/certificate.ts';
import { portOf, whenOver } from '../../../fixtures/when-over.ts';

/** Goal: each fault of protocols and certificates has a sentence and a remedy of its own. */

const names = ['127.0.0.1'];
const authority = certificateOf('authority');
const leaf = certificateOf('leaf', { names, issuer: authority });
const withTls = (certificate: Pick<Certificate, 'cert' | 'key'>): Promise<number> =>
  portOf(createTlsServer(certificate, (_, response) => response.end('{}')));
const answering = (status: number, body: string): Promise<number> =>
  portOf(createServer((_, response) => response.writeHead(status).end(body)));
const saying = (bytes: string): Promise<number> =>
  portOf(createRawServer((socket) => socket.on('error', () => undefined).end(bytes)));

/** The fault of a run that ends with the failure of this request. */
async function faultAt(url: string, headers: Record<string, string> = {}) {
  const source = undiciTransport({
    baseUrl: url,
    connections: 1,
    timeouts: { connectMs: 2000, headersMs: 2000, bodyMs: 2000, totalMs: 4000 },
  });
  whenOver(() => source.close());
  const request = { method: 'GET', target: '/', headers, body: '' } as const;
  try {
    await source.send(request, new AbortController().signal);
  } catch (error) {
    const attempt = unanswered(error);
    if (!('code' in attempt)) throw new Error('no failure');
    return faultOfCall(failureOf(endpointAt('mainchain/block/block-list'), attempt));
  }
  throw new Error('answered');
}

const CUSTOM = 'NODE_EXTRA_CA_CERTS';
const DAY_MS = 86_400_000;

describe('a connection', () => {
  it.each<[string, string, () => Promise<number>, string, string]>([
    ['https', 'a port without TLS', () => answering(200, '{}'), 'does not speak TLS', 'http://'],
    ['https', 'a port of SSH', () => saying('SSH-2.0-x\r\n'), 'does not speak TLS', 'the port'],
    ['http', 'a port of SSH', () => saying('SSH-2.0-x\r\n'), 'is not HTTP', 'https://'],
    ['http', 'a port with TLS', () => withTls(leaf), 'connection was lost', 'http:// or https://'],
    [
      'http',
      'a server that says so',
      () => answering(400, 'Client sent an HTTP request to an HTTPS server.'),
      'the port wants TLS',
      'Write https:// in source.url.',
    ],
    [
      'http',
      'another server that says so',
      () => answering(400, '<h1>The plain HTTP request was sent to HTTPS port</h1>'),
      'the port wants TLS',
      'Write https:// in source.url.',
    ],
    [
      'https',
      'a self-signed certificate',
      () => withTls(certificateOf('self', { names })),
      'the certificate is self-signed',
      CUSTOM,
    ],
    [
      'https',
      'an unknown authority',
      () => withTls({ ...leaf, cert: leaf.cert + authority.cert }),
      'the authority of the certificate is unknown',
      CUSTOM,
    ],
    [
      'https',
      'a certificate without those between',
      () => withTls(leaf),
      'does not send the certificates between them',
      CUSTOM,
    ],
    [
      'https',
      'an expired certificate',
      () => withTls(certificateOf('old', { names, fromMs: 0, toMs: Date.now() - DAY_MS })),
      'has expired',
      'the clock',
    ],
    [
      'https',
      'a certificate of tomorrow',
      () => withTls(certificateOf('new', { names, fromMs: Date.now() + DAY_MS })),
      'is not valid yet',
      'the clock',
    ],
  ])('%s to %s is named', async (scheme, _, listen, message, advice) => {
    const fault = await faultAt(`${scheme}://127.0.0.1:${await listen()}`);
    expect(fault.message).toContain(message);
    expect(fault.advice).toContain(advice);
    expect(fault.kind).toBe('unreachable');
    if (advice !== CUSTOM) expect(fault.advice).not.toContain(CUSTOM);
  });

  it('to a server with the certificate of another name is named', () => {
    const error = Object.assign(new Error('x'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(asTransportFailure(error)).toMatchObject({
      message: 'the certificate is for another host name',
      advice: expect.stringContaining('Write the name of the certificate in source.url'),
    });
  });

  it('that a header prevents is a fault of configuration, with the variables of the key', async () => {
    const port = await answering(200, '{}');
    const fault = await faultAt(`http://127.0.0.1:${port}`, { key: 'a\r\nb' });
    expect(fault.kind).toBe('configuration');
    expect(fault.message).toMatch(/^A request cannot be sent: /);
    expect(fault.advice).toContain('WINDROW_ACCESS_KEY');
  });
});
