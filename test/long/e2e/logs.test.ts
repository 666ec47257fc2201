import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { windrow } from '../../e2e/command-line.ts';
import { activeFiles, PIPELINE, serve, temporaryRoot } from '../../e2e/harness.ts';

/**
 * Goal: a scheduled job prints nothing when all is well, says why when it is not, and leaves lines
 * with times and runs in its log.
 */

const chain = simulatedChain({ seed: 'logs', head: 200 });
const cleanups: (() => Promise<void>)[] = [];
let folder = '';
let file = '';
let data: readonly string[] = [];

beforeAll(async () => {
  const { root, remove } = await temporaryRoot();
  const served = await serve(chainSource(chain));
  cleanups.push(served.close, remove);
  folder = root;
  file = join(folder, 'e2e.yaml');
  data = ['--data', join(folder, 'data')];
  await writeFile(
    file,
    PIPELINE.replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(3))}`).replace(
      'http://127.0.0.1:1',
      served.url,
    ),
  );
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test('verbs that work print nothing with --quiet when all is well', async () => {
  const lines = [
    ['run', file],
    ['run', file],
    ['load'],
    ['check'],
    ['maintain'],
    ['verify'],
    ['doctor', file],
    ['audit', file, '--sample', '2'],
    ['alerts', 'check', file],
  ];
  for (const line of lines) {
    const ended = await windrow([...line, ...data, '--quiet']);
    expect(ended, line.join(' ')).toEqual({ code: 0, stdout: '', stderr: '' });
  }
  expect((await windrow(['status', ...data, '--quiet'])).stdout).toContain('MAINCHAIN');
});

test('errors go to stderr, and reports of work that ended badly to stdout', async () => {
  const down = ['--source-url', 'http://127.0.0.1:9', '--max-wait', '1s'];
  const failed = await windrow(['run', file, ...data, '--quiet', ...down]);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^windrow: /);
  expect(failed.stderr.trimEnd().split('\n')).toHaveLength(1);
  const [table] = await activeFiles(join(folder, 'data'), 'transactions');
  if (table === undefined) throw new Error('the lake has a data file');
  await rename(table, `${table}.aside`);
  const found = await windrow(['verify', ...data, '--quiet']);
  expect(found.code).toBe(1);
  expect(found.stdout).toContain('DAMAGED');
  await rename(`${table}.aside`, table);
});

test('a log has times and the run in every line, in text and in JSON', async () => {
  const log = join(folder, 'text.log');
  await windrow(['run', file, ...data, '--log', log, '--quiet']);
  await windrow(['load', ...data, '--log', log, '--quiet']);
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO \d{8}T\d{6}Z-[0-9a-f]{6} .+/;
  for (const line of lines) expect(line).toMatch(form);
  const names = new Set(lines.map((line) => line.split(' ')[2]));
  expect(names.size).toBe(2);
  expect(lines.join('\n')).toContain('The run ended.');
  const runs = JSON.parse((await windrow(['runs', ...data, '--json'])).stdout);
  expect([...names]).toContain(runs.runs[0].run);

  await rm(log);
  const json = await windrow(['run', file, ...data, '--log-format', 'json']);
  const messages = json.stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(messages.map(({ run }) => run)).size).toBe(1);
  expect(messages.at(-1)).toMatchObject({
    level: 'info',
    verb: 'run',
    msg: 'The run ended.',
    exitCode: 0,
  });
});

test('a failure is the last line of the log', async () => {
  const log = join(folder, 'failed.log');
  const options = ['--log', log, '--log-format', 'json', '--quiet'];
  const down = ['--source-url', 'http://127.0.0.1:9'];
  expect((await windrow(['run', file, ...data, ...options, ...down])).code).toBe(1);
  const last = (await readFile(log, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ level: 'error', kind: 'unreachable', exitCode: 1 });
});

test('a log that cannot be opened stops the verb before it does anything', async () => {
  const ended = await windrow(['run', file, ...data, '--log', join(folder, 'none', 'x.log')]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('The log file cannot be opened');
});
