import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctorVerb } from '../../../../../src/cli/verbs/doctor/doctor.ts';
import { Secret } from '../../../../../src/fetch/http/signature.ts';
import { chainSource } from '../../../../../src/service/memory/chain-source.ts';
import type { ServiceSettings } from '../../../../../src/service/settings/settings.ts';
import { simulatedChain } from '../../../../../src/simulated/chain.ts';
import { exportLake, serve } from '../../../../e2e/harness.ts';

/** Goal: each thing that can be wrong before a run is found and comes with a remedy; checks.test.ts has
 * those that need no service. */

const chain = simulatedChain({ seed: 'doctor', head: 200 });
const [ADDRESS = ''] = chain.addresses(1);
const PAGES = 'mainchain/address/normal-transaction-list-multi';

let folder = '';
let cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-doctor-'));
  cleanups = [() => rm(folder, { recursive: true })];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function service(settings: ServiceSettings = {}): Promise<string> {
  const served = await serve(chainSource(chain), settings);
  cleanups.push(served.close);
  return served.url;
}

/** A server of a few lines, with faults of its own. */
async function server(answer: RequestListener): Promise<string> {
  const made = createServer(answer);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => made.close(resolve)));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

interface Shown {
  readonly code: number;
  readonly lines: Readonly<Record<string, string>>;
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
  let shown = '';
  const output = {
    out: (text: string) => {
      shown += text;
    },
    note: () => undefined,
    isJson: true,
    isTerminal: false,
    columns: 100,
  };
  const code = await doctorVerb({ pipeline: file, data: join(folder, 'data') }, output);
  const { checks, exitCode } = JSON.parse(shown);
  expect(exitCode).toBe(code);
  const lines: Record<string, string> = {};
  for (const { check, verdict, finding, remedy } of checks) {
    expect(remedy === '', `${check}: ${finding}`).toBe(verdict === 'ok');
    lines[check] = `${verdict}: ${finding}`;
  }
  return { code, lines };
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
    expect(lines['tls']).toMatch(/^fail: There is no trusted connection to 127\.0\.0\.1: /);
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

  it('whose clock differs by minutes fails the clock', async () => {
    const url = await proxy((response) => {
      response.setHeader('date', new Date(Date.now() + 300_000).toUTCString());
    });
    const { code, lines } = await doctor(url);
    expect(code).toBe(2);
    expect(lines['clock']).toMatch(
      /^fail: The clock of this machine is (299|300)\.\d s behind that of the service/,
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

  it('with shorter pages gives a warning', async () => {
    const { code, lines } = await doctor(await service({ maxPageSize: { [PAGES]: 20 } }));
    expect(code).toBe(0);
    expect(lines['page sizes']).toMatch(/^warn: /);
  });
});

describe('this machine', () => {
  it('without the secrets that the pipeline names is a configuration failure', async () => {
    const { code, lines } = await doctor(await service(), '', 'authentication: key');
    expect(code).toBe(2);
    expect(lines['credentials']).toContain('WINDROW_ACCESS_KEY is not set.');
  });

  it('that cannot write the data root fails the disk', async () => {
    await writeFile(join(folder, 'data'), 'a file');
    const { code, lines } = await doctor(await service());
    expect(code).toBe(1);
    expect(lines['disk']).toMatch(/^fail: The data root .* cannot be written/);
  });

  it('with a damaged lake names the file', async () => {
    const url = await service();
    const root = join(folder, 'data');
    await exportLake({ url, root, addresses: [ADDRESS] });
    expect((await doctor(url)).lines['lake']).toMatch(/^ok: .* none damaged\.$/);
    const table = join(root, 'lake/MAINCHAIN/transactions');
    const name = (await readdir(table)).find((each) => each.endsWith('.parquet')) ?? '';
    await truncate(join(table, name), 10);
    const { code, lines } = await doctor(url);
    expect(code).toBe(1);
    expect(lines['lake']).toBe(`fail: Damaged: ${join(table, name)}.`);
  });
});

describe('a schedule', () => {
  it('is shown with its next time', async () => {
    const { lines } = await doctor(await service(), 'schedule: { cron: "0 3 * * *" }');
    expect(lines['schedule']).toMatch(/^ok: The next run is due at .* 03:00:00 UTC\. No run/);
  });
});
