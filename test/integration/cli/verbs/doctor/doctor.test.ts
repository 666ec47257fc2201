import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { chainSource } from '../../../../../service/src/memory/chain-source.ts';
import type { ServiceSettings } from '../../../../../service/src/settings/settings.ts';
import { simulatedChain } from '../../../../../service/src/simulated/chain.ts';
import { printResult } from '../../../../../src/cli/terminal/verb-result.ts';
import { doctorVerb } from '../../../../../src/cli/verbs/doctor/doctor.ts';
import { Secret } from '../../../../../src/fetch/http/signature.ts';
import { exportLake, serve } from '../../../../e2e/harness.ts';
import { certificateOf } from '../../../../fixtures/certificate.ts';
import { forwardProxy } from '../../../../fixtures/forward-proxy.ts';
import { keepingConsole } from '../../../../fixtures/quiet-console.ts';
import { freshFolder, portOf, whenOver } from '../../../../fixtures/when-over.ts';

/** Goal: each thing that can be wrong before a run is found and comes with a remedy; checks.test.ts has
 * those that need no service. */

const chain = simulatedChain({ seed: 'doctor', head: 200 });
const [ADDRESS = ''] = chain.addresses(1);
const PAGES = 'mainchain/address/normal-transaction-list-multi';

let folder = '';
beforeEach(async () => {
  folder = await freshFolder();
});
afterEach(() => vi.unstubAllEnvs());

async function service(settings: ServiceSettings = {}): Promise<string> {
  const served = await serve(chainSource(chain), settings);
  return served.url;
}

/** A server of a few lines, with faults of its own. */
async function server(
  answer: RequestListener,
  tls?: { readonly cert: string; readonly key: string },
): Promise<string> {
  const made = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://127.0.0.1:${await portOf(made)}`;
}

interface Shown {
  readonly code: number;
  readonly lines: Readonly<Record<string, string>>;
  readonly remedies: Readonly<Record<string, string>>;
}

/** The verdicts of a pipeline, by check. */
async function doctor(url: string, more = '', source = 'credentials: none'): Promise<Shown> {
  const file = join(folder, 'p.yaml');
  await writeFile(
    file,
    `version: 1
name: p
source: { url: "${url}", chain: MAINCHAIN, ${source}, timeouts: { connectMs: 500, headersMs: 500 } }
keys: { addresses: { list: ["${ADDRESS}"] } }
datasets:
  transactions:
    - { endpoint: ${PAGES}, keys: addresses }
${more}`,
  );
  const shown: string[] = [];
  const output = { ...keepingConsole(shown), isJson: true, pipeline: file };
  const code = await printResult(
    doctorVerb({ pipeline: file, data: join(folder, 'data') }, output),
    output,
  );
  const { checks, exitCode } = JSON.parse(shown.join(''));
  expect(exitCode).toBe(code);
  const lines: Record<string, string> = {};
  const remedies: Record<string, string> = {};
  for (const { check, verdict, finding, remedy } of checks) {
    expect(remedy === '', `${check}: ${finding}`).toBe(verdict === 'ok');
    lines[check] = `${verdict}: ${finding}`;
    remedies[check] = remedy;
  }
  return { code, lines, remedies };
}

/** A server in front of the service that changes headers. */
async function proxy(change: (response: ServerResponse) => void): Promise<string> {
  const url = await service();
  return server(async ({ url: target }, response) => {
    const body = await (await fetch(`${url}${target}`)).text();
    change(response);
    response.end(body);
  });
}

describe('a good pipeline', () => {
  it('has no failure and no warning', async () => {
    const { code, lines } = await doctor(await service());
    expect(code).toBe(0);
    expect(lines).toMatchObject({
      pipeline: 'ok: 1 request, 1 key from lists.',
      lake: expect.stringMatching(/^ok: .* has no tables yet\.$/),
      clock: 'ok: The clock agrees with that of the service.',
      dns: 'ok: 127.0.0.1 is an address, so no name is looked up.',
      service: expect.stringMatching(/^ok: MAINCHAIN is at block 200; the answer took \d+ ms\.$/),
      credentials: 'ok: The service needs none.',
      'page sizes': 'ok: 1 list accepts full pages.',
    });
  });
});

describe('a service', () => {
  it('that is not running is unreachable', async () => {
    const { code, lines } = await doctor('http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(lines['service']).toMatch(/^fail: The service does not answer/);
    expect(lines).not.toHaveProperty('page sizes');
  });

  it('with an unknown name ends at DNS', async () => {
    const { code, lines } = await doctor('http://no-such-host.invalid');
    expect(code).toBe(1);
    expect(lines['dns']).toMatch(/^fail: /);
    expect(lines).not.toHaveProperty('service');
  });

  it('without TLS at an https address ends at TLS', async () => {
    const url = (await service()).replace('http:', 'https:');
    const { code, lines } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['tls']).toBe(
      'fail: There is no trusted connection to 127.0.0.1: the port does not speak TLS.',
    );
  });

  it('with a self-signed certificate ends at TLS, with the variable for certificates', async () => {
    const { cert, key } = certificateOf('self', { names: ['127.0.0.1'] });
    const url = await server((_, response) => response.end('{}'), { cert, key });
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/no/such/file.pem');
    const { code, lines, remedies } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['tls']).toMatch(/: the certificate is self-signed\.$/);
    expect(remedies['tls']).toMatch(
      /NODE_EXTRA_CA_CERTS names \/no\/such\/file\.pem, which cannot/,
    );
  });

  it('that wants TLS at an http address is told from one that is down', async () => {
    const url = await server((_, response) => {
      response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.');
    });
    const { code, lines, remedies } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['service']).toContain('the port wants TLS');
    expect(remedies['service']).toContain('Write https:// in source.url.');
  });

  it('that refuses the key fails the credentials', async () => {
    const url = await service({ credentials: [{ accessKey: new Secret('right') }] });
    process.env['WINDROW_ACCESS_KEY'] = 'wrong';
    try {
      const { code, lines } = await doctor(url, '', 'authentication: key');
      expect(code).toBe(1);
      expect(lines['credentials']).toMatch(/^fail: The service refused the credentials/);
    } finally {
      delete process.env['WINDROW_ACCESS_KEY'];
    }
  });

  it('that asks for an hour of patience is throttling, and not silent', async () => {
    const url = await server((_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    const { code, lines } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['service']).toMatch(/^fail: The service is throttling: it asks to wait 1 h/);
  });

  it('whose clock differs by minutes gives a warning, as runs sign with its time', async () => {
    const url = await proxy((response) => {
      response.setHeader('date', new Date(Date.now() + 300_000).toUTCString());
    });
    const { code, lines } = await doctor(url);
    expect(code).toBe(0);
    expect(lines['clock']).toMatch(
      /^warn: The clock of this machine is (299|300)\.\d s behind that of the service/,
    );
  });

  it('that sends no time gives a warning', async () => {
    const url = await proxy((response) => {
      response.sendDate = false;
    });
    expect((await doctor(url)).lines['clock']).toMatch(/^warn: The service sends no Date header/);
  });

  it('that answers with a page of a proxy does not match the interface', async () => {
    const url = await server((_, response) => response.end('<html>'));
    const { code, lines } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['service']).toContain('does not match the interface');
  });

  it('that refuses empty lists with a code of its own gives a warning with the setting', async () => {
    const url = await service();
    const none = '{"code":"50044","msg":"No records found","data":[]}';
    const refusing = await server(async ({ url: target = '' }, response) => {
      response.end(target.includes(PAGES) ? none : await (await fetch(url + target)).text());
    });
    const { code, lines, remedies } = await doctor(refusing);
    expect(code).toBe(0);
    expect(remedies['page sizes']).toMatch(/^If the size is why, write pageSize under/);
    expect(lines['page sizes']).toMatch(/^warn: .*set codes: \{ "50044": empty \} in source/);
  });

  it('with shorter pages gives a warning', async () => {
    const { code, lines } = await doctor(await service({ maxPageSize: { [PAGES]: 20 } }));
    expect(code).toBe(0);
    expect(lines['page sizes']).toMatch(/^warn: /);
  });
});

describe('a proxy', () => {
  async function proxied(refuse?: number): Promise<string> {
    const made = await forwardProxy(Number(new URL(await proxy(() => undefined)).port), refuse);
    whenOver(made.close);
    return `127.0.0.1:${made.port}`;
  }

  it('that alone knows the service is named, without its password', async () => {
    const at = await proxied();
    vi.stubEnv('HTTP_PROXY', `http://user:canary-word@${at}`);
    const { code, lines } = await doctor('http://explorer.example');
    expect(code).toBe(0);
    expect(lines).toMatchObject({
      proxy: `ok: Requests go through the proxy http://${at}, which HTTP_PROXY names.`,
      dns: 'ok: 127.0.0.1 is an address, so no name is looked up.',
      service: expect.stringMatching(/^ok: MAINCHAIN is at block 200/),
    });
    expect(JSON.stringify(lines)).not.toContain('canary-word');
  });

  it.each([
    [407, 'wants a user name and a password', 'Write them in HTTP_PROXY'],
    [403, 'answered HTTP 403 in place of the service', 'allows this address'],
  ])(
    'that answers %i is named with its remedy',
    async (status, finding, remedy) => {
      vi.stubEnv('HTTP_PROXY', await proxied(status));
      const { code, lines, remedies } = await doctor('http://explorer.example');
      expect(code).toBe(1);
      expect(lines['service']).toContain(finding);
      expect(remedies['service']).toContain(remedy);
    },
    60_000,
  );

  it('with an unknown name ends at DNS, with its variable', async () => {
    vi.stubEnv('https_proxy', 'no-such-host.invalid:3128');
    const { code, lines, remedies } = await doctor('https://explorer.example');
    expect(code).toBe(1);
    expect(lines['dns']).toContain('No address is known for the name no-such-host.invalid.');
    expect(remedies['dns']).toBe('Check https_proxy.');
  });

  it('whose variable has no address is a configuration failure', async () => {
    vi.stubEnv('HTTP_PROXY', 'socks5://127.0.0.1');
    const { code, lines } = await doctor('http://explorer.example');
    expect(code).toBe(2);
    expect(lines['proxy']).toBe('fail: HTTP_PROXY is not the address of an HTTP proxy.');
  });
});

describe('this machine', () => {
  it('without the secrets that the pipeline names is a configuration failure', async () => {
    const { code, lines } = await doctor(await service(), '', 'authentication: key');
    expect(code).toBe(2);
    expect(lines['credentials']).toContain('WINDROW_ACCESS_KEY is not set.');
  });

  it.each([
    ['canary\nword', 'has characters that cannot be sent.', /^Copy it again: /],
    ['"canary-word"', 'has quotes around it.', /^Remove them: /],
  ])('whose key is %j is a configuration failure, without its value', async (key, what, remedy) => {
    vi.stubEnv('WINDROW_ACCESS_KEY', key);
    const { code, lines, remedies } = await doctor(await service(), '', 'authentication: key');
    expect(code).toBe(2);
    expect(lines['credentials']).toBe(`fail: The value of WINDROW_ACCESS_KEY ${what}`);
    expect(remedies['credentials']).toMatch(remedy);
  });

  it('may have a byte order mark, blanks and line ends around its key', async () => {
    vi.stubEnv('WINDROW_ACCESS_KEY', '\ufeff right \r\n');
    const url = await service({ credentials: [{ accessKey: new Secret('right') }] });
    const { code, lines } = await doctor(url, '', 'authentication: key');
    expect([code, lines['credentials']]).toEqual([0, 'ok: The service accepts them.']);
  });

  it.skipIf(process.getuid?.() !== 0)('whose disk is small, full or read-only fails', async () => {
    const root = join(folder, 'data');
    await mkdir(root);
    const options = ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', root];
    await promisify(execFile)('mount', options);
    whenOver(() => promisify(execFile)('umount', [root]));
    const disk = async () => {
      const { code, lines, remedies } = await doctor('http://127.0.0.1:1');
      expect(code).toBe(1);
      return `${lines['disk']} ${remedies['disk']}`;
    };
    expect(await disk()).toMatch(/^fail: Only 0 MiB of the disk are free\. Free some space/);
    await writeFile(join(root, 'large'), Buffer.alloc(240 * 1024));
    expect(await disk()).toContain('The disk is full.');
    await promisify(execFile)('mount', ['-o', 'remount,ro', root]);
    expect(await disk()).toMatch(/^fail: .*data: This folder cannot be written\. Allow this user/);
  });

  it('that cannot write the data root fails the disk', async () => {
    await writeFile(join(folder, 'data'), 'a file');
    const { code, lines } = await doctor(await service());
    expect(code).toBe(1);
    expect(lines['disk']).toMatch(/^fail: .*data: This folder cannot be written/);
  });

  it('with a damaged lake names the file', async () => {
    const url = await service();
    const root = join(folder, 'data');
    await exportLake({ url, root, addresses: [ADDRESS] });
    expect((await doctor(url)).lines['lake']).toMatch(/^ok: .* none damaged\.$/);
    const table = join(root, 'lake/MAINCHAIN/transactions');
    const name = (await readdir(table)).find((entry) => entry.endsWith('.parquet')) ?? '';
    await truncate(join(table, name), 10);
    const { code, lines, remedies } = await doctor(url);
    expect(code).toBe(1);
    expect(remedies['lake']).toMatch(/Run: windrow verify \S+\.yaml --repair/);
    expect(lines['lake']).toBe(`fail: Damaged: ${join(table, name)}.`);
    const log = join(root, 'lake/MAINCHAIN/internal_transactions/_delta_log');
    for (const entry of await readdir(log)) await rm(join(log, entry));
    expect((await doctor(url)).lines['lake']).toBe(`fail: Damaged: ${log} and 1 more.`);
  });
});

describe('a schedule', () => {
  it('is shown with its next time', async () => {
    const { lines } = await doctor(await service(), 'schedule: { cron: "0 3 * * *" }');
    expect(lines['schedule']).toMatch(/^ok: The next run is due at .* 03:00:00 UTC\. No run/);
  });
});

describe('a capture', () => {
  /** A stream that sends one text, and a JSON-RPC endpoint with one answer. */
  async function captures(text: string, result: unknown): Promise<Shown> {
    const streams = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    streams.on('connection', (client) => client.send(text));
    await once(streams, 'listening');
    whenOver(async () => streams.close());
    const rpc = await server((_, response) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
    });
    const { port } = streams.address() as AddressInfo;
    return doctor(
      await service(),
      `stream: { url: "ws://127.0.0.1:${port}/" }\npending: { url: "${rpc}", reads: [block] }`,
    );
  }

  it('is content with a fragment and a pending block', async () => {
    const { code, lines } = await captures('{"payload_id":"0x1","index":0}', { number: '0x1' });
    expect(code).toBe(0);
    expect(lines['stream']).toBe('ok: The stream sends block fragments.');
    expect(lines['pending']).toBe('ok: The JSON-RPC endpoint has a pending block.');
  });

  it('fails for other messages and for a node without a pending block', async () => {
    const { code, lines } = await captures('hello', null);
    expect(code).toBe(1);
    expect(lines['stream']).toBe('fail: The stream sends no block fragments, but "hello".');
    expect(lines['pending']).toBe('fail: The JSON-RPC endpoint has no pending block.');
  });

  it('fails for an address without a stream', async () => {
    const { lines } = await doctor(await service(), 'stream: { url: "ws://127.0.0.1:1/" }');
    expect(lines['stream']).toMatch(/^fail: The stream .* ended \(disconnected\): .*ECONNREFUSED/);
  });
});
