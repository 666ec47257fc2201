import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { ServiceRequest } from '../../service/src/protocol/exchange.ts';
import { type Listener, listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { MAIN, windrow } from './command-line.ts';
import { PIPELINE } from './harness.ts';

/**
 * Goal: while a service asks for an hour of patience, the user knows it, what was walked is safe,
 * and a later run goes on from there.
 */

const chain = simulatedChain({ seed: 'waits', head: 400 });
const pipeline = PIPELINE.replace(
  /list: \[.*\]/,
  `list: ${JSON.stringify(chain.addresses(4))}`,
).replace('blocks: { to: head }', 'blocks: { to: head }\nwindowBlocks: 50');

let listener: Listener;
let granted = 0;
let limit = Number.POSITIVE_INFINITY;
let folder = '';
let file = '';
beforeAll(async () => {
  const effects = systemEffects('warn');
  const service = createService({ source: chainSource(chain), effects });
  const limited = {
    ...service,
    answer: async (request: ServiceRequest) => {
      granted += 1;
      if (granted <= limit) return service.answer(request);
      const body = JSON.stringify({ code: '50011', msg: 'Daily quota used up', data: [] });
      const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
      return { status: 429, headers, body };
    },
  };
  listener = await listen(limited, { effects });
  folder = await freshFolder();
  file = join(folder, 'waits.yaml');
  await writeFile(file, pipeline);
  whenOver(() => listener.close());
});
const line = (data: string, ...more: string[]): string[] => {
  const root = join(folder, data);
  return ['run', file, '--data', root, '--source-url', listener.url, ...more];
};

async function coverage(): Promise<readonly object[]> {
  const status = await windrow(['status', '--data', join(folder, 'killed'), '--json']);
  const { tables = [] } = JSON.parse(status.stdout) as { tables?: { coverage: object[] }[] };
  return tables.flatMap((table) => table.coverage);
}

test('a wait of an hour is announced, and what was walked survives a kill', async () => {
  granted = 0;
  limit = 45;
  const run = spawn(process.execPath, [MAIN, ...line('killed')], { stdio: 'pipe' });
  let said = '';
  run.stderr.on('data', (part) => {
    said += String(part);
  });
  while (!said.includes('asks to wait')) await once(run.stderr, 'data');
  expect(said).toMatch(/The service asks to wait 1 h, until 2\d{3}-\S+ \S+ UTC \(Retry-After\)/);
  expect(said).toContain('Daily quota used up (50011)');
  // Commits take a moment after the announcement; the run itself waits for an hour.
  await expect.poll(coverage, { interval: 50 }).not.toHaveLength(0);
  run.kill('SIGKILL');
  await once(run, 'exit');
  expect(await coverage()).not.toEqual([]);
});

test('--max-wait ends the run at once, by name, and the next one goes on', async () => {
  granted = 0;
  limit = 45;
  const ended = await windrow(line('bounded', '--max-wait', '30m', '--json'));
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { kind: 'throttled', exitCode: 1 } });
  expect(ended.stderr).toMatch(/asks to wait 1 h, until .*but at most 30 min are accepted/);
  limit = Number.POSITIVE_INFINITY;
  const again = await windrow(line('bounded'));
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).toMatch(/[1-9][0-9]? % complete already/);
});
