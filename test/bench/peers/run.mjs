import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { simulatedChain } from '../../../dist/service/simulated/chain.js';

/**
 * The CPU time of an export beside other programs that fetch the same rows from the same server:
 * dlt, and a script with requests and pyarrow. windrow proves, checks, curates and publishes, too.
 * The server is a process of its own that answers from memory, and is not counted: a first round,
 * which is not counted either, fills it. Prints medians as a Markdown table.
 *
 *     npm run build && node test/bench/peers/run.mjs [rows, 500,000] [rounds, 3]
 *
 * Needs python3. WINDROW_PEERS names the folder of its environment, which is made on demand.
 */

const [rows = 500_000, rounds = 3] = process.argv.slice(2).map(Number);
const here = fileURLToPath(new URL('.', import.meta.url));
const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const SEED = 'landing';
const ADDRESSES = 100;
const WINDOW = 10_000;
const ROWS_PER_BLOCK = 2.65;
const blocks = Math.max(1, Math.round(rows / ROWS_PER_BLOCK / WINDOW)) * WINDOW;
const run = promisify(execFile);

const PIPELINE = (url, addresses) => `version: 1
name: peers
source:
  url: ${url}
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 0
  concurrency: 16
  rate: { startPerSecond: 10000, maxPerSecond: 10000 }
keys:
  addresses: { file: ${addresses} }
blocks: { from: 0, to: ${blocks - 1} }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
`;

/** The Python of an environment with the packages of requirements.txt. */
async function python() {
  const folder = process.env.WINDROW_PEERS ?? join(tmpdir(), 'windrow-peers');
  const program = join(folder, 'bin/python');
  try {
    await access(program);
  } catch {
    await run('python3', ['-m', 'venv', folder]);
    await run(program, ['-m', 'pip', 'install', '-q', '-r', join(here, 'requirements.txt')]);
  }
  return program;
}

const started = [];

/** Starts a program and returns the first line that it prints. */
async function firstLineOf(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return line;
}

/** Runs a command in a folder of its own and returns its price. */
async function measured(command) {
  const folder = await mkdtemp(join(scratch, 'run-'));
  const [program, ...args] = command(folder);
  const { stderr } = await run('python3', [join(here, 'measure.py'), program, ...args], {
    maxBuffer: 2 ** 28,
    env: { ...process.env, RUNTIME__DLTHUB_TELEMETRY: 'false' },
  });
  await rm(folder, { recursive: true });
  return JSON.parse(stderr.trim().split('\n').at(-1));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

const scratch = await mkdtemp(join(tmpdir(), 'windrow-peers-'));
try {
  const interpreter = await python();
  const serve = [main, 'serve', '--chain', SEED, '--head', String(blocks - 1), '--port', '0'];
  const { url: service } = JSON.parse(await firstLineOf([...serve, '--no-auth', '--json']));
  const url = await firstLineOf([join(here, 'static-server.mjs'), service]);
  const addresses = join(scratch, 'addresses.csv');
  const keys = [...simulatedChain({ seed: SEED, head: blocks - 1 }).addresses(ADDRESSES)].sort();
  await writeFile(addresses, ['address', ...keys, ''].join('\n'));
  const pipeline = join(scratch, 'peers.yaml');
  await writeFile(pipeline, PIPELINE(url, addresses));
  const pythonOf = (file) => (folder) => {
    return [interpreter, join(here, file), url, addresses, String(blocks), folder];
  };
  const programs = {
    windrow: (folder) => [process.execPath, main, 'run', pipeline, '--data', folder],
    dlt: pythonOf('dlt_pipeline.py'),
    script: pythonOf('script.py'),
  };
  const prices = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  const requests = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, command] of Object.entries(programs)) {
      const price = await measured(command);
      requests[name] = Number(await (await fetch(`${url}/requests`)).text());
      if (round > 0) prices[name].push(price);
    }
  }
  const { stdout } = await run(interpreter, [
    join(here, 'count.py'),
    url,
    addresses,
    String(blocks),
  ]);
  const count = Number(stdout);
  process.stdout.write(`${count} rows of ${ADDRESSES} addresses in ${blocks} blocks\n\n`);
  const lines = [
    [
      'program',
      'CPU s',
      'CPU of dlt',
      'CPU of script',
      'rows per s',
      'speed of dlt',
      'peak MB',
      'requests',
    ],
    Array.from({ length: 8 }, () => '---'),
  ];
  const cpu = (name) => median(prices[name].map(({ cpuSeconds }) => cpuSeconds));
  const speed = (name) => count / median(prices[name].map(({ seconds }) => seconds));
  for (const name of Object.keys(programs)) {
    lines.push([
      name,
      cpu(name).toFixed(1),
      (cpu(name) / cpu('dlt')).toFixed(2),
      (cpu(name) / cpu('script')).toFixed(2),
      Math.round(speed(name)),
      (speed(name) / speed('dlt')).toFixed(2),
      Math.round(Math.max(...prices[name].map(({ peakMb }) => peakMb))),
      requests[name],
    ]);
  }
  for (const line of lines) process.stdout.write(`| ${line.join(' | ')} |\n`);
} finally {
  for (const child of started) child.kill();
  await rm(scratch, { recursive: true, force: true });
}
