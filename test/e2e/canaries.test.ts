import { spawn } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { beforeAll, expect, test, vi } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { PROGRAM } from '../../service/src/program.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { Secret } from '../../src/fetch/http/signature.ts';
import { mailServer } from '../fixtures/mail-server.ts';
import { otlpReceiver } from '../fixtures/otlp-receiver.ts';
import { webhookReceiver } from '../fixtures/webhook-receiver.ts';
import { freshFolder, portOf, whenOver } from '../fixtures/when-over.ts';
import { MAIN, windrow as windrowHere } from './command-line.ts';
import { PIPELINE, serve } from './harness.ts';

/**
 * Goal: unique secrets, in every verb and in its failures, are found in no output, log, metric,
 * trace, process argument or file. The receivers that a secret is for do get it.
 */

const SECRETS = {
  WINDROW_ACCESS_KEY: 'canary-access-key-7c1f',
  WINDROW_SECRET_KEY: 'canary-secret-key-9a2e',
  WINDROW_PASSPHRASE: 'canary-passphrase-5b3d',
  ALERT_KEY: 'canary-signing-key-1e8a',
  SMTP_USER: 'canary-smtp-user-4d6c',
  SMTP_PASSWORD: 'canary-smtp-password-8f0b',
  WINDROW_REDIS_PASSWORD: 'canary-redis-password-0d4b',
};
/** Parts of addresses and headers that are secrets, too. */
const TOKENS = ['canary-hook-token-2b7d', 'canary-beat-token-6e9f', 'canary-otlp-token-3c5a'];
const CANARY = /canary/i;
const IS_LINUX = process.platform === 'linux';

const chain = simulatedChain({ seed: 'canaries', head: 200 });

/** Everything that left the processes, by its place. */
const seen: (readonly [place: string, text: string])[] = [];
let folder = '';
let file = '';
let data = '';
let env: Record<string, string> = {};
let echo = '';
/** Reads the port of metrics, at each request of a run. */
let scrape: () => void = () => undefined;
let bodies: () => string[] = () => [];
let delivered: () => string[] = () => [];

beforeAll(async () => {
  folder = await freshFolder();
  data = join(folder, 'data');
  file = join(folder, 'canaries.yaml');
  const hook = await webhookReceiver((count) => (count % 3 === 1 ? 503 : 200));
  // It has no encryption, so mails fail, and the password must not be in their error.
  const mail = await mailServer([SECRETS.SMTP_USER, SECRETS.SMTP_PASSWORD]);
  const collector = await otlpReceiver();
  const credentials = {
    accessKey: new Secret(SECRETS.WINDROW_ACCESS_KEY),
    secretKey: new Secret(SECRETS.WINDROW_SECRET_KEY),
    passphrase: new Secret(SECRETS.WINDROW_PASSPHRASE),
  };
  const served = await serve(chainSource(chain), { credentials: [credentials] });
  const push = served.targets.push.bind(served.targets);
  served.targets.push = (...targets) => {
    scrape();
    return push(...targets);
  };
  echo = await echoServer();
  // A process tells its own arguments: others see them only once its program has begun.
  const telling = `const { readFileSync, writeFileSync } = require('node:fs');
writeFileSync(__dirname + '/arguments-' + process.pid, readFileSync('/proc/self/cmdline'));
`;
  await writeFile(join(folder, 'arguments.cjs'), telling);
  whenOver(hook.close, mail.close, collector.close);
  bodies = () => collector.requests.map(({ body }) => String(body));
  delivered = () => [
    ...hook.requests.map(({ path, headers }) => path + JSON.stringify(headers)),
    ...collector.requests.map(({ headers }) => headers),
  ];
  const pager = join(folder, 'pager.sh');
  // The program gets the environment of windrow without the secrets.
  await writeFile(pager, `#!/bin/sh\n(echo "$0 $@"; env; cat) >> ${join(folder, 'paged.txt')}\n`);
  await chmod(pager, 0o755);
  const keys = `list: ${JSON.stringify(chain.addresses(3))}`;
  const pipeline = PIPELINE.replace(/list: \[.*\]/, keys)
    .replace('http://127.0.0.1:1', served.url)
    .replace('  credentials: none\n', '');
  await writeFile(
    file,
    `${pipeline}schedule: { cron: "0 3 * * *" }
report: html
metrics: { file: prom/canaries.prom }
witness: { url: { env: NODE_URL } }
alerts:
  destinations:
    team: { webhook: { url: { env: HOOK_URL }, signingKey: { env: ALERT_KEY } } }
    mail:
      email:
        host: 127.0.0.1
        port: ${mail.port}
        security: starttls
        from: a@example.org
        to: [b@example.org]
        user: { env: SMTP_USER }
        password: { env: SMTP_PASSWORD }
    pager: { command: [${pager}] }
    broken: { webhook: { url: { env: SMTP_PASSWORD } } }
  rules:
    - { on: failed, to: [team, pager] }
    - { on: recovered, to: [team] }
  heartbeat: { env: BEAT_URL }
`,
  );
  env = {
    ...SECRETS,
    HOOK_URL: `${hook.url}/hooks/${TOKENS[0]}`,
    // It repeats the token of its address in each refusal.
    NODE_URL: `${echo}/canary-node-token-5e1c`,
    BEAT_URL: `${hook.url}/beat/${TOKENS[1]}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${TOKENS[2]}`,
  };
});

/** A service that refuses every request and repeats all that it was sent. */
async function echoServer() {
  const server = createServer((incoming, response) => {
    const sent = `${incoming.url} ${JSON.stringify(incoming.headers)}`;
    const body = JSON.stringify({ code: '50113', msg: `wrong signature: ${sent}`, data: [] });
    response.writeHead(401, { 'content-type': 'application/json' }).end(body);
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

const used = new Set<string>();

/** Runs a verb in a process to its end, or until `stopAt` is printed; keeps its output and its arguments. */
async function windrow(
  line: readonly string[],
  more: Record<string, string> = {},
  stopAt?: RegExp,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  const [verb = ''] = line;
  used.add(verb);
  const options = [more['NODE_OPTIONS'] ?? ''];
  if (IS_LINUX) options.push(`--require ${join(folder, 'arguments.cjs')}`);
  const child = spawn(process.execPath, [MAIN, ...line], {
    cwd: folder,
    env: { ...process.env, ...env, ...more, NODE_OPTIONS: options.join(' ') },
  });
  child.stdin.end();
  let text = '';
  const take = (part: Buffer): void => {
    text += String(part);
    if (stopAt?.test(text) !== true) return;
    child.kill(signal);
    child.kill('SIGTERM');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  seen.push([`output of ${line.join(' ')}`, text]);
  // The last test finds secrets in files of this folder.
  const command = IS_LINUX ? await readFile(join(folder, `arguments-${child.pid}`), 'utf8') : verb;
  expect(command).toContain(verb);
  return { code, text };
}

const inData = (...line: string[]): string[] => [...line, '--data', data];

test('runs that succeed, fail, are refused, are killed and recover', async () => {
  const logged = ['--log', join(folder, 'windrow.log'), '--log-format', 'json'];
  const run = inData('run', file, '--verbose', ...logged);
  const first = await windrow(run, { WINDROW_TRACE_STEPS: '1' });
  expect(first.code, first.text).toBe(0);
  expect((await windrow([...run, '--source-url', 'http://127.0.0.1:9'])).code).toBe(1);
  const echoed = await windrow([...run, '--source-url', echo]);
  expect(echoed.code, echoed.text).toBe(1);
  expect(echoed.text).toContain('wrong signature');
  expect((await windrow(run, { WINDROW_PASSPHRASE: 'canary-wrong-passphrase' })).code).toBe(1);
  expect((await windrow(run, { WINDROW_PASSPHRASE: '' })).code).toBe(2);
  await windrow(run, { WINDROW_KILL_AT: '2' });
  const last = await windrow(inData('run', file, '--json', '--quiet'));
  expect(last.code, last.text).toBe(0);
});

test('every other verb', async () => {
  const made = join(folder, 'made');
  const address = chain.addresses(1)[0] ?? '';
  const lines: readonly (readonly string[])[] = [
    ['init', made, '--url', echo, '--addresses', address, '--credentials', 'environment'],
    inData('doctor', file),
    inData('doctor', file, '--source-url', echo),
    inData('plan', file, '--json'),
    inData('backfill', file, '--blocks', '0:10'),
    inData('refetch', file, '--blocks', '0:10', '--json'),
    inData('audit', file, '--sample', '2'),
    inData('verify', file, '--repair'),
    inData('maintain', '--dry-run'),
    inData('forget', address, '--dry-run'),
    inData('status', '--json'),
    inData('contract', 'list', '--json'),
    ['describe'],
    ['completion', 'bash'],
    ['version'],
    inData('query', 'SELECT * FROM runs', '--json'),
    inData('check', '--json'),
    inData('runs', '--json'),
    inData('report'),
    inData('alerts', 'test', file),
    inData('alerts', 'check', file, '--json'),
    inData('alerts', file, '--json'),
    inData('quarantine', 'list'),
    inData('load', '--full'),
    inData('export', 'address_activity', '--format', 'csv'),
    inData('notebook', 'data-quality'),
    inData('connect', '--json'),
    inData('reconcile', file),
    ['certify', 'keygen', join(folder, 'key.pem')],
    inData('certify', '--key', join(folder, 'key.pem'), '--json'),
    inData('worker', '--queue', 'redis://127.0.0.1:1', '--patience', '1s'),
    ...['crontab', 'systemd', 'kubernetes', 'airflow'].map((form) =>
      inData('schedule', file, '--as', form),
    ),
  ];
  const before = process.cwd();
  process.chdir(folder);
  // Traces would stay in this process.
  for (const [name, value] of Object.entries(env)) if (!/^OTEL/.test(name)) vi.stubEnv(name, value);
  for (const line of lines) {
    used.add(line[0] ?? '');
    const { code, stdout, stderr } = await windrowHere(line);
    seen.push([`output of ${line.join(' ')}`, stdout + stderr]);
    // A usage fault would mean that the verb did no work.
    expect(line[0] === 'doctor' || code !== 2, stdout + stderr).toBe(true);
  }
  vi.unstubAllEnvs();
  process.chdir(before);
  await windrow(inData('sql'));
  await windrow(inData('schedule', 'run', file), {}, /The next run begins/);
  await windrow(inData('follow', file, '--every', '1s'), {}, /final below/);
  await windrow(['serve', '--chain', 'demo', '--no-auth', '--port', '0', '--json'], {}, /"url"/);
  used.add('demo');
  const declared = Object.values(PROGRAM).flatMap((verbs) => verbs.map(({ command }) => command));
  expect([...used].sort()).toEqual(declared.map((command) => command.replace(/ .*$/, '')).sort());
});

test('a crash, of which Node is asked to write a report', async () => {
  const reports = ['--report-on-signal', '--report-uncaught-exception', '--report-on-fatalerror'];
  const options = [...reports, `--report-directory=${folder}`].join(' ');
  const line = inData('schedule', 'run', file);
  await windrow(line, { NODE_OPTIONS: options }, /The next run begins/, 'SIGUSR2');
});

test('the port of metrics', async () => {
  // Below the ports that systems give to other tests' servers.
  const port = 20_000 + (process.pid % 12_000);
  const scrapes: Promise<unknown>[] = [];
  // Every request of the run is followed by a scrape.
  scrape = () => {
    const answer = request(`http://127.0.0.1:${port}/metrics`).then(({ body }) => body.text());
    const keep = (text: string): unknown => seen.push(['the port', text]);
    scrapes.push(answer.then(keep, () => undefined));
  };
  const { code, text } = await windrow(inData('run', file, '--metrics-port', String(port)));
  scrape = () => undefined;
  expect(code, text).toBe(0);
  await Promise.all(scrapes);
  expect(seen.filter(([place]) => place === 'the port').length).toBeGreaterThan(0);
});

test('the receivers got their secrets, so these were in use', () => {
  const got = delivered().join('\n');
  for (const token of TOKENS) expect(got).toContain(token);
});

test('no secret is in an output, an argument, a trace, a row or a file', async () => {
  for (const [place, text] of seen) expect(CANARY.exec(text)?.[0], place).toBeUndefined();
  expect(seen.length).toBeGreaterThan(40);
  const traces = bodies();
  expect(traces.length).toBeGreaterThan(3);
  for (const body of traces) expect(body).not.toMatch(/canary-/);
  const database = await DuckDBInstance.create();
  const connection = await database.connect();
  let files = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files += 1;
    const bytes = await readFile(path);
    expect(bytes.includes('canary-'), path).toBe(false);
    if (!path.endsWith('.parquet')) continue;
    const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    expect(JSON.stringify(rows.getRowObjectsJson()), path).not.toMatch(/canary-/i);
  }
  connection.closeSync();
  database.closeSync();
  expect(files).toBeGreaterThan(50);
});
