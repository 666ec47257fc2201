import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { commandsIn } from '../model/documented-commands.ts';
import { MAIN, windrow } from './command-line.ts';
import { activeFiles, PIPELINE, serve } from './harness.ts';

/**
 * Goal: a data root that cannot be written answers all that reads, at another path, too. Without
 * root, nothing can be mounted, and no process can be started as another user.
 */

const IS_ROOT = process.getuid?.() === 0;
const OPERATING = new URL('../../docs/operating.md', import.meta.url);
const COUNT = 'SELECT count(*)::INT AS n FROM transactions';
/** The folder, and what to do. */
const REFUSED = /\/(shared|copied)[a-z/]*: This folder cannot be written\. Allow .* --data DIR /;
/** A user without a name on any machine. */
const UID = 54_321;

const chain = simulatedChain({ seed: 'shared', head: 300 });
let folder = '';
let data = '';
let url = '';
let cache = '';
const here = process.cwd();

beforeAll(async () => {
  folder = await freshFolder();
  data = join(folder, 'data');
  cache = join(folder, 'cache');
  const served = await serve(chainSource(chain));
  url = served.url;
  await exportOf(3);
  vi.stubEnv('XDG_CACHE_HOME', cache);
  await mkdir(join(folder, 'home'));
  process.chdir(join(folder, 'home'));
});
afterAll(async () => {
  process.chdir(here);
  vi.unstubAllEnvs();
});

/** Runs a pipeline for so many addresses. */
async function exportOf(addresses: number): Promise<void> {
  const file = join(folder, 'shared.yaml');
  const list = `list: ${JSON.stringify(chain.addresses(addresses))}`;
  await writeFile(file, PIPELINE.replace(/list: \[.*\]/, list));
  const { code, stderr } = await windrow(['run', file, '--data', data, '--source-url', url]);
  expect(code, stderr).toBe(0);
}

const ask = (root: string, ...args: readonly string[]) => windrow([...args, '--data', root]);

async function rowsOf(root: string, sql: string): Promise<unknown> {
  const { code, stdout, stderr } = await ask(root, 'query', sql, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** The windrow commands of the page for operators. */
async function shownCommands(): Promise<string[][]> {
  const [, section = ''] = (await readFile(OPERATING, 'utf8')).split(/^## Give the lake.*$/m);
  const [part = ''] = section.split(/^## /m);
  const lines = commandsIn('', part, []).filter(({ text }) => text.startsWith('npx windrow'));
  return lines.map(({ text }) => {
    const words = text.replace('DIR', 'shared').match(/"[^"]*"|\S+/g) ?? [];
    return words.slice(2).map((word) => word.replaceAll('"', ''));
  });
}

describe.skipIf(!IS_ROOT)('a lake that is mounted read-only at another path (needs root)', () => {
  let shared = '';
  beforeAll(async () => {
    shared = join(folder, 'home', 'shared');
    await mkdir(shared);
    execFileSync('mount', ['--bind', data, shared]);
    whenOver(() => void execFileSync('umount', [shared]));
    execFileSync('mount', ['--options', 'remount,ro,bind', shared]);
  });

  test('answers with the rows of the lake, from one warehouse in a cache', async () => {
    const sql = `SELECT (${COUNT}) AS rows, (SELECT count(*)::INT FROM coverage) AS ranges,
      (SELECT exact_sum(amount_text) FROM address_activity) AS amount`;
    const first = await ask(shared, 'query', sql, '--json');
    expect(first.stderr).toContain(`is built in ${cache}`);
    expect(JSON.parse(first.stdout)).toEqual(await rowsOf(data, sql));
    expect((await ask(shared, 'query', sql)).stderr).toBe('');
  });

  test('does all that the page for operators shows', async () => {
    const commands = await shownCommands();
    expect(commands.length).toBeGreaterThan(10);
    for (const args of commands.filter(([verb]) => verb !== 'serve')) {
      const { code, stderr } = await windrow(args);
      expect(code, `${args.join(' ')}\n${stderr}`).toBe(0);
    }
    const written = ['transactions.parquet', 'lake.html', 'address.ipynb'];
    expect(await readdir('.')).toEqual(expect.arrayContaining(written));
    const left = (await readdir(cache, { recursive: true })).filter((name) => /part-/.test(name));
    expect(left).toEqual([]);
  });

  test.each([
    [['export', 'blocks', '--format', 'xlsx', '--out', 'blocks.xlsx']],
    [['export', 'blocks', '--partition-by', 'block_date', '--out', 'blocks']],
    [['query', COUNT, '--csv', '--out', 'count.csv']],
    [['quarantine', 'list']],
    [['maintain', '--dry-run']],
  ])('does %j, too', async (args) => {
    const { code, stderr } = await ask(shared, ...args);
    expect(code, stderr).toBe(0);
  });

  test('streams bytes to stdout', async () => {
    const args = [MAIN, 'export', 'blocks', '--format', 'parquet', '--out', '-', '--data', shared];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/^PAR1/);
  });

  test('says where to write instead', async () => {
    for (const args of [['export', 'blocks'], ['report']]) {
      const { code, stderr } = await ask(shared, ...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--out FILE')]);
    }
    for (const args of [['load'], ['maintain'], ['run', '../shared.yaml'], ['demo']]) {
      const { code, stderr } = await ask(shared, ...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(REFUSED)]);
    }
  });

  test('is not read beyond its folder', async () => {
    const outside = join(folder, 'home', 'report.html');
    const sql = `SELECT count(*) FROM read_text('${outside}')`;
    expect((await ask(shared, 'query', sql)).stderr).toMatch(/Cannot access file/);
    const written = await ask(shared, 'export', '--sql', sql, '--out', 'stolen.csv');
    expect(written.stderr).toMatch(/Cannot access file/);
  });

  test('shows new rows after a run', async () => {
    const before = await rowsOf(shared, COUNT);
    await exportOf(6);
    const now = await rowsOf(data, COUNT);
    expect(now).not.toEqual(before);
    expect(await rowsOf(shared, COUNT)).toEqual(now);
  });
});

describe.skipIf(!IS_ROOT)('a lake that another user owns (needs root)', () => {
  let copied = '';
  let home = '';
  beforeAll(async () => {
    copied = join(folder, 'copied');
    home = join(folder, 'own');
    await cp(data, copied, { recursive: true });
    for (const name of await readdir(copied, { recursive: true })) {
      const path = join(copied, name);
      await chmod(path, (await stat(path)).isDirectory() ? 0o555 : 0o444);
    }
    for (const path of [copied, folder]) await chmod(path, 0o555);
    await mkdir(home);
    execFileSync('chown', [String(UID), home]);
  });

  function asAnalyst(env: Record<string, string>, ...args: readonly string[]) {
    const { PATH = '' } = process.env;
    const options = { uid: UID, gid: UID, encoding: 'utf8', env: { PATH, ...env } } as const;
    return spawnSync(process.execPath, [MAIN, ...args, '--data', copied], options);
  }

  test('answers with a cache in ~/.cache, else in the temporary folder', async () => {
    const inHome = asAnalyst({ HOME: home, TMPDIR: folder }, 'query', COUNT, '--json');
    expect(JSON.parse(inHome.stdout)).toEqual(await rowsOf(data, COUNT));
    expect(inHome.stderr).toContain(`is built in ${join(home, '.cache', 'windrow')}`);
    const elsewhere = { HOME: '/nonexistent', TMPDIR: home };
    const inTemporary = asAnalyst(elsewhere, 'query', COUNT, '--json');
    expect(inTemporary.stderr).toContain(`is built in ${join(home, `windrow-${UID}`)}`);
    expect(inTemporary.stdout).toBe(inHome.stdout);
    expect(asAnalyst(elsewhere, 'check').status).toBe(0);
    expect(asAnalyst(elsewhere, 'maintain').stderr).toMatch(REFUSED);
    expect(asAnalyst(elsewhere, 'export', 'blocks', '--out', join(home, 'b.csv')).status).toBe(0);
  });

  test('takes no cache that yet another user made', async () => {
    const trap = join(folder, 'trap');
    await mkdir(join(trap, `windrow-${UID}`), { recursive: true });
    for (const path of [trap, join(trap, `windrow-${UID}`)]) await chmod(path, 0o777);
    const env = { HOME: '/nonexistent', TMPDIR: trap };
    const { status, stderr } = asAnalyst(env, 'query', COUNT);
    expect([status, stderr]).toEqual([1, expect.stringContaining('nor a cache folder')]);
    await rm(trap, { recursive: true });
  });

  test('is not called well with a file that this user may not read', async () => {
    const [file = ''] = await activeFiles(copied, 'transactions');
    const env = { HOME: home, TMPDIR: home };
    expect(asAnalyst(env, 'status').status).toBe(0);
    await chmod(file, 0o000);
    const { status, stderr } = asAnalyst(env, 'status');
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${file}: The operating`)]);
    expect(stderr).toContain('Check the path and its permissions.');
    await chmod(file, 0o444);
  });
});
