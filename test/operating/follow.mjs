import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Goal: `windrow follow` keeps up with a chain of one block per second: the lag of safe rows behind
 * the safe height, the requests beyond the least possible, and equal rows after kills.
 *
 *     node test/operating/follow.mjs [minutes] [addresses] [seconds between kills, 0 for none]
 */

const [minutes = 1, addresses = 20, killSeconds = 0] = process.argv.slice(2).map(Number);
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const FINALITY = 20;
const FROM = 2_000;
const HEAD = 2_400;
const EVERY = process.env.EVERY ?? '5s';
const TOKENS = ['token_20', 'token_721', 'token_1155', 'token_10'];
/** The groups of addresses: one request lists up to 20. */
const GROUPS = Math.ceil(addresses / 20);

const folder = mkdtempSync(join(tmpdir(), 'windrow-follow-'));
const children = [];

function windrow(args, more = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    ...more,
  });
  children.push(child);
  return child;
}

const rows = (sql, data) => {
  const args = [MAIN, 'query', sql, '--data', data, '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};

async function started(child) {
  const [line] = await new Promise((resolve) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve([text]));
  });
  return JSON.parse(line).url;
}

const service = windrow(
  `serve --chain follow --head ${HEAD} --stream-speed 1 --no-auth --port 0 --json --log log.jsonl`.split(
    ' ',
  ),
);
const url = await started(service);

async function headOf() {
  const answer = await fetch(
    `${url}/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=1&page=1`,
  );
  const { data } = await answer.json();
  return Number(data[0].blockList[0].height);
}

/** The most active addresses of the newest blocks. */
async function busy(count) {
  const found = new Map();
  const head = await headOf();
  for (let height = head - 30; height <= head && found.size < 4 * count; height += 1) {
    const target = `${url}/api/v5/mainchain/block/transaction-list?chainShortName=MAINCHAIN&height=${height}&protocolType=transaction&limit=50&page=1`;
    const { data } = await (await fetch(target)).json();
    for (const { from, to } of data[0].blockList ?? data[0].transactionList ?? []) {
      for (const each of [from, to]) if (each) found.set(each, (found.get(each) ?? 0) + 1);
    }
  }
  return [...found]
    .sort((a, b) => b[1] - a[1])
    .map(([address]) => address)
    .slice(0, count);
}

const followed = await busy(addresses);
const pipeline = (name, to) => `version: 1
name: ${name}
source:
  url: ${url}
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: ${FINALITY}
  rate: { startPerSecond: 100, maxPerSecond: 200 }
keys:
  addresses: { list: [${followed.map((each) => `"${each}"`).join(', ')}] }
blocks: { from: ${FROM}, to: ${to} }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [${TOKENS.join(', ')}] }
`;
writeFileSync(join(folder, 'follow.yaml'), pipeline('follow', 'head'));

const cycles = [];
let landed = 0;
let stderr = '';
function start() {
  const child = windrow(['follow', 'follow.yaml', '--data', 'data', '--json', '--every', EVERY]);
  child.stderr.on('data', (part) => {
    stderr = `${stderr}${part}`.slice(-4_000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { safe, tookMs, slices, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(line);
    landed = safe.primary;
    cycles.push({ landed, tookMs, slices });
  });
  return child;
}

let follower = start();
while (cycles.length < 2) {
  await delay(200);
  if (follower.exitCode !== null) throw new Error(stderr);
}
const beganMs = Date.now();
const logged = () => readFileSync(join(folder, 'log.jsonl'), 'utf8').split('\n').length;
const before = { requests: logged(), cycles: cycles.length, head: await headOf(), landed };
const lags = [];
const memory = [];
let polls = 0;
let killedMs = Date.now();
let kills = 0;
while (Date.now() - beganMs < minutes * 60_000) {
  const head = await headOf();
  polls += 1;
  // A block below the safe height counts from the second in which it became final.
  lags.push(head - FINALITY - landed);
  try {
    const status = readFileSync(`/proc/${follower.pid}/status`, 'utf8');
    memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {}
  if (killSeconds > 0 && Date.now() - killedMs > killSeconds * 1000) {
    follower.kill('SIGKILL');
    kills += 1;
    killedMs = Date.now();
    follower = start();
  }
  await delay(500);
}
const after = { requests: logged(), cycles: cycles.length, head: await headOf(), landed };
const paths = new Map();
for (const line of readFileSync(join(folder, 'log.jsonl'), 'utf8')
  .split('\n')
  .slice(before.requests - 1, after.requests - 1)) {
  if (line === '') continue;
  const { target = '', path = target } = JSON.parse(line);
  const name = String(path).split('?')[0].split('/').slice(-2).join('/');
  paths.set(name, (paths.get(name) ?? 0) + 1);
}
const ended = new Promise((resolve) => follower.once('exit', resolve));
follower.kill('SIGINT');
const code = await ended;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const blocks = after.head - before.head;
const runs = after.cycles - before.cycles;
const requests = after.requests - before.requests - polls;
// A run reads the final blocks and the blocks above them, each list with one request per slice.
const least = cycles.slice(before.cycles).reduce((sum, { slices }) => sum + slices, 0);
const beyond = (requests - least) / blocks / GROUPS;
const report = {
  minutes,
  addresses,
  blocks,
  runs,
  kills,
  exitCode: code,
  medianLagSeconds: median(lags),
  largestLagSeconds: Math.max(...lags),
  medianRunSeconds: median(cycles.slice(before.cycles).map(({ tookMs }) => tookMs / 1000)),
  requests,
  least,
  beyondPerBlockAndGroup: Number(beyond.toFixed(2)),
  memoryMiB: { first: median(memory.slice(0, 20)), last: median(memory.slice(-20)) },
  paths: Object.fromEntries(paths),
};

// The same blocks, exported at once into another data root.
const cut = landed;
writeFileSync(join(folder, 'once.yaml'), pipeline('once', cut - 1));
const once = spawnSync(process.execPath, [MAIN, 'run', 'once.yaml', '--data', 'once'], {
  cwd: folder,
  encoding: 'utf8',
});
const digests = {};
for (const table of ['transactions', 'internal_transactions', 'token_transfers']) {
  const sql = `SELECT count(*) AS rows, md5(string_agg(text, '' ORDER BY text)) AS digest FROM (
    SELECT row_to_json(t)::VARCHAR AS text FROM (
      SELECT * EXCLUDE (_slice, _run, _fetched_at) FROM lake.${table} WHERE block_number < ${cut}
    ) t)`;
  const [kept, again] = [rows(sql, 'data')[0], rows(sql, 'once')[0]];
  digests[table] = {
    rows: kept.rows,
    isEqual: kept.digest === again.digest && kept.rows === again.rows,
  };
}
process.stdout.write(
  `${JSON.stringify({ ...report, once: once.status, digests }, undefined, 2)}\n`,
);
service.kill('SIGTERM');
if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true });
else process.stdout.write(`${folder}\n`);
const isGood = [
  report.medianLagSeconds <= 5,
  report.beyondPerBlockAndGroup <= 1.5 || kills > 0,
  Object.values(digests).every(({ isEqual }) => isEqual),
  [0, 3].includes(code),
];
const good = isGood.filter(Boolean).length;
process.stdout.write(`${`${good} passed, ${isGood.length - good} failed`}\n`);
process.exitCode = good === isGood.length ? 0 : 1;
