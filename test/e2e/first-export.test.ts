import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { ServiceRequest } from '../../service/src/protocol/exchange.ts';
import { type Listener, listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { MAIN, windrow, windrowProcess } from './command-line.ts';
import { PIPELINE } from './harness.ts';

/** Goal: what is asked during a first export, and before there is a warehouse, has an answer. */

const chain = simulatedChain({ seed: 'first', head: 200 });
let listener: Listener;
let isStopped = false;
let granted = 0;
let folder = '';
let file = '';
beforeAll(async () => {
  const effects = systemEffects('warn');
  const service = createService({ source: chainSource(chain), effects });
  const stopping = {
    ...service,
    answer: async (request: ServiceRequest) => {
      granted += 1;
      if (isStopped && granted > 8) await new Promise(() => {});
      return service.answer(request);
    },
  };
  listener = await listen(stopping, { effects });
  folder = await freshFolder();
  file = join(folder, 'first.yaml');
  const addresses = JSON.stringify(chain.addresses(2));
  await writeFile(file, PIPELINE.replace(/list: \[.*\]/, `list: ${addresses}`));
  whenOver(() => listener.close());
});

test('commands during a first export say that a run is under way', async () => {
  isStopped = true;
  const data = join(folder, 'under-way');
  const line = [MAIN, 'run', file, '--data', data, '--source-url', listener.url];
  const run = spawn(process.execPath, line, { stdio: 'pipe' });
  let said = '';
  run.stderr.on('data', (part) => {
    said += String(part);
  });
  while (!said.includes('Total: ')) await once(run.stderr, 'data');
  const sentence = new RegExp(
    `A run has been under way here since 20\\S+ \\S+ UTC \\(process ${run.pid} on`,
  );
  const status = await windrowProcess(['status', '--data', data]);
  expect(status.stdout).toMatch(sentence);
  expect(status.code).toBe(0);
  const json = JSON.parse((await windrowProcess(['status', '--data', data, '--json'])).stdout);
  expect(json.runUnderWay).toMatchObject({ pid: run.pid });
  const queried = await windrowProcess(['query', 'SELECT 1', '--data', data]);
  expect(queried.stderr).toMatch(sentence);
  expect(queried.stderr).toContain('It has committed no rows so far');
  expect(queried.code).toBe(2);
  run.kill('SIGKILL');
  await once(run, 'exit');
  const dead = await windrowProcess(['query', 'SELECT 1', '--data', data]);
  expect(dead.stderr).toContain('There is no warehouse here yet. Run a pipeline first');
});

test('a query without a warehouse builds it from the lake', async () => {
  isStopped = false;
  const data = join(folder, 'built');
  const ran = await windrow(['run', file, '--data', data, '--source-url', listener.url]);
  expect(ran.code, ran.stderr).toBe(0);
  const ask = () => windrow(['query', 'SELECT count(*) AS n FROM transactions', '--data', data]);
  const before = await ask();
  await rm(join(data, 'warehouse.duckdb'));
  const after = await ask();
  expect(after.stderr).toContain('The warehouse is not there; it is rebuilt from the lake.');
  expect(after.stdout).toBe(before.stdout);
  expect((await ask()).stderr).toBe(before.stderr);
});
