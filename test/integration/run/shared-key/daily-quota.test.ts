import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { DailyQuota, requestsToday } from '../../../../src/run/shared-key/daily-quota.ts';
import { folderOf } from '../../../../src/run/shared-key/key-folder.ts';
import { seededRandom } from '../../../fixtures/virtual-clock.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/** Goal: the requests of a day are counted exactly, whatever happens to processes and clocks. */

const NOON = Date.UTC(2026, 2, 31, 12);
const HOUR = 3_600_000;
let root = '';
let program = '';
let keys = 0;
beforeAll(async () => {
  root = await freshFolder();
  program = join(root, 'taker.mjs');
  const entry = new URL('../../../fixtures/quota-taker.ts', import.meta.url).pathname;
  const form = { bundle: true, format: 'esm', platform: 'node', outfile: program } as const;
  buildSync({ entryPoints: [entry], ...form });
});

function newKey() {
  keys += 1;
  const name = `key-${keys}`;
  return { name, path: folderOf(root, name) };
}

function quotas(perDay: number, count: number, now: () => number = () => NOON) {
  const folder = newKey();
  const made = Array.from({ length: count }, (_, i) => {
    const effects = { now, random: seededRandom(i + 1) };
    return new DailyQuota({ folder, perDay, effects });
  });
  return { folder, made, file: (day: string) => join(folder.path, 'quota', day) };
}

/** Takes until a refusal, and returns the number of granted requests. */
function takeAll(quota: DailyQuota, most = 1_000): number {
  let granted = 0;
  while (granted < most && quota.take().isGranted) granted += 1;
  return granted;
}

it('several quotas of one key grant its requests exactly, in turns', () => {
  const { made, folder } = quotas(100, 3);
  let granted = 0;
  for (let i = 0; i < 300; i += 1) granted += made[i % 3]?.take().isGranted === true ? 1 : 0;
  expect(granted).toBe(100);
  expect(requestsToday(root, folder.name, NOON)).toEqual({
    used: 100,
    endMs: Date.UTC(2026, 3, 1),
  });
  expect(made[0]?.take()).toEqual({ isGranted: false, untilMs: Date.UTC(2026, 3, 1) });
});

const PER_DAY = 20_000;

interface Taker {
  readonly child: ChildProcess;
  readonly granted: () => number;
  readonly begin: () => void;
  readonly ended: Promise<void>;
}

/** Another process that takes until it is refused; it has started and waits for `begin`. */
async function taker(path: string): Promise<Taker> {
  const child = spawn(process.execPath, [program, path, String(PER_DAY), String(NOON)]);
  // The first byte says that the process has started.
  let granted = -1;
  const started = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  child.stdout.on('data', (part: Buffer) => {
    granted += part.length;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await started;
  return { child, granted: () => granted, begin: () => child.stdin.end('go'), ended };
}

it('processes at the same time grant exactly the quota', async () => {
  const { path, name } = newKey();
  const takers = await Promise.all([1, 2, 3].map(() => taker(path)));
  for (const { begin } of takers) begin();
  await Promise.all(takers.map(({ ended }) => ended));
  expect(takers.reduce((sum, { granted }) => sum + granted(), 0)).toBe(PER_DAY);
  expect(takers.filter(({ granted }) => granted() > 0).length).toBeGreaterThan(1);
  expect(requestsToday(root, name, NOON).used).toBeGreaterThanOrEqual(PER_DAY);
});

it('a process that is killed costs at most the request that it was about to send', async () => {
  const { path } = newKey();
  const first = await taker(path);
  first.begin();
  while (first.granted() < 200) await new Promise((resolve) => setImmediate(resolve));
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await taker(path);
  second.begin();
  await second.ended;
  const sum = first.granted() + second.granted();
  expect(sum).toBeLessThanOrEqual(PER_DAY);
  // The killed process had a pipe of unread letters, which were granted, too.
  expect(sum).toBeGreaterThan(200);
});

it('a day ends at midnight in UTC', () => {
  let nowMs = Date.UTC(2026, 2, 31, 23, 59, 59, 999);
  const { made } = quotas(5, 1, () => nowMs);
  const [quota] = made as [DailyQuota];
  expect(takeAll(quota)).toBe(5);
  nowMs += 1;
  expect(takeAll(quota)).toBe(5);
  expect(quota.used()).toBe(5);
});

it('a clock that goes back over midnight gives no day twice', () => {
  let nowMs = Date.UTC(2026, 3, 1, 0, 30);
  const { made } = quotas(5, 2, () => nowMs);
  const [first, second] = made as [DailyQuota, DailyQuota];
  expect(takeAll(first, 3)).toBe(3);
  nowMs -= HOUR;
  expect(takeAll(second) + takeAll(first)).toBe(2);
  nowMs += HOUR;
  expect(takeAll(first)).toBe(0);
});

it('a clock that is far ahead for a while takes nothing from the right day', () => {
  let nowMs = NOON;
  const { made } = quotas(5, 1, () => nowMs);
  const [quota] = made as [DailyQuota];
  expect(takeAll(quota, 2)).toBe(2);
  nowMs += 400 * 24 * HOUR;
  expect(takeAll(quota)).toBe(5);
  nowMs = NOON;
  expect(takeAll(quota)).toBe(3);
});

it('a file that is cut or deleted during a run is filled up again', async () => {
  const { made, file } = quotas(100, 2);
  const [first, second] = made as [DailyQuota, DailyQuota];
  expect(takeAll(first, 60)).toBe(60);
  await truncate(file('2026-03-31'), 40);
  expect(takeAll(first, 10)).toBe(10);
  await rm(file('2026-03-31'));
  expect(takeAll(first, 10)).toBe(10);
  expect(takeAll(second) + takeAll(first)).toBe(20);
});

it('a torn mark counts as a request', async () => {
  const { made, file } = quotas(10, 1);
  const [quota] = made as [DailyQuota];
  expect(takeAll(quota, 4)).toBe(4);
  await appendFile(file('2026-03-31'), 'abc');
  expect(takeAll(quota)).toBe(5);
});

it('a quota that cannot be counted grants nothing, and says why', async () => {
  const { made, file, folder } = quotas(10, 1);
  const [quota] = made as [DailyQuota];
  await rm(folder.path, { recursive: true, force: true });
  await appendFile(join(root, 'a file'), '');
  const blocked = { name: 'blocked', path: join(root, 'a file') };
  const effects = { now: () => NOON, random: seededRandom(1) };
  const refused = new DailyQuota({ folder: blocked, perDay: 10, effects }).take();
  expect(refused).toMatchObject({ isGranted: false });
  expect(refused.isGranted ? '' : refused.reason).toContain('the quota cannot be counted in');
  expect(quota.take().isGranted).toBe(true);
  expect(file('2026-03-31')).toContain(folder.name);
});
