import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { listen } from '../../../service/src/server/listener.ts';
import { createService } from '../../../service/src/server/service.ts';
import { parseFaultPlan } from '../../../service/src/settings/fault-plan.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { Fault } from '../../../src/fault.ts';
import { Secret, signature } from '../../../src/fetch/http/signature.ts';
import { systemEffects } from '../../../src/system.ts';
import { MAIN, windrowProcess } from '../../e2e/command-line.ts';
import { digestsOf, exportLake, PIPELINE, rowsOf, temporaryRoot } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';

/**
 * Goal: whatever the service does wrong, a run ends with exactly the rows of a run without faults,
 * or says what is amiss: a dataset whose coverage is complete throughout is never another one.
 */

const HEAD = 600;
/** Far enough below the head for what happens to the newest blocks. */
const TO = 540;
const chain = simulatedChain({ seed: 'faulted', head: HEAD });
const DATASETS = ['transactions', 'internal_transactions', 'token_transfers'] as const;
type Dataset = (typeof DATASETS)[number];

/** What is computed of a chain that does not move serves all runs. */
const still = chainSource(chain);

/** Those who take part in most transactions. */
const addresses = busiest(3);
const TEXT = PIPELINE.replace('blocks: { to: head }', `blocks: { to: ${TO} }`);
/** For faults that are the same for all lists, one is enough. */
const TRANSACTIONS = TEXT.slice(0, TEXT.indexOf('  internal_transactions:'));

function busiest(count: number): string[] {
  const times = new Map<string, number>();
  for (let height = 0; height <= TO; height += 1) {
    for (const record of chain.recordsAt(height).transactions) {
      for (const column of ['from_address', 'to_address']) {
        const party = String(record[column]);
        if (/^0x[0-9a-f]{40}$/.test(party)) times.set(party, (times.get(party) ?? 0) + 1);
      }
    }
  }
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .flatMap(([party]) => party)
    .slice(0, count);
}

const cleanups: (() => Promise<void>)[] = [];
let right: Readonly<Record<string, string>>;
beforeAll(async () => {
  right = (await ended('{}', TEXT)).digests;
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

interface Ended {
  readonly digests: Readonly<Record<string, string>>;
  /** What went wrong, in words: of slices, of coverage, or of the whole run. */
  readonly told: readonly string[];
  readonly struck: readonly number[];
  readonly rejected: number;
  readonly requests: number;
}

/** How a run over a service with these faults ends. */
async function ended(yaml: string, text: string = TRANSACTIONS): Promise<Ended> {
  const effects = systemEffects('warn');
  const faults = parseFaultPlan({ text: yaml, file: 'faults.yaml' });
  const isMoving = /advance|delayInternal|reorganise/.test(yaml);
  const source = isMoving ? chainSource(chain) : still;
  const service = createService({ source, effects, settings: { faults } });
  const listener = await listen(service, { effects });
  const { root, remove } = await temporaryRoot();
  cleanups.push(remove);
  const told: string[] = [];
  try {
    const ran = await exportLake({ url: listener.url, root, addresses, text });
    told.push(...ran.execution.failed.map(({ endpoint, reason }) => `${endpoint}: ${reason}`));
    for (const { dataset, status, reason } of await rowsOf(root, 'coverage', '*')) {
      if (status !== 'complete') told.push(`${String(dataset)} ${String(status)}: ${reason}`);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    told.push(error.paragraph());
  } finally {
    await listener.close();
  }
  const { struck, rejected } = service.faults;
  const requests = service.requests.length;
  return { digests: await digestsOf(root), told, struck, rejected, requests };
}

/** As without faults, and every fault was met. */
function expectExact({ digests, told, struck }: Ended, datasets: readonly Dataset[]): void {
  expect(told).toEqual([]);
  for (const dataset of datasets) expect(digests[dataset], dataset).toBe(right[dataset]);
  for (const [place, times] of struck.entries()) {
    expect(times, `fault ${place}`).toBeGreaterThan(0);
  }
}

describe.concurrent('a run ends with the right rows', () => {
  it('where answers are broken now and then, each in another way', async () => {
    const broken = [
      'error, status: 500',
      'error, status: 503, code: 50001, data: none, retryAfterSeconds: 0',
      'error, status: 200, code: 50013',
      'html',
      'html, status: 200',
      'malformed',
      'cut',
      'cut, afterBytes: 0',
      'compressed, header: false',
      'wrong-type, as: data-text',
      'wrong-type, as: data-object',
      'wrong-type, as: data-null',
      'wrong-type, as: code-number',
      'empty',
    ];
    const lists = 'at: "mainchain/address/*"';
    const faults = broken.map(
      (each, nth) => `  - { fault: ${each}, ${lists}, after: ${2 * nth}, next: 1 }`,
    );
    expectExact(await ended(`faults:\n${faults.join('\n')}`, TEXT), DATASETS);
  });

  it.each(IS_EXHAUSTIVE ? ['empty', 'clamp', 'error'] : ['error'])(
    'where lists end early (%s) and answers are late, slow, padded, coded and of other types',
    async (capStyle) => {
      const outcome = await ended(`chain:
  recordCap: 100
  capStyle: ${capStyle}
  endReading: exclusive
  perMatchListing: true
faults:
  - { fault: delay, delayMs: 10 }
  - { fault: slow, pieceBytes: 20000, pauseMs: 2 }
  - { fault: oversized, bytes: 300000, every: 2 }
  - { fault: compressed, coding: gzip, every: 4 }
  - { fault: compressed, coding: br, after: 1, every: 4 }
  - { fault: compressed, coding: deflate, after: 2, every: 4 }
  - { fault: wrong-type, as: content-type }
  - { fault: wrong-type, as: numbers }`);
      expectExact(outcome, ['transactions']);
    },
  );

  it('where hidden limits reject in every way there is', async () => {
    const outcome = await ended(`limits:
  - { rule: token-bucket, requests: 20, burst: 4 }
  - { rule: sliding-window, requests: 3, seconds: 0.2, reject: { code: "0", status: 200 } }
  - { rule: fixed-window, requests: 6, seconds: 0.5, reject: { status: 200, data: none } }
  - { rule: per-minute, requests: 1000, changes: [{ afterSeconds: 30, requests: 2000 }] }
  - rule: sliding-window
    requests: 3
    seconds: 0.3
    ban: { rejections: 2, withinSeconds: 5, seconds: 1 }
    reject: { retryAfter: true }`);
    expectExact(outcome, ['transactions']);
    expect(outcome.rejected).toBeGreaterThan(0);
  });

  const MOVING = 'advancePerRequest: 2.5, delayInternal: 30';

  it.each(IS_EXHAUSTIVE ? ['used', 'asked'] : ['asked'])(
    'where the chain moves above what is asked, and pages are smaller than that (%s)',
    async (echo) => {
      const clamped = `faults: [{ fault: clamp-limit, most: 40, echo: ${echo} }]`;
      expectExact(await ended(`chain: { ${MOVING} }\n${clamped}`, TEXT), DATASETS);
    },
  );
});

describe.concurrent('a run says what is amiss', () => {
  const at = {
    transactions: 'at: "**/normal-transaction-list-multi"',
    internal: 'at: "**/internal-transaction-list-multi"',
    tokens: 'at: "**/token-transaction-list"',
  };

  it('with redirects, endless bodies and bombs, and goes nowhere else', async () => {
    let visits = 0;
    const elsewhere = createServer((_, response) => {
      visits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const { told, digests } = await ended(
      `faults:
  - { fault: redirect, to: "http://127.0.0.1:${port}/", status: 307, ${at.transactions} }
  - { fault: oversized, bytes: 70000000, ${at.internal} }
  - { fault: compressed, bombBytes: 100000000, ${at.tokens}, after: 1, next: 1 }`,
      TEXT,
    );
    elsewhere.close();
    expect(visits).toBe(0);
    expect(told.filter((each) => each.includes('redirects are never followed'))).toHaveLength(1);
    expect(told.filter((each) => each.includes('larger than'))).toHaveLength(2);
    expect(told).toHaveLength(3);
    expect(digests['transactions']).toBeUndefined();
  });

  it('with refusals, and with records that lack their height, which it keeps aside', async () => {
    const { told, digests } = await ended(
      `chain: { maxPageSize: { "mainchain/address/normal-transaction-list-multi": 7 } }
faults:
  - { fault: error, status: 400, code: 50014, ${at.internal} }
  - { fault: drop-field, field: height, ${at.tokens} }`,
      TEXT,
    );
    expect(told.filter((each) => each.includes('(50036)'))).toHaveLength(1);
    expect(told.filter((each) => each.includes('(50014)'))).toHaveLength(1);
    const aside = told.filter((each) => /token_transfers inconsistent: .*quarantine/.test(each));
    expect(aside.length).toBeGreaterThan(0);
    // Of the other lists of tokens, nothing shows that the service reads up to the end of the range.
    const unshown = told.filter((each) => each.includes('has shown no record near the end'));
    expect(told).toHaveLength(2 + aside.length + unshown.length);
    expect(digests['transactions'] ?? digests['internal_transactions']).toBeUndefined();
  });

  it('with blocks that were reorganised while it read, or has none of them', async () => {
    const outcome = await ended('faults: [{ fault: reorganise, depth: 20, after: 2, every: 3 }]');
    expect(outcome.struck[0]).toBeGreaterThan(0);
    for (const each of outcome.told) expect(each).toContain('the chain was reorganised');
    expect(outcome.digests['transactions']).toBe(right['transactions']);
  });

  it('with a key that is no longer taken, and stops', async () => {
    const { told, requests } = await ended(
      'faults: [{ fault: error, status: 401, code: 50113, after: 2 }]',
    );
    expect(told).toEqual([expect.stringContaining('refused the credentials')]);
    expect(requests).toBeLessThan(100);
  });
});

describe('windrow serve', () => {
  async function files(content: Readonly<Record<string, string>>): Promise<string> {
    const { root, remove } = await temporaryRoot();
    cleanups.push(remove);
    for (const [name, text] of Object.entries(content)) {
      await writeFile(join(root, name), text, { mode: 0o600 });
    }
    return root;
  }
  const CHAIN = ['serve', '--chain', 'early', '--head', '30', '--port', '0', '--json'];
  const TARGET = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=1';

  it('plays the faults of a file for its keys, until this machine changes them', async () => {
    const limit = { rule: 'per-minute', requests: 2 };
    const words = { secretKey: 'secret', passphrase: 'words' };
    const keys = [
      { accessKey: 'slow', ...words, limit },
      { accessKey: 'free', ...words },
    ];
    const root = await files({
      'faults.yaml': 'faults: [{ fault: html }]',
      'keys.json': JSON.stringify(keys),
    });
    const more = ['--faults', join(root, 'faults.yaml'), '--keys', join(root, 'keys.json')];
    const line = [MAIN, ...CHAIN, '--host', '0.0.0.0', '--admin', ...more];
    const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [ready] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url, adminUrl } = JSON.parse(ready) as { url: string; adminUrl: string };
    expect(adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+$/);
    const at = url.replace('0.0.0.0', '127.0.0.1');
    let nth = 0;
    const status = async (accessKey: string): Promise<number> => {
      nth += 1;
      const timestamp = new Date(Date.now() + nth).toISOString();
      const parts = { timestamp, method: 'GET', target: TARGET, body: '' };
      const headers = {
        'SVC-ACCESS-KEY': accessKey,
        'SVC-ACCESS-SIGN': signature(new Secret('secret'), parts),
        'SVC-ACCESS-PASSPHRASE': 'words',
        'SVC-ACCESS-TIMESTAMP': timestamp,
      };
      return (await fetch(at + TARGET, { headers })).status;
    };
    expect(await status('slow')).toBe(502);
    expect((await fetch(`${at}/admin/faults`)).status).toBe(404);
    expect((await fetch(`${adminUrl}/admin/faults`, { method: 'DELETE' })).status).toBe(200);
    expect([await status('slow'), await status('slow')]).toEqual([200, 429]);
    expect([await status('free'), await status('free')]).toEqual([200, 200]);
    const json = { 'content-type': 'application/json' };
    const grown = await fetch(`${adminUrl}/admin/grow`, {
      method: 'POST',
      headers: json,
      body: '{"blocks": 5}',
    });
    expect(await grown.json()).toMatchObject({ data: [{ primaryHeight: '35' }] });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['a wrong plan', ['--no-auth', '--faults', 'faults.yaml'], 'faults.yaml:2:14: faults[0].every'],
    ['open keys', ['--keys', 'open.json'], 'chmod 600'],
  ])('refuses %s, and says where and what', async (_, options, told) => {
    const root = await files({
      'faults.yaml': 'faults:\n  - { every: 0, fault: empty }',
      'open.json': '[]',
    });
    await chmod(join(root, 'open.json'), 0o644);
    const { code, stderr } = await windrowProcess([...CHAIN, ...options], { cwd: root });
    expect(code).toBe(2);
    expect(stderr).toContain(told);
  });
});
