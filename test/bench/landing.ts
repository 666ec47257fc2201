import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointAt } from '../../src/catalogue/index.ts';
import { listOf } from '../../src/coverage/list.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import { type Connection, connect } from '../../src/fetch/connect.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import type { HttpResponse, HttpSource, Transport } from '../../src/fetch/http/transport.ts';
import { Committer } from '../../src/land/committer.ts';
import { openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { withScratch } from '../../src/land/storage/scratch.ts';
import { literal } from '../../src/land/storage/sql-text.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { chainSource } from '../../src/service/memory/chain-source.ts';
import { createService } from '../../src/service/server/service.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { PIPELINE } from '../e2e/harness.ts';
import { CHAINS } from '../fixtures/chains.ts';

/**
 * The CPU time of landing: pages recorded from the simulated service, walked, proven, decoded and
 * committed to raw Parquet, beside the bare `read_json` and `COPY` of DuckDB on the same bytes, in
 * turn in one process. Then the same by a static server on the loopback, in a process of its own,
 * as CPU time per request. Prints medians as Markdown tables.
 *
 *     rm -rf node_modules/.bench; npx tsc -p tsconfig.json --noEmit false \
 *       --outDir node_modules/.bench && cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/landing.js [blocks] [addresses] [rounds] [copies]
 */

const [blocks = 10_000, addressCount = 100, rounds = 3, copies = 4] = process.argv
  .slice(2)
  .map(Number);
const HEAD = blocks - 1;
/** Heights per copy: above those of the window, because some requests name the height after it. */
const WINDOW = 12_000;
/** Above the length of every list. */
const RECORD_CAP = 1e9;
/** Slices that are read from the server. */
const SERVED = 40;
const BY_GROUP = 'mainchain/address/normal-transaction-list-multi';
const TRANSFERS = 'mainchain/address/token-transaction-list';

const effects = systemEffects('warn');
const chain = simulatedChain({ seed: 'landing', head: HEAD });
const addresses = [...chain.addresses(addressCount)].sort();
const source = parsePipeline({ text: PIPELINE, file: 'landing.yaml' }).source;
const scratch = await mkdtemp(join(tmpdir(), 'windrow-landing-'));

/** The slices of all copies: copy `i` of the chain begins at block `i * WINDOW`. */
function slicesOf(path: string): Slice[] {
  const list = listOf(endpointAt(path), path === TRANSFERS ? { protocolType: 'token_20' } : {});
  const group = path === TRANSFERS ? 1 : 20;
  const slices: Slice[] = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const interval = { from: copy * WINDOW, to: copy * WINDOW + HEAD };
    for (let at = 0; at < addresses.length; at += group) {
      slices.push({ list, keys: addresses.slice(at, at + group), interval, provisional: false });
    }
  }
  return slices;
}

const BOUND = /(?<=&(?:start|end)BlockHeight=)\d+/g;

/** Which copy of the chain a request reads. */
function copyOf(target: string): number {
  const [, end = '0'] = target.match(BOUND) ?? [];
  return Math.floor(Number(end) / WINDOW);
}

/** The request for the same blocks of the first copy. */
function ofFirst(target: string): string {
  const shift = copyOf(target) * WINDOW;
  return target.replace(BOUND, (height) => String(Math.max(0, Number(height) - shift)));
}

/** The records of the first copy with the heights and hashes of another one. */
function shifted(body: string, copy: number): string {
  const digits = copy.toString(16).padStart(4, '0');
  return body
    .replace(/(?<="height":")\d+/g, (height) => String(Number(height) + copy * WINDOW))
    .replace(/(?<="(?:txId|blockHash)":"0x)..../g, digits);
}

function connected(transport?: HttpSource, url = source.url): Connection {
  const rate = { startPerSecond: 1e6, maxPerSecond: 1e6 };
  const at = { ...source, url, rate, concurrency: 16, recordCap: RECORD_CAP };
  return connect(at, undefined, undefined, effects, { transport });
}

/** A transport without a network. */
function answering(answer: (target: string) => Promise<HttpResponse>): HttpSource {
  const send: Transport = ({ target }) => answer(target);
  return { send, basePath: '', close: () => Promise.resolve() };
}

/**
 * Walks all slices, one after the other so that every run sends the same requests, and commits their
 * parts. Returns the number of rows.
 */
async function land(
  slices: readonly Slice[],
  { caller, listing, facts }: Connection,
  pageSize = 100,
): Promise<number> {
  const root = await mkdtemp(join(scratch, 'lake-'));
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  const limits = { rows: 50_000, slices: 500, seconds: 600 };
  const committer = new Committer({ lake, limits, effects, run: 'bench' });
  const common = { chain: source.chain, recordCap: RECORD_CAP, proof: 'standard' } as const;
  const largest = slices[0]?.list.entry.limits.pageSize?.max ?? pageSize;
  const settings = { ...common, pageSize: Math.min(largest, pageSize), listing, facts };
  for (const slice of slices) {
    for await (const part of fetchSlice(caller, slice, settings)) {
      if (part.status !== 'complete') throw new Error(`${part.status}: ${part.reason}`);
      await committer.add({ ...part, head: copies * WINDOW, generation: 0 });
    }
  }
  await committer.flush();
  lake.close();
  await rm(root, { recursive: true });
  return committer.counts().rowsFetched;
}

type Pages = ReadonlyMap<string, HttpResponse>;

/** The answers of the service to the requests of one run. */
async function recorded(slices: readonly Slice[], pageSize = 100): Promise<Pages> {
  const service = createService({ source: chainSource(chain), effects, settings: {} });
  const pages = new Map<string, HttpResponse>();
  const answers = new Map<string, HttpResponse>();
  const record = answering(async (target) => {
    const first = ofFirst(target);
    const request = { method: 'GET', target: first, headers: { host: 'x' }, body: '' };
    const answer = answers.get(first) ?? (await service.answer(request));
    answers.set(first, answer);
    const { status, headers, body } = answer;
    const page = { status, headers, body: shifted(body, copyOf(target)) };
    pages.set(target, page);
    return page;
  });
  await land(slices, connected(record), pageSize);
  return pages;
}

/** CPU seconds of the whole process while the work runs. */
async function cpuOf<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, result };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const print = (cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

/** The bare copy of the records in the pages, with the types that DuckDB detects. */
async function bareCopy(file: string): Promise<number> {
  return withScratch(async (connection) => {
    const result = await connection.runAndReadAll(
      `COPY (SELECT unnest(page.transactionList, recursive := true)
             FROM (SELECT unnest(data) AS page
                   FROM read_json(${literal(file)}, format = 'newline_delimited')))
       TO ${literal(join(scratch, 'bare.parquet'))} (FORMAT parquet, COMPRESSION zstd)`,
    );
    return Number(result.getRows()[0]?.[0]);
  });
}

async function compareLanding(path: string): Promise<void> {
  const slices = slicesOf(path);
  const pages = await recorded(slices);
  const file = join(scratch, 'pages.ndjson');
  const text = [...pages.values()].map(({ body }) => body).join('\n');
  await writeFile(file, text);
  const replay = answering((target) => {
    const response = pages.get(target);
    if (response === undefined) throw new Error(`no recorded answer for ${target}`);
    return Promise.resolve(response);
  });
  const speeds: { readonly ours: number; readonly bare: number }[] = [];
  let rows = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ours = await cpuOf(() => land(slices, connected(replay)));
    const bare = await cpuOf(() => bareCopy(file));
    rows = ours.result;
    speeds.push({ ours: rows / ours.seconds, bare: bare.result / bare.seconds });
  }
  const ours = median(speeds.map((speed) => speed.ours));
  const bare = median(speeds.map((speed) => speed.bare));
  print([
    path,
    rows,
    pages.size,
    (text.length / 2 ** 20).toFixed(0),
    Math.round(ours),
    Math.round(bare),
    (ours / bare).toFixed(3),
    Math.round(process.resourceUsage().maxRSS / 1024),
  ]);
}

/** Answers the targets of a JSON file, the argument, and sends its port to its parent. */
const SERVER = `
  const pages = JSON.parse(require('node:fs').readFileSync(process.argv[1], 'utf8'));
  const server = require('node:http').createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(pages[request.url]);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

/** CPU milliseconds per request, from the socket to the raw table. */
async function requestMs(pageSize: number): Promise<number> {
  const slices = slicesOf(BY_GROUP).slice(0, SERVED);
  const pages = await recorded(slices, pageSize);
  const file = join(scratch, 'pages.json');
  const bodies = [...pages].map(([target, { body }]) => [target, body]);
  await writeFile(file, JSON.stringify(Object.fromEntries(bodies)));
  const server = fork('', [], { execArgv: ['-e', SERVER, file] });
  const [port] = await once(server, 'message');
  const costs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const connection = connected(undefined, `http://127.0.0.1:${port}`);
    const { seconds } = await cpuOf(() => land(slices, connection, pageSize));
    costs.push((seconds * 1000) / connection.statistics().requests);
    await connection.close();
  }
  server.kill();
  return median(costs);
}

try {
  print(['list', 'rows', 'pages', 'MB', 'rows per CPU s', 'DuckDB', 'ratio', 'peak MB']);
  print(Array.from({ length: 8 }, () => '---'));
  for (const path of [BY_GROUP, TRANSFERS]) await compareLanding(path);
  process.stdout.write('\n');
  print(['records per page', 'CPU ms per request']);
  print(['---', '---']);
  for (const pageSize of [10, 100]) print([pageSize, (await requestMs(pageSize)).toFixed(2)]);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
