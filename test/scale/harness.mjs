import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { entriesOfCatalogue } from '../../build/entries-of-catalogue.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist/cli/main.js');
/** The short form, which .ci/run runs. */
export const IS_SHORT = process.argv.includes('--short');
export const KEYS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

let check;
const cleanups = [];

/** Tests report to this function, `check(name, isTrue, seen)`. */
export function reportTo(receiver) {
  check = receiver;
}

/** Runs a test in the long form alone. */
export async function longTest(name, work) {
  if (!IS_SHORT) await test(name, work);
}

/** Runs a test, and reports its end. WINDROW_ONLY is a pattern of titles. */
export async function test(name, work) {
  if (!new RegExp(process.env.WINDROW_ONLY ?? '').test(name)) return;
  try {
    check(name, true, (await work()) ?? '');
  } catch (error) {
    check(name, false, error.stack ?? error);
  }
}

/** Ends everything that was started. */
export async function finish() {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function need(condition, message) {
  if (!condition) throw new Error(message);
}

export async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'windrow-scale-'));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Bundles a program of a test, as in `scale/pace-process`; returns the path of the bundle. */
export async function programOf(name) {
  const outfile = join(ROOT, 'dist', `test-${basename(name)}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'test', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [entriesOfCatalogue],
    logLevel: 'warning',
  });
  return outfile;
}

/** Starts a program that ends with the tests. */
export function started(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const ended = once(child, 'exit').catch(() => undefined);
  child.on('error', (error) => process.stdout.write(`${command}: ${error.message}\n`));
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** Waits until `look` returns something. The bound ends a hang, however slow the machine is. */
export async function until(look, name) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const answer = await look().catch(() => undefined);
    if (answer) return answer;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`${name} did not come`);
}

/** Runs a program to its end, and returns its output. Throws with it where the program fails. */
export async function printedBy(command, args, env = {}) {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env } });
  let [out, notes] = ['', ''];
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (notes += part));
  const [code] = await once(child, 'close');
  need(code === 0, out + notes);
  return out;
}

/** Runs windrow to its end; `exit` is the exit code that it must have, or 'any'. */
export function windrow(args, { env = {}, exit = 0, cwd, signal } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' }),
    });
    let [out, notes] = ['', ''];
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (notes += part));
    child.on('error', (error) => {
      if (signal === undefined) fail(error);
    });
    child.on('close', (code) => {
      if (exit === 'any' || code === exit) done({ code, out, notes });
      else fail(new Error(`windrow ${args.join(' ')} ended with ${code}:\n${out}\n${notes}`));
    });
  });
}

/** Serves a simulated chain; returns its address. */
export async function servedChain(head = 1300) {
  const args = ['serve', '--chain', 'demo', '--no-auth', '--port', '0', '--head', String(head)];
  const service = started(process.execPath, [MAIN, ...args]);
  let text = '';
  service.stdout.on('data', (part) => (text += part));
  service.stderr.on('data', (part) => (text += part));
  return until(async () => /at (http:\S+);/.exec(text)?.[1], 'the service');
}

/** Starts SeaweedFS with an S3 door; returns its port. WEED names another program. */
export async function seaweed(bucket) {
  const place = await folder();
  const identity = {
    name: 'windrow',
    credentials: [{ accessKey: KEYS.AWS_ACCESS_KEY_ID, secretKey: KEYS.AWS_SECRET_ACCESS_KEY }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  await writeFile(join(place, 's3.json'), JSON.stringify({ identities: [identity] }));
  // Each door takes a second port that is higher by 10,000.
  const first = 10_000 + Math.floor(Math.random() * 10_000);
  const [s3, master, volume, filer] = [first, first + 1, first + 2, first + 3];
  const weed = process.env.WEED ?? join(ROOT, 'test/scale/.venv/bin/weed');
  const shown = started(weed, [
    ...['server', `-dir=${place}`, '-ip=127.0.0.1', '-filer', '-s3', `-s3.port=${s3}`],
    ...[`-s3.config=${join(place, 's3.json')}`, `-master.port=${master}`],
    ...[`-volume.port=${volume}`, `-filer.port=${filer}`, '-volume.max=200'],
    ...['-master.volumeSizeLimitMB=256', '-s3.port.iceberg=0', '-s3.port.lance=0'],
  ]);
  shown.stdout.resume();
  shown.stderr.resume();
  const answers = async (port) => (await fetch(`http://127.0.0.1:${port}/`)).status > 0;
  await until(() => answers(s3), 'the store');
  await until(async () => {
    const shell = spawn(weed, ['shell', `-master=127.0.0.1:${master}`]);
    shell.stdin.end(`s3.bucket.create -name ${bucket}\ns3.bucket.list\n`);
    let text = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part) => (text += part));
    await once(shell, 'close');
    return new RegExp(`^ +${bucket}\\b`, 'm').test(text);
  }, 'the bucket');
  return s3;
}
