/**
 * Goal: a process that takes many short runs uses no more and more memory, files or threads.
 *
 *     node test/operating/steady.mjs [minutes]
 *
 * `windrow follow` keeps up with a chain of one block per second, with up to a run per second. After
 * a warm-up, the medians of open files and threads in the first and the last quarter are compared,
 * and a line through all samples of the resident memory gives its growth per hour. LIMIT sets the
 * limit of this growth in MiB per hour, and CURVE=1 prints every 15th sample.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { say, Tally } from '../interop/tally.mjs';
import { MAIN, served } from './tools.mjs';

const [minutes = 20] = process.argv.slice(2).map(Number);
const SAMPLE_MS = 2_000;
/** Caches of V8 and of the chain's densities fill up first. */
const WARM_UP_MS = Math.min(240_000, (minutes * 60_000) / 4);
/**
 * Resident memory moves by 60 MiB around its median, so the slope of a few minutes is rough. A cache
 * of the files that the writer read showed as 1,023 MiB per hour in 7 minutes.
 */
const LIMIT_MIB_PER_HOUR = Number(process.env.LIMIT ?? 200);
const HEAD = 2_400;
const TOKENS = ['token_20', 'token_721'];

const tally = new Tally();
const folder = mkdtempSync(join(tmpdir(), 'windrow-steady-'));
const service = await served(HEAD, ['--stream-speed', '1']);
try {
  const file = join(folder, 'steady.yaml');
  writeFileSync(file, await pipeline());
  const { samples, cycles, code, stderr } = await followed(file);
  judge(samples, cycles);
  tally.holds('the follower ends in good order', [0, 3].includes(code), stderr);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  service.close();
  rmSync(folder, { recursive: true, force: true });
}
tally.close();

async function pipeline() {
  const path = 'api/v5/mainchain/block/transaction-list?chainShortName=MAINCHAIN';
  const options = `protocolType=transaction&limit=50&page=1&height=${HEAD - 5}`;
  const { data } = await (await fetch(`${service.url}/${path}&${options}`)).json();
  const addresses = new Set((data[0].blockList ?? data[0].transactionList).map(({ from }) => from));
  return `version: 1
name: steady
source:
  url: ${service.url}
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 20
  rate: { startPerSecond: 100, maxPerSecond: 200 }
keys:
  addresses: { list: ${JSON.stringify([...addresses].slice(0, 20))} }
blocks: { from: ${HEAD - 200}, to: head }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [${TOKENS.join(', ')}] }
`;
}

/** Follows the chain for the given time and samples the process. */
async function followed(file) {
  const args = [MAIN, 'follow', file, '--data', join(folder, 'data'), '--json', '--every', '1s'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  let cycles = 0;
  child.stderr.on('data', (part) => {
    stderr = `${stderr}${part}`.slice(-4_000);
  });
  createInterface({ input: child.stdout }).on('line', () => {
    cycles += 1;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const samples = [];
  const beganMs = Date.now();
  while (Date.now() - beganMs < minutes * 60_000 && child.exitCode === null) {
    await delay(SAMPLE_MS);
    const atMs = Date.now() - beganMs;
    if (cycles > 0 && child.exitCode === null) samples.push({ atMs, cycles, ...sampleOf(child) });
  }
  child.kill('SIGTERM');
  return { samples, cycles, code: await ended, stderr };
}

function sampleOf({ pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const files = readdirSync(`/proc/${pid}/fd`).length;
  return { memoryMiB: figure('VmRSS') / 1024, threads: figure('Threads'), files };
}

function judge(samples, cycles) {
  const warm = samples.filter(({ atMs }) => atMs >= WARM_UP_MS);
  const quarter = warm.length >> 2;
  const early = warm.slice(0, quarter);
  const late = warm.slice(-quarter);
  const medians = (name) => [
    median(early.map((sample) => sample[name])),
    median(late.map((sample) => sample[name])),
  ];
  const growth = Math.round(slopePerHour(warm));
  const figures = {
    cycles,
    memoryMiB: medians('memoryMiB').map(Math.round),
    largestMiB: Math.round(Math.max(...samples.map(({ memoryMiB }) => memoryMiB))),
    growthMiBPerHour: growth,
    files: medians('files'),
    threads: medians('threads'),
  };
  say(JSON.stringify(figures));
  if (process.env.CURVE !== undefined) {
    for (const [i, sample] of samples.entries()) if (i % 15 === 0) say(JSON.stringify(sample));
  }
  tally.holds('there are several runs a minute', cycles > minutes * 10, figures);
  tally.holds(`memory grows by less than ${LIMIT_MIB_PER_HOUR} MiB/h`, growth < LIMIT_MIB_PER_HOUR);
  for (const name of ['files', 'threads']) {
    const [before, after] = medians(name);
    tally.holds(`no more open ${name} at the end`, after <= before + 1, figures);
  }
}

/** Slope of the line of least squares through the samples of the resident memory. */
function slopePerHour(samples) {
  const hours = samples.map(({ atMs }) => atMs / 3_600_000);
  const sizes = samples.map(({ memoryMiB }) => memoryMiB);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanHour, meanSize] = [mean(hours), mean(sizes)];
  let shared = 0;
  let spread = 0;
  for (const [i, hour] of hours.entries()) {
    shared += (hour - meanHour) * (sizes[i] - meanSize);
    spread += (hour - meanHour) ** 2;
  }
  return shared / spread;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
