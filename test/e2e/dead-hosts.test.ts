import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { type Ended, windrowProcess } from './command-line.ts';
import { digestsOf } from './harness.ts';
import { type ExportedLake, exportedLake, MANY_COMMITS } from './repairing.ts';

/** Goal: a data root on a shared disk outlives a machine that was lost in the middle of a run. */

/** The time of windrow passes faster, so that no test waits for a lease. */
const SPEED = 50;
const HOST = `
const { POD: pod } = process.env;
require('node:os').hostname = () => pod;
const timers = require('node:timers/promises');
const { setTimeout: wait } = timers;
timers.setTimeout = (delayMs, ...rest) => wait(delayMs / ${SPEED}, ...rest);
const { setInterval: repeat } = globalThis;
globalThis.setInterval = (work, delayMs) => repeat(work, delayMs / ${SPEED});
require('node:module').syncBuiltinESMExports();
`;

const chain = simulatedChain({ seed: 'hosts', head: 200 });
let lake: ExportedLake;
let host = '';
beforeAll(async () => {
  lake = await exportedLake(chainSource(chain), chain.addresses(3), MANY_COMMITS);
  host = join(lake.original, '..', 'host.cjs');
  await writeFile(host, HOST);
});

/** Runs windrow on a machine of this name. */
function on(pod: string, args: readonly string[], more: Record<string, string> = {}) {
  const env = { POD: pod, NODE_OPTIONS: `--require ${host}`, ...more };
  return windrowProcess(args, { env });
}

function stateIn({ code, stdout, stderr }: Ended) {
  expect(code, stderr).toBe(0);
  const { runUnderWay, pipelines } = JSON.parse(stdout);
  const [{ lastRun, next }] = pipelines;
  return { runUnderWay, state: lastRun.state, next };
}

test('a run goes on where one of another machine was killed, and status says so before', async () => {
  const root = await freshFolder();
  const at = ['--data', root];
  const run = ['run', lake.pipeline, ...at, '--source-url', lake.served.url];
  expect((await on('pod-a', run, { WINDROW_KILL_AT: '60' })).code).toBeNull();
  expect(stateIn(await on('pod-b', ['status', ...at, '--json']))).toEqual({
    runUnderWay: null,
    state: 'killed',
    next: { command: expect.stringContaining('windrow run '), reason: 'the last run was killed' },
  });
  const doctor = await on('pod-b', ['doctor', ...run.slice(1)]);
  expect(doctor.code, doctor.stderr).toBe(0);
  expect(doctor.stdout).toContain('warn  run: A run was killed here, and its lock is left.');
  const second = await on('pod-b', run);
  expect(second.code, second.stderr).toBe(0);
  expect(second.stderr).toMatch(/Process \d+ on pod-a gives no sign of life/);
  expect(await digestsOf(root)).toEqual(await digestsOf(lake.original));
  const { stdout } = await on('pod-c', ['runs', ...at, '--json']);
  const states = JSON.parse(stdout).runs.map(({ state }: { state: string }) => state);
  expect(states).toEqual(['ended', 'killed']);
});

test('a report of a run under way on another machine does not call it killed', async () => {
  const root = await freshFolder();
  const at = ['--data', root];
  const run = ['run', lake.pipeline, ...at, '--source-url', lake.served.url];
  expect((await on('pod-a', run, { WINDROW_KILL_AT: '60' })).code).toBeNull();
  expect((await on('pod-b', ['report', ...at])).stdout).toContain('killed, or ended by a crash');
  // Another machine is alive while it changes the last byte of its lock.
  const { lock } = layout(root);
  const text = (await readFile(lock, 'utf8')).trimEnd();
  let count = 0;
  const renewal = setInterval(() => {
    count += 1;
    writeFileSync(lock, text + ' \n'.charAt(count % 2));
  }, 20);
  const { stdout, stderr } = await on('pod-b', ['report', ...at, '--force']);
  clearInterval(renewal);
  expect(stdout, stderr).toContain(', under way.');
});
