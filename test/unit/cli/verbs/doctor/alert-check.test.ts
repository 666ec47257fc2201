import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Diagnosis } from '../../../../../src/cli/verbs/doctor/diagnosis.ts';
import {
  checkDestinations,
  checkEnvironmentFile,
} from '../../../../../src/cli/verbs/doctor/doctor.ts';
import { loadPipeline } from '../../../../../src/run/job/pipeline-file.ts';
import { quietEffects } from '../../../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

let folder = '';
beforeEach(async () => {
  folder = await freshFolder();
});

/** The diagnoses of a pipeline with these alerts. */
async function checked(alerts: string, env: NodeJS.ProcessEnv = {}): Promise<readonly Diagnosis[]> {
  const file = join(folder, 'p.yaml');
  await writeFile(
    file,
    `version: 1
name: p
source: { url: "http://127.0.0.1", chain: MAINCHAIN, credentials: none }
blocks: { from: 1, to: 2 }
datasets: { blocks: [{ endpoint: mainchain/block/block-list }] }
${alerts}`,
  );
  return checkDestinations(await loadPipeline(file, {}), quietEffects(), env);
}

const ALERTS = `alerts:
  destinations:
    team: { webhook: { url: { env: ALERT_URL }, signingKey: { file: key.txt } } }
  rules: [{ on: failed, to: [team] }]
  heartbeat: { env: HEARTBEAT_URL }
`;
const KEY = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const ENV = { ALERT_URL: 'http://a', HEARTBEAT_URL: 'http://b' };

const UNUSABLE: readonly [case_: string, key: string | undefined, env: object, says: string][] = [
  [
    'a missing file',
    undefined,
    ENV,
    'Not ready: team: key.txt: The file of secrets does not exist.',
  ],
  ['a short key', 'whsec_AAAA', ENV, 'team: the signing key after whsec_ is not base64'],
  [
    'a blank variable',
    KEY,
    { ...ENV, HEARTBEAT_URL: ' ' },
    'heartbeat: HEARTBEAT_URL is not set in the environment',
  ],
  ['a URL without its scheme', KEY, { ...ENV, ALERT_URL: 'example.org' }, 'team: ALERT_URL'],
];

it.each(UNUSABLE)('warns of %s before the first alert is due', async (_, key, env, says) => {
  if (key !== undefined) await writeFile(join(folder, 'key.txt'), key, { mode: 0o600 });
  const [missing] = await checked(ALERTS, { ...env });
  expect(missing).toMatchObject({ check: 'alerts', verdict: 'warn' });
  expect(missing?.finding).toContain(says);
});

it('warns of a key that other users may read', async () => {
  await writeFile(join(folder, 'key.txt'), KEY, { mode: 0o644 });
  await chmod(join(folder, 'key.txt'), 0o644);
  const [readable] = await checked(ALERTS, ENV);
  expect(readable?.finding).toContain('readable by other users');
});

it('warns of a folder in the place of a key, and goes on', async () => {
  await mkdir(join(folder, 'key.txt'), { mode: 0o700 });
  const [unreadable] = await checked(ALERTS, ENV);
  expect(unreadable?.finding).toBe(
    'Not ready: team: key.txt: The file of secrets cannot be read (EISDIR).',
  );
});

it('is content with secrets that can be used, and says nothing where there are no alerts', async () => {
  await writeFile(join(folder, 'key.txt'), KEY, { mode: 0o600 });
  const results = 'The secrets of 1 destination and the heartbeat are there.';
  expect(await checked(ALERTS, ENV)).toMatchObject([
    { check: 'alerts', verdict: 'ok', finding: expect.stringContaining(results) },
  ]);
  expect(await checked('alerts: { heartbeat: { env: HEARTBEAT_URL } }', ENV)).toMatchObject([
    { finding: 'The secrets of the heartbeat are there.' },
  ]);
  expect(await checked('')).toEqual([]);
});

it('advises a command that a shell takes as one path', async () => {
  const spaced = join(folder, "it's a folder; rm x");
  await mkdir(spaced);
  await writeFile(join(spaced, '.env'), '', { mode: 0o644 });
  const beside = { resolve: (name: string) => resolve(spaced, name) };
  const quoted = `'${folder}/it'\\''s a folder; rm x/.env'`;
  expect(await checkEnvironmentFile(beside)).toMatchObject([
    { remedy: `Run: chmod 600 ${quoted}` },
  ]);
});

it('warns of a .env beside the pipeline that other users may read', async () => {
  const beside = { resolve: (name: string) => resolve(folder, name) };
  expect(await checkEnvironmentFile(beside)).toEqual([]);
  const file = join(folder, '.env');
  await writeFile(file, '');
  await chmod(file, 0o640);
  expect(await checkEnvironmentFile(beside)).toMatchObject([
    { check: '.env', verdict: 'warn', remedy: `Run: chmod 600 ${file}` },
  ]);
  await chmod(file, 0o600);
  expect(await checkEnvironmentFile(beside)).toMatchObject([{ verdict: 'ok' }]);
  await rm(file);
  await mkdir(file);
  expect(await checkEnvironmentFile(beside)).toMatchObject([
    { verdict: 'warn', finding: `${file} is not a file that can be read.` },
  ]);
  await rm(file, { recursive: true });
  await symlink(file, file);
  expect(await checkEnvironmentFile(beside)).toMatchObject([{ verdict: 'warn' }]);
});
