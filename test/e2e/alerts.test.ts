import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { strangeFiles } from '../fixtures/file-kinds.ts';
import { isSigned, type WebhookReceiver, webhookReceiver } from '../fixtures/webhook-receiver.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { MAIN, windrow as runHere } from './command-line.ts';
import { PIPELINE, serve } from './harness.ts';

/**
 * Goal: through the command line, a receiver that fails at first sees each alert once and signed, and
 * killed runs are told. canaries.test.ts looks for its secrets.
 */

const chain = simulatedChain({ seed: 'alerts', head: 200 });
const SECRETS = {
  ALERT_KEY: 'canary-signing-key',
  WINDROW_ACCESS_KEY: 'canary-access-key',
  WINDROW_SECRET_KEY: 'canary-secret-key',
  WINDROW_PASSPHRASE: 'canary-passphrase',
};
let hook: WebhookReceiver;
let url = '';
let folder = '';
let file = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  let failures = 2;
  hook = await webhookReceiver((_count, path) => {
    if (path.includes('beat')) return 200;
    failures -= 1;
    return failures >= 0 ? 503 : 200;
  });
  const served = await serve(chainSource(chain));
  url = served.url;
  folder = await freshFolder();
  file = join(folder, 'nightly.yaml');
  const alerts = `alerts:
  destinations:
    team: { webhook: { url: { env: ALERT_URL }, signingKey: { env: ALERT_KEY } } }
    unset: { webhook: { url: { env: ALERT_UNSET } } }
  rules:
    - { on: failed, to: [team] }
    - { on: recovered, to: [team] }
  heartbeat: { env: BEAT_URL }
`;
  const pipeline = PIPELINE.replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(3))}`)
    .replace('  credentials: none\n', '')
    .concat(alerts);
  await writeFile(file, pipeline);
  env = {
    ...SECRETS,
    ALERT_URL: `${hook.url}/hooks/canary-url-token`,
    BEAT_URL: `${hook.url}/beat/canary-beat-token`,
  };
  whenOver(() => hook.close());
});
afterAll(() => vi.unstubAllEnvs());

async function windrow(...line: string[]) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return runHere([...line, '--data', join(folder, 'data')]);
}

test('a failed run is told once, its recovery once, and a complete run beats', async () => {
  const down = await windrow('run', file, '--source-url', 'http://127.0.0.1:9');
  expect(down.code).toBe(1);
  expect((await windrow('run', file, '--source-url', 'http://127.0.0.1:9')).code).toBe(1);
  const up = await windrow('run', file, '--source-url', url);
  expect(up.code, up.stderr).toBe(0);
  expect((await windrow('alerts', 'check', file)).stdout).toBe('No rule of e2e has a new alert.\n');
  expect(hook.accepted().map(({ on }) => on)).toEqual(['failed', 'recovered']);
  const [first] = hook.accepted();
  expect(first?.text).toMatch(/^e2e: run \S+ failed: The service does not answer: /);
  const posts = hook.requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ status }) => status)).toEqual([503, 503, 200, 200]);
  expect(posts.every((post) => isSigned(post, SECRETS.ALERT_KEY))).toBe(true);
  expect(hook.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
});

test('runs lists failed and killed runs', async () => {
  const line = ['run', file, '--source-url', url, '--data', join(folder, 'data')];
  const kill = { ...process.env, ...env, WINDROW_KILL_AT: '2' };
  const killed = spawn(process.execPath, [MAIN, ...line], { env: kill, stdio: 'ignore' });
  await once(killed, 'exit');
  const listed = JSON.parse((await windrow('runs', '--json')).stdout) as {
    runs: { state: string; exit: number | null }[];
  };
  expect(listed.runs.map(({ state, exit }) => [state, exit])).toEqual([
    ['killed', null],
    ['ended', 0],
    ['ended', 1],
    ['ended', 1],
  ]);
  expect((await windrow('runs')).stdout).toContain('killed');
  expect(await strangeFiles(join(folder, 'data'))).toEqual([]);
});

test('alerts test names each destination that does not work', async () => {
  const tested = await windrow('alerts', 'test', file);
  expect(tested.code).toBe(1);
  expect(tested.stdout).toBe(
    'team: delivered\nunset: FAILED: ALERT_UNSET is not set in the environment\n',
  );
  const shown = await windrow('alerts', file);
  expect(shown.stdout).toContain('failed to team, at most every 1 d: last alert');
});
