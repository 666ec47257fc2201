import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { MAIN, windrow } from './command-line.ts';
import { PIPELINE, type Served, serve } from './harness.ts';

const HEAD = 600;
const chain = simulatedChain({ seed: 'verbs', head: HEAD });
const pipeline = PIPELINE.replace(
  /list: \[.*\]/,
  `list: ${JSON.stringify(chain.addresses(4))}`,
).replace('finalityLagBlocks: 0', 'finalityLagBlocks: 20');

let folder = '';
let file = '';
let data = '';
let served: Served;
beforeAll(async () => {
  folder = await freshFolder();
  file = join(folder, 'verbs.yaml');
  data = join(folder, 'data');
  await writeFile(file, pipeline);
  served = await serve(chainSource(chain));
  const mine = join(folder, 'mine.csv');
  const lines = chain.addresses(4).map((address, i) => `${address},account #${i + 1}`);
  await writeFile(mine, ['address,label', ...lines].join('\n'));
  const options = ['--addresses', mine, '--source-url', served.url];
  const ran = await windrow(['run', file, '--data', data, ...options, '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    schemaVersion: 1,
    pipeline: 'e2e',
    exitCode: 0,
    nothingToDo: false,
    failed: [],
    left: 0,
  });
});

test('plan asks for the head and whether what landed still stands, and for nothing else', async () => {
  served.targets.length = 0;
  const args = ['--source-url', served.url, '--json', '--data'];
  const again = await windrow(['plan', file, ...args, data]);
  const head = '/api/v5/mainchain/block/block-list';
  expect(served.targets.map((target) => target.split('?')[0])).toEqual([
    ...Array.from({ length: 5 }, () => head),
    '/api/v5/mainchain/block/block-fills',
  ]);
  const planned = JSON.parse(again.stdout) as { planned: { coveredKeyBlocks: number }[] };
  const below = HEAD - 20;
  expect(planned.planned.map(({ coveredKeyBlocks }) => coveredKeyBlocks)).toEqual(
    Array.from({ length: 6 }, () => 4 * below),
  );
  const fresh = await windrow(['plan', file, ...args, join(folder, 'none')]);
  expect(JSON.parse(fresh.stdout)).toMatchObject({ isLowerBound: true, rows: null });
});

test('a range above the head is not reported as complete', async () => {
  const args = ['plan', file, '--data', data, '--source-url', served.url, '--blocks'];
  const above = await windrow([...args, '700:800']);
  expect(above.stdout).toContain('Nothing to fetch yet: the range begins above the head.');
  const done = await windrow([...args, '0:500']);
  expect(done.stdout).toContain('Nothing to fetch: everything requested is complete.');
});

test('a head below one that was seen before is pointed out', async () => {
  const shorter = await serve(chainSource(simulatedChain({ seed: 'verbs', head: 300 })));
  const args = ['plan', file, '--data', data, '--source-url', shorter.url];
  expect((await windrow(args)).stdout).toContain('saw the head at 600');
});

test('status tells tables, coverage and the last run', async () => {
  const { stdout } = await windrow(['status', '--data', data, '--json']);
  const status = JSON.parse(stdout) as { tables: { dataset: string; coverage: unknown[] }[] };
  expect(status).toMatchObject({ schemaVersion: 1, lastRun: { pipeline: 'e2e' } });
  expect(status.tables.map(({ dataset }) => dataset)).toEqual([
    'internal_transactions',
    'token_transfers',
    'transactions',
  ]);
  const words = await windrow(['status', '--data', data]);
  expect(words.stdout).toContain('complete for 4 keys, blocks 0 to 579');
  expect(words.stdout).toContain('provisional for 4 keys, blocks 580 to 600');
});

test('every verb explains itself, with examples and exit codes', async () => {
  const verbs = ['plan', 'run', 'status', 'query', 'check', 'serve', 'export', 'runs', 'load'];
  for (const verb of [...verbs, 'connect', 'describe']) {
    const { code, stdout } = await windrow([verb, '--help']);
    expect(code).toBe(0);
    expect(stdout, verb).toContain('Examples:');
    expect(stdout, verb).toContain('Exit codes: 0 ok');
  }
});

test('a range of the zone axis is checked, and told to have no effect', async () => {
  const args = ['plan', file, '--data', data, '--source-url', served.url, '--zone-blocks'];
  expect((await windrow([...args, '5:9'])).stderr).toContain('--zone-blocks has no effect');
  expect((await windrow([...args, '9:5'])).code).toBe(2);
});

test('an interrupted run ends its open slices, exits with 130, and the next one goes on', async () => {
  const many = join(folder, 'many.yaml');
  await writeFile(many, pipeline.replace('datasets:', 'windowBlocks: 12\ndatasets:'));
  const root = join(folder, 'interrupted');
  const args = ['run', many, '--data', root, '--source-url', served.url, '--json'];
  served.targets.length = 0;
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  child.stdout.on('data', (part) => {
    stdout += String(part);
  });
  await expect.poll(() => served.targets.length, { interval: 5 }).toBeGreaterThan(20);
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(130);
  const { left, actual: ended } = JSON.parse(stdout) as {
    left: number;
    actual: { slices: number };
  };
  expect(left).toBeGreaterThan(0);
  const resumed = await windrow(args);
  expect(resumed.code).toBe(0);
  const { actual } = JSON.parse(resumed.stdout) as { actual: { slices: number } };
  // What cannot be counted whole is walked in parts.
  expect(actual.slices).toBeGreaterThanOrEqual(left);
  expect(actual.slices).toBeLessThan(left + ended.slices);
});

/** A service that takes requests and answers them when `open` is called, from the n-th on. */
async function waitingAfter(answered: number) {
  const source = chainSource(chain);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isHeld = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  let requests = 0;
  const waiting = await serve({
    ...source,
    head: (axis: 'primary' | 'zone') => source.head(axis),
    find: async (query: Parameters<typeof source.find>[0]) => {
      requests += 1;
      if (requests > answered) {
        isHeld();
        await opened;
      }
      return source.find(query);
    },
  });
  whenOver(open);
  return { ...waiting, held };
}

test.each([
  ['while the head is awaited, once', 0, 1],
  ['while slices are awaited, twice', 3, 2],
])('an interrupt %s, ends the run with 130 and without a stack', async (_name, answered, times) => {
  const waiting = await waitingAfter(answered);
  const root = join(folder, `interrupted-${times}`);
  const args = ['run', file, '--data', root, '--source-url', waiting.url];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (part) => {
    stderr += String(part);
  });
  await waiting.held;
  for (let sent = 1; sent <= times; sent += 1) {
    child.kill('SIGINT');
    if (sent === times) break;
    await expect.poll(() => stderr, { interval: 20 }).toContain('Finishing');
  }
  const [code] = (await once(child, 'close')) as [number];
  expect(code, stderr).toBe(130);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('interrupts after the last slice do not cut short what follows: the heartbeat of the run', async () => {
  const beats: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const monitor = createServer(async (request, response) => {
    beats.push(String(request.url));
    await answered;
    response.end();
  });
  monitor.listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  const { port } = monitor.address() as AddressInfo;
  const beating = join(folder, 'beating.yaml');
  await writeFile(beating, `${pipeline}alerts: { heartbeat: { env: BEAT_URL } }\n`);
  const args = ['run', beating, '--data', data, '--source-url', served.url];
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, BEAT_URL: `http://127.0.0.1:${port}/beat` },
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let stderr = '';
  child.stderr.on('data', (part) => {
    stderr += String(part);
  });
  await Promise.race([once(monitor, 'request'), closed]);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await Promise.race([once(child.stderr, 'data'), closed]);
  answer();
  const [code] = await closed;
  monitor.close();
  expect(code, stderr).toBe(0);
  expect(beats).toEqual(['/beat']);
});

/** Keeps a process alive when its work is done, and says that it is. */
const LINGER = `data:text/javascript,const timer = setInterval(() => {
  if (process.exitCode === undefined) return;
  clearInterval(timer);
  process.stderr.write('lingers');
  setInterval(() => {}, 60000);
}, 5)`;

test('a signal before the process ends leaves its exit code as it is', async () => {
  const args = ['--import', LINGER, MAIN, 'status', '--data', join(folder, 'no-lake')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let stderr = '';
  child.stderr.on('data', (part) => {
    stderr += String(part);
    if (stderr.includes('lingers')) child.kill('SIGINT');
  });
  const [code] = await closed;
  expect(stderr).toContain('lingers');
  expect(code, stderr).toBe((await windrow(args.slice(3))).code);
});

test('status joins keys only where the same is known of all of them', async () => {
  const [one = '', two = ''] = chain.addresses(2);
  const root = join(folder, 'two-ranges');
  for (const [address, blocks] of [
    [one, '0:99'],
    [two, '100:199'],
  ] as const) {
    const csv = join(folder, `${blocks.replace(':', '-')}.csv`);
    await writeFile(csv, `${address}\n`);
    const args = ['--data', root, '--source-url', served.url, '--addresses', csv];
    expect((await windrow(['run', file, ...args, '--blocks', blocks])).code).toBe(0);
  }
  const { stdout } = await windrow(['status', '--data', root]);
  expect(stdout).toContain('complete for 1 key, blocks 0 to 99');
  expect(stdout).toContain('complete for 1 key, blocks 100 to 199');
  expect(stdout).not.toContain('2 keys');
});

test('a service that the demo has started ends with the demo', async () => {
  const line = [MAIN, 'serve', '--chain', 'demo', '--head', '20', '--no-auth', '--port', '0'];
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  if (child.stdout === null) throw new Error('the service has no output');
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});
