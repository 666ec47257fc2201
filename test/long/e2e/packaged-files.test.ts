import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { PROGRAM } from '../../../service/src/program.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { PIPELINE, serve } from '../../e2e/harness.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/**
 * Goal: every verb works with the files of the image, which the tarball of npm has, too. The folder
 * has the files that the last stage of the Dockerfile copies, and packages that are no development
 * packages.
 */

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const FILE = 'mine.yaml';
const ALERTS = `alerts:
  destinations: { log: { command: [cat] } }
  rules: [{ on: failed }]
`;
const chain = simulatedChain({ seed: 'packaged', head: 300 });
let image = '';
let work = '';
let url = '';

beforeAll(async () => {
  const root = await freshFolder();
  image = join(root, 'image');
  work = join(root, 'work');
  await mkdir(work);
  for (const name of await copiedNames()) {
    if (name === 'node_modules') await linkPackages();
    else await cp(join(REPOSITORY, name), join(image, name), { recursive: true });
  }
  const served = await serve(chainSource(chain));
  url = served.url;
  const text = `${PIPELINE}schedule: { cron: "0 3 * * *" }\nwitness: { url: URL/rpc }\n${ALERTS}`
    .replace('URL', url)
    .replace('http://127.0.0.1:1', url)
    .replace('{ to: head }', '{ from: 50, to: head }')
    .replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(3))}`);
  await writeFile(join(work, FILE), text);
  await writeFile(join(work, 'count.sql'), 'SELECT count(*) FROM transactions');
});

/** The names that the last stage of the Dockerfile copies. */
async function copiedNames(): Promise<string[]> {
  const text = await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8');
  return [...text.matchAll(/^COPY --from=build \/build\/(\S+) /gm)].map(([, name = '']) => name);
}

/** Links the packages of the lock file that are installed without development packages. */
async function linkPackages(): Promise<void> {
  const lock = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || entry.dev || entry.devOptional) continue;
    await mkdir(dirname(join(image, path)), { recursive: true });
    await symlink(join(REPOSITORY, path), join(image, path));
  }
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a verb from these files; it is stopped at its first line that matches `until`. */
function windrow(args: readonly string[], until?: RegExp): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const command = [join(image, 'dist/cli/main.js'), ...args];
    const child = spawn(process.execPath, command, { cwd: work, stdio: 'pipe' });
    child.stdin.end('SELECT count(*) FROM transactions;\n');
    let output = '';
    let isStopped = false;
    const onData = (part: Buffer): void => {
      output += String(part);
      if (isStopped || until?.test(output) !== true) return;
      isStopped = true;
      child.kill('SIGINT');
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: isStopped ? 0 : code, output }));
  });
}

/** Commands by verb, in an order in which each has the data that it needs. */
const COMMANDS: readonly (readonly [command: string, until?: RegExp])[] = [
  ['version'],
  ['describe transactions'],
  ['completion bash'],
  ['init new --url http://127.0.0.1:1 --addresses ADDRESS'],
  [`doctor ${FILE}`],
  [`plan ${FILE}`],
  [`run ${FILE}`],
  [`follow ${FILE}`, /final below/],
  [`audit ${FILE} --sample 1`],
  [`refetch ${FILE} --blocks 60:70 --dry-run`],
  [`backfill ${FILE} --blocks 40:49`],
  ['load'],
  ['query count.sql'],
  ['sql'],
  ['connect'],
  ['export transactions --format xlsx'],
  ['export transactions --format arrow'],
  ['notebook data-quality'],
  ['report --out report.html'],
  ['contract list'],
  ['status'],
  ['runs'],
  ['check --deep'],
  ['verify'],
  ['certify keygen key.pem'],
  ['certify --key key.pem'],
  ['certify verify data/exports/certificate.json'],
  [`reconcile ${FILE}`, /^Reconciled/m],
  // The packages of workers are there; Redis is not.
  ['worker --queue redis://127.0.0.1:1 --patience 1s', /Redis does not answer/],
  ['quarantine list'],
  [`alerts check ${FILE}`],
  ['maintain'],
  ['forget ADDRESS --dry-run'],
  [`schedule ${FILE} --as kubernetes`],
  ['serve --data data --port 0 --no-auth', /Serving at/],
  ['serve --chain demo --head 100 --port 0 --no-auth', /Serving at/],
  ['demo', /Plan|requests/],
];

test.each(COMMANDS.map(([command, until]) => [command, until] as const))(
  'windrow %s',
  async (command, until) => {
    const words = command.replace('ADDRESS', chain.addresses(1)[0] ?? '').split(' ');
    const { code, output } = await windrow(words, until);
    expect(code, output).toBe(0);
  },
);

test('every verb is among these commands', () => {
  const verbs = Object.values(PROGRAM).flat();
  const names = verbs.map(({ command }) => command.split(' ')[0]);
  const run = new Set(COMMANDS.map(([command]) => command.split(' ')[0]));
  expect(names.filter((name) => !run.has(name ?? ''))).toEqual([]);
});

test('the tarball of npm has all of these files', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const options = { cwd: REPOSITORY, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const paths = new Set(packed?.files.map(({ path }) => path));
  const all = await readdir(image, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(image.length + 1));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => !paths.has(path))).toEqual([]);
});
