import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { publicNodes } from '../../service/src/stream/nodes.ts';
import { shellQuoted } from '../../src/fault.ts';
import { systemEffects } from '../../src/system.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import {
  type Documented,
  documentedCommands,
  reasonNotToRun,
} from '../model/documented-commands.ts';
import { MAIN, windrow } from './command-line.ts';
import { CLIENTS, rowsByView } from './fresh-process.ts';
import { serve } from './harness.ts';

/**
 * Goal: every command and every SQL statement that README.md and docs/ show works as shown, on a lake
 * of the last blocks of the demo. The demo itself, whose lake has more, runs in the thorough mode, and
 * as a step of .ci/run. Only names that stand for something of the
 * reader's own are filled in (FILE, DIR, A:B, my.yaml, mine.csv, '0x...'), the service listens on
 * any free port, and what is exported beside the demo goes to a small data root of its own.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const SEED = { seed: 'demo', head: 30_000 };
/** Verbs that read a pipeline and so ask a service. */
const ASKS = /^(npx )?windrow (plan|run|audit|refetch|backfill|doctor|follow) /;
const VERBS = `plan run status query describe check audit refetch backfill quarantine export connect
  runs load serve demo maintain forget init doctor schedule follow sql notebook
  alerts report certify`.split(/\s+/);
const FRESH_PROCESSES = IS_EXHAUSTIVE ? 10 : 1;
/** Views without rows after the demo. */
const EMPTY_VIEWS = [
  'contract_verifications',
  'curated.zone_check_evidence',
  'pending_transactions',
  'pending_vs_settled',
  'quarantine',
  'reconciliation_findings',
];
/** Views of what the demo alone lands: its stream, and its comparison with the node. */
const OF_THE_DEMO = [
  'preconf_gaps',
  'preconf_payloads',
  'preconfirmations',
  'reconciliations',
  'stream_health',
];

const chain = simulatedChain(SEED);
let folder = '';
let env: Record<string, string | undefined> = {};
let url = '';
/** The output of the demo. */
let demonstrated = '';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Lines of these verbs run until they are stopped, or read what is typed. */
const LASTS = / (serve|schedule run|follow|sql)( |$)/;
const IN_SHELL = /[|<>&;$`*]/;
/** Texts in quotes of which bash replaces no part. */
const QUOTED = /'[^']*'|"[^"$`\\]*"/g;

/**
 * Arguments of a line that is one command of windrow and ends by itself, as bash reads them. Such a
 * line needs no process of its own, whose start takes longer than most verbs.
 */
async function argumentsOf(line: string): Promise<string[] | undefined> {
  const isOne = /^(npx )?windrow /.test(line) && !IN_SHELL.test(line.replace(QUOTED, ''));
  if (!isOne || LASTS.test(line)) return undefined;
  const script = `npx() { shift; windrow "$@"; }; windrow() { printf '%s\\0' "$@"; }; ${line}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
  return stdout.split('\0').slice(0, -1);
}

/** Runs a line in the folder of the reader. */
async function entered(line: string): Promise<Ended> {
  const args = await argumentsOf(line);
  if (args === undefined) return typed(line);
  const { code, stdout, stderr } = await windrow(args);
  return { code, output: stdout + stderr };
}

/** Runs a line in bash, in the folder of the reader; a service is ended once it listens. */
function typed(line: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec ${line}`], { cwd: folder, env, stdio: 'pipe' });
    child.stdin.end();
    let output = '';
    let isStopped = false;
    const onData = (part: Buffer): void => {
      output += String(part);
      const isListening = / serve /.test(line) && output.includes('"url"');
      const isWaiting = / schedule run /.test(line) && output.includes('The next run begins');
      const isFollowing = / follow /.test(line) && output.includes('final below');
      if (!(isListening || isWaiting || isFollowing) || isStopped) return;
      isStopped = true;
      child.kill('SIGTERM');
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: isStopped ? 0 : code, output }));
  });
}

/** A program of the reader's PATH that starts the command line as the package does. */
async function program(name: string, script: string): Promise<void> {
  const path = join(folder, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

beforeAll(async () => {
  folder = await freshFolder();
  const source = chainSource(chain);
  const nodes = publicNodes(chain, source, { effects: systemEffects('warn') });
  const served = await serve(source, {}, nodes);
  url = served.url;
  for (const name of ['pipelines', 'sql', 'docs', 'notebooks'])
    await symlink(join(REPOSITORY, name), join(folder, name));
  await mkdir(join(folder, 'bin'));
  const start = `exec "${process.execPath}" "${MAIN}"`;
  await program('windrow', `${start} "$@"`);
  await program('npx', `[ "$1" = windrow ] && shift && ${start} "$@"; exit 99`);
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: { demo: string };
  };
  const demo = manifest.scripts.demo.replace('node dist/cli/main.js', start);
  await program('npm', `[ "$*" = 'run demo' ] && ${demo}; exit 99`);
  const keys = { WINDROW_ACCESS_KEY: 'a', WINDROW_SECRET_KEY: 'b', WINDROW_PASSPHRASE: 'c' };
  env = { ...process.env, ...keys, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  await writeFile(join(folder, 'mine.csv'), ['address,label', ...mine(), ''].join('\n'));
  const text = await readFile(join(REPOSITORY, 'pipelines/address-activity.yaml'), 'utf8');
  await writeFile(
    join(folder, 'my.yaml'),
    text
      .replace('http://127.0.0.1:8080', url)
      .replace('addresses.example.csv', 'mine.csv')
      .concat(`\nschedule: { cron: "0 3 * * *" }\nwitness: { url: ${url}/rpc }\n`)
      .replace('startPerSecond: 2 }', 'startPerSecond: 500, maxPerSecond: 5000 }')
      .replace('blocks: { from: 0, to: safe }', 'blocks: { from: 29600, to: safe }')
      .replace('zoneBlocks: { from: 0, to: safe }', 'zoneBlocks: { from: 118000, to: safe }'),
  );
  await writeFile(join(folder, 'faults.yaml'), 'chain: { recordCap: 4 }\n');
  const key = [{ accessKey: 'a', secretKey: 'b', passphrase: 'c' }];
  await writeFile(join(folder, 'keys.json'), JSON.stringify(key), { mode: 0o600 });
  if (IS_THOROUGH) {
    const demo = await typed('npm run demo');
    expect(demo.code, demo.output).toBe(0);
    demonstrated = demo.output;
  } else {
    await mkdir(join(folder, 'data/demo'), { recursive: true });
    const labelled = chain.addresses(15).map((address, i) => `${address},demo account ${i + 1}`);
    const lines = ['address,label', ...labelled, ''].join('\n');
    await writeFile(join(folder, 'data/demo/addresses.csv'), lines);
  }
  // The reader's own data root holds the last blocks of the demo, so that answers are not empty and
  // each command takes little time.
  const demoText = await readFile(join(REPOSITORY, 'pipelines/demo.yaml'), 'utf8');
  await writeFile(
    join(folder, 'last-blocks.yaml'),
    demoText
      .replace('{ from: 15000, to: safe }', '{ from: 29876, to: safe }')
      .replace('{ from: 109400, to: safe }', '{ from: 119200, to: safe }')
      .replace('addresses.example.csv', 'data/demo/addresses.csv')
      .replace(/demo-(tokens|methods)\.csv/g, 'pipelines/$&'),
  );
  const last = await typed(`npx windrow run last-blocks.yaml --source-url ${url}`);
  expect(last.code, last.output).toBe(0);
  if (!IS_THOROUGH) {
    // The data root of the demo is a copy of the other one, which is in the folder above.
    for (const name of (await readdir(join(folder, 'data'))).filter((entry) => entry !== 'demo')) {
      await cp(join(folder, 'data', name), join(folder, 'data/demo', name), { recursive: true });
    }
    const loaded = await typed('npx windrow load --data data/demo');
    expect(loaded.code, loaded.output).toBe(0);
  }
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
  process.chdir(folder);
});

afterAll(async () => {
  process.chdir(REPOSITORY);
  vi.unstubAllEnvs();
});

function mine(): string[] {
  return chain
    .addresses(12)
    .slice(-3)
    .map((address, i) => `${address},account ${i}`);
}

/** The line to type for a command that is shown. */
function lineFor({ kind, text }: Documented): string {
  const address = mine()[0]?.split(',')[0] ?? '';
  if (kind === 'sql') {
    return `npx windrow query ${shellQuoted(text.replaceAll('0x...', address))}`;
  }
  // A verb by itself is a name in a sentence.
  if (/^windrow [a-z]+$/.test(text)) return `${text} --help`;
  if (/ init DIR$/.test(text)) {
    return `${text.replace('DIR', 'new')} --url ${url} --addresses mine.csv --force`;
  }
  const line = text
    .replace(/--faults FILE/, '--faults faults.yaml')
    .replace(/--keys FILE/, '--keys keys.json')
    .replace(/certify verify FILE/, 'certify verify data/exports/certificate.json')
    .replace(/--witness URL/, `--witness ${url}/rpc`)
    .replace(/\bFILE\b/, 'my.yaml')
    .replace('/etc/systemd/system', 'units')
    .replace(/\bDIR\b/, 'data')
    .replace('0x...', address)
    .replace(/\bA:B\b/, text.includes('backfill') ? '29500:29599' : '29600:29699');
  if (/ serve /.test(line)) {
    const source = / --(chain|data|records) /.test(line) ? '' : ' --chain demo';
    return `${line}${source} --port 0 --json`;
  }
  if (/ reconcile /.test(line)) return `${line} --data mine`;
  if (!ASKS.test(line)) return line;
  // A part of the chain shows that these runs work.
  const part = / run pipelines/.test(line)
    ? ' --blocks 29920:29935 --zone-blocks 119360:119399'
    : '';
  // A small data root: every run builds and checks its warehouse.
  const root = line.includes('--data') ? '' : ' --data mine';
  return `${line}${root} --source-url ${url}${part}`;
}

const shown = await documentedCommands(VERBS);
/** Commands by the line that each is typed as: without `npx`, and without the data root by default. */
const lines = new Map<string, Documented>();
for (const command of shown) {
  const line = lineFor(command).replace(/^npx | --data data$/g, '');
  if (reasonNotToRun(command) === undefined && !lines.has(line)) lines.set(line, command);
}
// It ran before the tests, so that every other command has its lake.
lines.delete('npm run demo');

test.each([...lines.values()].map((command) => [command.where, command.text, command] as const))(
  '%s: %s',
  async (_, __, command) => {
    const line = lineFor(command);
    const { code, output } = await entered(line);
    expect(code, `${line}\n${output}`).toBe(0);
  },
);

test.runIf(IS_THOROUGH)('commands that the demo and the status after it advise', async () => {
  const status = await typed('npx windrow status --data data/demo');
  const again = /windrow demo --data \S+(?= reads newer)/.exec(status.output)?.[0] ?? '';
  const shown = [...demonstrated.matchAll(/^ {3}(npx windrow (?!serve)\S+ [^#\n]*)/gm)];
  const commands = [again, ...shown.map(([, command = '']) => command)];
  expect(commands.map((command) => /windrow (\S+)/.exec(command)?.[1])).toEqual([
    'demo',
    'status',
    'query',
    'demo',
  ]);
  expect(demonstrated).toMatch(/^stream: \d+ readings, \d+ rows, 0 gaps\.$/m);
  // A loaded machine adds lines of progress.
  const steady = demonstrated.split('\n').filter((line) => !/^(lists|look-ups) /.test(line));
  expect(steady.length).toBeLessThanOrEqual(60);
  for (const text of new Set(commands.map((command) => command.trim().replace(/^npx /, '')))) {
    const line = lineFor({ where: '', kind: 'command', text });
    const { code, output } = await typed(line);
    expect(code, `${line}\n${output}`).toBe(0);
    if (line === again) expect(output).not.toMatch(/blocks 15,000 to [\d,]+: /);
  }
});

test.each(CLIENTS)(
  'every view of the demo answers LIMIT in fresh processes: %s',
  async (client) => {
    for (let i = 0; i < FRESH_PROCESSES; i += 1) {
      const rows = await rowsByView(join(folder, 'data/demo/warehouse.duckdb'), client);
      // A run is in the warehouse of the next one: here the demo has run once or twice.
      const empty = Object.keys(rows).filter((view) => rows[view] === 0 && view !== 'runs');
      expect(empty.sort()).toEqual([...EMPTY_VIEWS, ...(IS_THOROUGH ? [] : OF_THE_DEMO)].sort());
    }
  },
);
