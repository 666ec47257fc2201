import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { endpointAt } from '../../src/catalogue/index.ts';
import { listOf } from '../../src/coverage/list.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { FetchedPart } from '../../src/coverage/slice-part.ts';
import { type Connection, connect } from '../../src/fetch/connect.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { Secret } from '../../src/fetch/http/signature.ts';
import { Committer } from '../../src/land/committer.ts';
import { openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { systemEffects } from '../../src/system.ts';
import { PIPELINE } from '../e2e/harness.ts';
import { CHAINS } from '../fixtures/chains.ts';

/**
 * The CPU time per request of the client: walks of pages from a static server on the loopback, in a
 * process of its own, with 16 requests in flight and signatures; first without landing, then with
 * it, to the commit of the raw table. Prints medians as a Markdown table.
 *
 *     rm -rf node_modules/.bench; npx tsc -p tsconfig.json --noEmit false \
 *       --outDir node_modules/.bench && cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/client.js [blocks] [addresses] [rounds]
 */

const [blocks = 10_000, addressCount = 100, rounds = 3] = process.argv.slice(2).map(Number);
const CONCURRENCY = 16;
const WINDOW = 500;
const RECORD_CAP = 1e9;
const SECRET = new Secret('a secret of the bench');
const CREDENTIALS = { accessKey: SECRET, secretKey: SECRET, passphrase: SECRET };

const effects = systemEffects('warn');
const chain = simulatedChain({ seed: 'landing', head: blocks - 1 });
const addresses = [...chain.addresses(addressCount)].sort();
const source = parsePipeline({ text: PIPELINE, file: 'client.yaml' }).source;
const scratch = await mkdtemp(join(tmpdir(), 'windrow-client-'));
const list = listOf(endpointAt('mainchain/address/normal-transaction-list-multi'));

function* slicesOf(): Generator<Slice> {
  for (let at = 0; at < addresses.length; at += 20) {
    const keys = addresses.slice(at, at + 20);
    for (let from = 0; from < blocks; from += WINDOW) {
      const interval = { from, to: Math.min(blocks, from + WINDOW) - 1 };
      yield { list, keys, interval, provisional: false };
    }
  }
}

function connected(url: string): Connection {
  const rate = { startPerSecond: 1e6, maxPerSecond: 1e6 };
  const at = { ...source, url, rate, concurrency: CONCURRENCY, recordCap: RECORD_CAP };
  return connect(at, CREDENTIALS, undefined, effects);
}

/** Walks all slices and hands over their parts. */
async function walk(
  { caller, facts }: Connection,
  pageSize: number,
  take: (part: FetchedPart) => Promise<void>,
): Promise<void> {
  const common = { chain: source.chain, recordCap: RECORD_CAP, proof: 'standard' } as const;
  const settings = { ...common, pageSize, facts };
  const slices = slicesOf();
  const work = async (): Promise<void> => {
    for (const slice of slices) {
      for await (const part of fetchSlice(caller, slice, settings)) {
        if (part.status !== 'complete') throw new Error(`${part.status}: ${part.reason}`);
        await take(part);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function land(connection: Connection, pageSize: number): Promise<void> {
  const root = await mkdtemp(join(scratch, 'lake-'));
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  const limits = { rows: 50_000, slices: 500, seconds: 600 };
  const committer = new Committer({ lake, limits, effects, run: 'bench' });
  await walk(connection, pageSize, (part) => {
    return committer.add({ ...part, head: blocks - 1, generation: 0 });
  });
  await committer.flush();
  lake.close();
  await rm(root, { recursive: true });
}

/** Answers from memory; a target that is asked for the first time goes to the parent. */
const SERVER = `
  const pages = new Map();
  const waiting = new Map();
  const server = require('node:http').createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const page = pages.get(request.url);
    if (page !== undefined) return response.end(page);
    waiting.set(request.url, [...(waiting.get(request.url) ?? []), response]);
    process.send(request.url);
  });
  process.on('message', ({ target, body }) => {
    pages.set(target, body);
    for (const response of waiting.get(target)) response.end(body);
    waiting.delete(target);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

/** Starts the server; this process computes the pages of the first round. */
async function served(): Promise<{ url: string; stop: () => void }> {
  const service = createService({ source: chainSource(chain), effects, settings: {} });
  const server = fork('', [], { execArgv: ['-e', SERVER] });
  const [port] = await once(server, 'message');
  server.on('message', async (target) => {
    const request = { method: 'GET', target: String(target), headers: { host: 'x' }, body: '' };
    const { body } = await service.answer(request);
    server.send({ target, body });
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => server.kill() };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** CPU milliseconds of the whole process per request, and the number of requests. */
async function priceOf(url: string, run: (connection: Connection) => Promise<void>) {
  const costs: number[] = [];
  let requests = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const connection = connected(url);
    const before = process.cpuUsage();
    await run(connection);
    const { user, system } = process.cpuUsage(before);
    requests = connection.statistics().requests;
    // The first round fills the server and compiles the code.
    if (round > 0) costs.push((user + system) / 1000 / requests);
    await connection.close();
  }
  return { ms: median(costs), requests };
}

try {
  const print = (cells: readonly (string | number)[]): void => {
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  };
  print(['records per page', 'requests', 'CPU ms per request', 'with landing']);
  print(['---', '---', '---', '---']);
  for (const pageSize of [10, 100]) {
    const { url, stop } = await served();
    const bare = await priceOf(url, (to) => walk(to, pageSize, () => Promise.resolve()));
    const landed = await priceOf(url, (to) => land(to, pageSize));
    print([pageSize, bare.requests, bare.ms.toFixed(2), landed.ms.toFixed(2)]);
    stop();
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
