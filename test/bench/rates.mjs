import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * How much of a limit that a service does not tell a run uses: small pages behind a latency of
 * 80 ms, without a rate in the pipeline, from the 20th second on.
 *
 *     node test/bench/rates.mjs FOLDER SECONDS LIMIT...
 */

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const LATENCY_MS = 80;
const FIRST_SECOND = 20;
const HEAD = 1_500_000;
const ADDRESSES = 2000;
const [folder = '', seconds = '50', ...limits] = process.argv.slice(2);

const hex = (mark, number, digits) => `0x${mark}${number.toString(16).padStart(digits - 1, '0')}`;
const addressOf = (i) => hex('a', (i * 2_654_435_761) % 2 ** 32, 40);
const numbers = new Map(Array.from({ length: ADDRESSES }, (_, i) => [addressOf(i), i]));
const TIMES = { start: 1_704_067_200_000, block: 12_000 };

function transaction(i, height) {
  return {
    ...{ txId: hex('c', i * HEAD + height, 64), blockHash: hex('b', height, 64) },
    ...{ height: String(height), transactionTime: String(TIMES.start + height * TIMES.block) },
    ...{ from: addressOf(i), to: hex('d', height % 977, 40), amount: '1.5', symbol: 'N' },
    ...{ isFromContract: false, isToContract: false, methodId: '', nonce: String(height) },
    ...{ gasUsed: '21000', gasLimit: '21000', gasPrice: '1', txFee: '0.001', transactionType: '2' },
  };
}

/** Two addresses in three have a record about every 9,000 blocks, the third has three of them. */
function heightsOf(i, from, to) {
  const step = i % 3 === 0 ? 3000 : 9000;
  const first = (i * 7) % step;
  const heights = [];
  for (let at = first + Math.max(0, Math.ceil((from - first) / step)) * step; at <= to; at += step)
    heights.push(at);
  return heights;
}

function replyTo(url) {
  const { pathname, searchParams: query } = new URL(url, 'http://service');
  const [limit, page] = ['limit', 'page'].map((name) => Number(query.get(name) ?? 1));
  const numbered = { page: String(page), limit: String(limit) };
  const block = (height) => {
    const blockTime = String(TIMES.start + height * TIMES.block);
    return { hash: hex('b', height, 64), height: String(height), blockTime, txnCount: '3' };
  };
  if (pathname.endsWith('block-fills')) return [block(Number(query.get('height')))];
  if (pathname.endsWith('block-list')) {
    const blockList = Array.from({ length: limit }, (_, i) => block(HEAD - 1 - i));
    const chain = { chainFullName: 'S', chainShortName: 'MAINCHAIN' };
    return [{ ...numbered, ...chain, totalPage: String(Math.ceil(HEAD / limit)), blockList }];
  }
  const [from, to] = ['startBlockHeight', 'endBlockHeight'].map((name) => Number(query.get(name)));
  const keys = (query.get('address') ?? '').split(',').flatMap((key) => numbers.get(key) ?? []);
  const records = keys
    .flatMap((i) => heightsOf(i, from, to).map((height) => [i, height]))
    .sort(([, a], [, b]) => b - a);
  const transactionList = records
    .slice((page - 1) * limit, page * limit)
    .map(([i, height]) => transaction(i, height));
  return [{ ...numbered, totalPage: String(Math.ceil(records.length / limit)), transactionList }];
}

/** A service that grants `limit` requests a second, with a reserve of one second. */
async function service(limit) {
  const granted = [];
  let refused = 0;
  let reserve = limit;
  let last = performance.now();
  const server = createServer((request, response) => {
    const now = performance.now();
    reserve = Math.min(limit, reserve + ((now - last) * limit) / 1000);
    last = now;
    const isGranted = reserve >= 1;
    if (isGranted) {
      reserve -= 1;
      granted.push(now);
    } else refused += 1;
    const answer = isGranted
      ? { code: '0', msg: '', data: replyTo(request.url) }
      : { code: '50011', msg: 'Too Many Requests', data: [] };
    setTimeout(() => {
      response.writeHead(isGranted ? 200 : 429, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    }, LATENCY_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, granted, refusals: () => refused };
}

const PIPELINE = (port) => `version: 1
name: rates
source: { url: "http://127.0.0.1:${port}", chain: MAINCHAIN, credentials: none }
keys: { addresses: { file: addresses.csv } }
blocks: { from: 0, to: ${HEAD - 1} }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
`;

async function measure(limit) {
  const { server, granted, refusals } = await service(limit);
  const pipeline = join(folder, 'rates.yaml');
  await writeFile(join(folder, 'addresses.csv'), ['address', ...numbers.keys(), ''].join('\n'));
  await writeFile(pipeline, PIPELINE(server.address().port));
  const data = join(folder, `data-${limit}`);
  const run = spawn(process.execPath, [MAIN, 'run', pipeline, '--data', data], { stdio: 'ignore' });
  const stop = setTimeout(() => run.kill('SIGINT'), Number(seconds) * 1000);
  await once(run, 'exit');
  clearTimeout(stop);
  server.close();
  server.closeAllConnections();
  await rm(data, { recursive: true, force: true });
  const [first = 0] = granted;
  const [from, to] = [first + FIRST_SECOND * 1000, first + (Number(seconds) - 2) * 1000];
  const used = granted.filter((at) => at >= from && at < to).length / ((to - from) / 1000) / limit;
  return { limit, used, granted: granted.length, refused: refusals() };
}

await mkdir(folder, { recursive: true });
process.stdout.write(
  '| limit per second | share used | granted | refused |\n| --- | --- | --- | --- |\n',
);
for (const limit of limits.map(Number)) {
  const { used, granted, refused } = await measure(limit);
  process.stdout.write(`| ${limit} | ${used.toFixed(3)} | ${granted} | ${refused} |\n`);
}
