import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { certificateOf } from '../fixtures/certificate.ts';
import { type ForwardProxy, forwardProxy } from '../fixtures/forward-proxy.ts';
import { freshFolder, portOf, whenOver } from '../fixtures/when-over.ts';
import { windrowProcess } from './command-line.ts';
import { PIPELINE, serve } from './harness.ts';

/**
 * Goal: behind a proxy, with a certificate of a private authority and a clock that is off, `doctor`
 * and `run` work, and each shows where the connection goes.
 */

const chain = simulatedChain({ seed: 'proxies', head: 100 });
const authority = certificateOf('authority');
const NAME = 'explorer.example';
let proxy: ForwardProxy;
let folder = '';

/** The service with TLS, on a port; its clock is five minutes ahead. */
async function withTls(url: string, names: readonly string[]): Promise<number> {
  const certificate = certificateOf('service', { names, issuer: authority });
  const server: Server = createServer(certificate, (incoming, response) => {
    const { method, url: path } = incoming;
    // The service refuses a Host that is not its own.
    const headers = { ...incoming.headers, host: new URL(url).host };
    const onward = request(url, { method, path, headers }, (answer) => {
      const date = new Date(Date.now() + 300_000).toUTCString();
      response.writeHead(answer.statusCode ?? 0, { ...answer.headers, date });
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  return portOf(server);
}

beforeAll(async () => {
  folder = await freshFolder();
  const served = await serve(chainSource(chain));
  proxy = await forwardProxy(await withTls(served.url, [NAME]));
  whenOver(proxy.close);
  await writeFile(join(folder, 'authority.pem'), authority.cert);
});

async function typed(verb: string, host: string, env: Record<string, string> = {}) {
  const file = join(folder, 'p.yaml');
  const address = chain.addresses(1)[0] ?? '';
  const [zero] = /0x0{40}/.exec(PIPELINE) ?? [''];
  const text = PIPELINE.replace('http://127.0.0.1:1', `https://${host}`).replace(zero, address);
  await writeFile(file, text);
  return windrowProcess([verb, file, '--data', join(folder, 'data')], {
    env: {
      HTTPS_PROXY: `http://user:canary-word@127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
      ...env,
    },
  });
}

test('doctor names the proxy, and a clock that is off is a warning', async () => {
  const { code, stdout, stderr } = await typed('doctor', NAME);
  expect(stdout, stderr).toContain(
    `ok    proxy: Requests go through the proxy http://127.0.0.1:${proxy.port}, which HTTPS_PROXY`,
  );
  expect(stdout).toMatch(/ok {4}tls: The certificate is valid for \d+ days/);
  expect(stdout).toMatch(/warn {2}clock: The clock of this machine is (299|300)\.\d s behind/);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('canary-word');
});

test('a run lands through the tunnel', async () => {
  const { code, stdout, stderr } = await typed('run', NAME);
  expect(code, stdout + stderr).toBe(0);
  expect(new Set(proxy.seen.map(({ line }) => line))).toEqual(new Set([`CONNECT ${NAME}:443`]));
});

test.each([
  ['another.example', {}, 'the certificate is for another host name'],
  [NAME, { NODE_EXTRA_CA_CERTS: '' }, 'does not send the certificates between them'],
])('doctor and run name the fault of a certificate: %s %j', async (host, env, message) => {
  const examined = await typed('doctor', host, env);
  expect(examined.code).toBe(1);
  expect(examined.stdout).toContain(message);
  const ran = await typed('run', host, env);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`The service cannot be reached: `);
  expect(ran.stderr).toContain(message);
});
