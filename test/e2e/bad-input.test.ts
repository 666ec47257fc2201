import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { Secret } from '../../src/fetch/http/signature.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { type Ended, windrow, windrowProcess } from './command-line.ts';
import { PIPELINE, type Served, serve } from './harness.ts';

const chain = simulatedChain({ seed: 'bad input', head: 150 });
const [address = ''] = chain.addresses(1);
const GOOD = PIPELINE.replace(/list: \[.*\]/, `list: ["${address}"]`).replace(
  'to: head',
  'to: safe',
);

let folder = '';
let served: Served;
beforeAll(async () => {
  folder = await freshFolder();
  served = await serve(chainSource(chain));
});
let runs = 0;

/** A run of this pipeline text in a data root of its own, unless one is given. */
async function run(text: string, more: readonly string[] = [], data?: string): Promise<Ended> {
  runs += 1;
  const file = join(folder, `pipeline-${runs}.yaml`);
  await writeFile(file, text);
  const root = data ?? join(folder, `data-${runs}`);
  return windrow(['run', file, '--data', root, '--source-url', served.url, ...more]);
}

/** One paragraph on stderr that begins like this and says what to do. */
function expectFault(ended: Ended, code: number, what: RegExp, advice: RegExp): void {
  const paragraph = ended.stderr.split('\n').find((line) => line.startsWith('windrow: ')) ?? '';
  expect(paragraph, ended.stderr).toMatch(what);
  expect(paragraph).toMatch(advice);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(ended.code).toBe(code);
}

test('a pipeline with an unknown endpoint is refused with its place', async () => {
  const text = GOOD.replace('internal-transaction-list-multi', 'internal-transactions-list-multi');
  const place = /pipeline-\d+\.yaml:17:\d+: .*internal-transactions-list-multi/;
  const advice = /Did you mean mainchain\/address\/internal-transaction-list-multi/;
  expectFault(await run(text), 2, place, advice);
});

test('a folder in place of a pipeline file is refused with the name of a file in it', async () => {
  const named = join(folder, 'pipelines');
  await mkdir(named);
  await writeFile(join(named, 'first.yaml'), GOOD);
  for (const verb of ['plan', 'run']) {
    expectFault(await windrow([verb, named]), 2, /This is a folder/, /e\.g\. .*first\.yaml/);
  }
});

test('wrong credentials end the run, and no message holds them', async () => {
  const credentials = ['right-key', 'right-secret', 'right-phrase'].map((text) => new Secret(text));
  const [accessKey, secretKey, passphrase] = credentials as [Secret, Secret, Secret];
  const guarded = await serve(chainSource(chain), {
    credentials: [{ accessKey, secretKey, passphrase }],
  });
  const file = join(folder, 'guarded.yaml');
  await writeFile(file, GOOD.replace('credentials: none', 'credentials: environment'));
  const args = ['run', file, '--data', join(folder, 'guarded'), '--source-url', guarded.url];
  const env = {
    WINDROW_ACCESS_KEY: 'right-key',
    WINDROW_SECRET_KEY: 'canary-secret',
    WINDROW_PASSPHRASE: 'right-phrase',
  };
  const refused = await windrowProcess(args, { env });
  expectFault(refused, 1, /refused the credentials/, /Check WINDROW_ACCESS_KEY/);
  expect(refused.stdout + refused.stderr).not.toContain('canary-secret');
  const accepted = await windrowProcess(args, {
    env: { ...env, WINDROW_SECRET_KEY: 'right-secret' },
  });
  expect(accepted.code, accepted.stderr).toBe(0);
});

test('a data root of another layout is refused, and nothing in it is touched', async () => {
  const root = join(folder, 'other-layout');
  await mkdir(join(root, 'state'), { recursive: true });
  await writeFile(join(root, 'state', 'root.json'), '{"layout":"7","windrow":"3.0.0"}\n');
  const ended = await run(GOOD, [], root);
  expectFault(ended, 1, /root\.json: .*layout 7, written by windrow 3\.0\.0/, /another data root/);
  expect(await readdir(root)).toEqual(['state']);
});

test('a corrupt log is refused with file and line, and left as it is', async () => {
  const root = join(folder, 'corrupt');
  expect((await run(GOOD, [], root)).code).toBe(0);
  const entry = join(root, 'lake/MAINCHAIN/transactions/_delta_log/00000000000000000000.json');
  const text = await readFile(entry, 'utf8');
  await writeFile(entry, text.replace('{"protocol"', '{"proto'));
  const ended = await run(GOOD, [], root);
  const advice = /windrow verify \S+\.yaml --repair --data \S+/;
  expectFault(ended, 1, /0000\.json:\d+: .*corrupt/, advice);
  expect(await readFile(entry, 'utf8')).toBe(text.replace('{"protocol"', '{"proto'));
  const status = await windrow(['status', '--data', root]);
  expectFault(status, 1, /0000\.json:\d+: .*corrupt/, advice);
});

test('with --json a fault is a document on stdout', async () => {
  const ended = await windrow(['query', 'SELECT 1', '--data', join(folder, 'nothing'), '--json']);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    schemaVersion: 1,
    error: { kind: 'query', exitCode: 2 },
  });
});
