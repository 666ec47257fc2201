import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { lakeSource } from '../../service/src/lake/lake-source.ts';
import { listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { columnsOf } from '../../src/catalogue/entry.ts';
import { endpointAt } from '../../src/catalogue/index.ts';
import { curate } from '../../src/curate/curate.ts';
import { openLake } from '../../src/land/lake.ts';
import { openConnection } from '../../src/land/storage/connection.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { identifier, literal } from '../../src/land/storage/sql-text.ts';
import { memoryBytes, systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { type MadeUpLake, makeUpLake } from './made-up-lake.ts';

/**
 * What an answer from a served lake costs, beside the same question put straight to DuckDB over the
 * raw files of the list: 20 addresses in one window of 10,001 blocks with 100 rows (of normal and of
 * internal transactions), and 20 transactions by their hashes. The two take turns, so that whatever
 * else the machine does touches both. Prints a Markdown table; `!` marks what misses its gate: 1.5
 * times DuckDB, and 1.3 times the cost over the smallest lake. Arguments: millions of transactions
 * of the made-up lakes (1,5), and rounds (60).
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/lake-source.js
 */
const MILLIONS = (process.argv[2] ?? '1,5').split(',').map(Number);
const ROUNDS = Number(process.argv[3] ?? 60);
const WARM_UP_ROUNDS = 5;
/** Transactions of a made-up lake of scale 1. */
const MILLIONS_OF_SCALE = 5;
const LOAD_SECONDS = 5;
const CONNECTIONS = 8;

const KEYS = 20;
const TRANSACTIONS = 'mainchain/address/normal-transaction-list-multi';
const INTERNAL = 'mainchain/address/internal-transaction-list-multi';
const BY_HASH = 'mainchain/transaction/transaction-multi';

interface Question {
  readonly name: string;
  readonly path: string;
  /** Query of the request, and SQL of the same question. */
  readonly query: Readonly<Record<string, string>>;
  readonly sql: string;
}

type Asker = (round: number) => Question;

/** SQL for the fields of an answer. */
function fieldsOf(path: string): string {
  const { fields } = endpointAt(path);
  return fields.map((field) => identifier(columnsOf(field)[0]?.name ?? '')).join(', ');
}

/** SQL for the raw files of a list. */
function rawRows({ root }: MadeUpLake, path: string): string {
  const files = join(layout(root).table(CHAINS.primary, endpointAt(path).dataset), '*.parquet');
  return `read_parquet(${literal(files)}) WHERE _endpoint = ${literal(path)}`;
}

function windowOf(name: string, path: string, lake: MadeUpLake): Asker {
  const { heights } = lake.sizes;
  // The first ones name a tenth of all records each.
  const followed = lake.followed.slice(lake.followed.length / 2);
  return (round) => {
    const start = heights.from + ((round * 7919) % Math.max(1, heights.to - heights.from - 10_000));
    const first = (round * KEYS) % followed.length;
    const addresses = followed.slice(first, first + KEYS);
    const list = addresses.map(literal).join(', ');
    return {
      name,
      path,
      query: {
        chainShortName: CHAINS.primary,
        address: addresses.join(','),
        startBlockHeight: String(start),
        endBlockHeight: String(start + 10_000),
        limit: '100',
      },
      sql: `SELECT ${fieldsOf(path)}, count(*) OVER () AS total FROM ${rawRows(lake, path)}
          AND block_number BETWEEN ${start} AND ${start + 10_000}
          AND (from_address IN (${list}) OR to_address IN (${list}))
        ORDER BY block_number DESC LIMIT 100`,
    };
  };
}

/** Transactions that were looked up, among all of the addresses. */
async function byHash(lake: MadeUpLake): Promise<Asker> {
  const result = await connection.runAndReadAll(
    `SELECT tx_hash FROM ${rawRows(lake, BY_HASH)} ORDER BY hash(tx_hash) LIMIT 10000`,
  );
  const all = result.getRows().map(([hash]) => String(hash));
  return (round) => {
    const first = (round * KEYS) % (all.length - KEYS);
    const hashes = all.slice(first, first + KEYS);
    return {
      name: '20 hashes (E15)',
      path: BY_HASH,
      query: { chainShortName: CHAINS.primary, txId: hashes.join(',') },
      sql: `SELECT ${fieldsOf(BY_HASH)} FROM ${rawRows(lake, TRANSACTIONS)}
        AND tx_hash IN (${hashes.map(literal).join(', ')})`,
    };
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const print = (cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Answers a second over a port, with so many connections. */
async function load(url: string, ask: Asker): Promise<number> {
  const questions = Array.from({ length: 500 }, (_, i) => ask(10_000 + i));
  const targets = questions.map((entry) => `${entry.path}?${new URLSearchParams(entry.query)}`);
  const endMs = performance.now() + LOAD_SECONDS * 1000;
  let requests = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const target = targets[requests % targets.length];
      requests += 1;
      const response = await fetch(`${url}/api/v5/${target}`);
      if (!(await response.text()).startsWith('{"code":"0"')) throw new Error('no answer');
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return requests / LOAD_SECONDS;
}

interface Opened {
  readonly millions: number;
  readonly askers: readonly Asker[];
  readonly url: string;
  answer(target: string): Promise<string>;
  close(): Promise<void>;
}

/** Makes a lake of so many transactions and serves it. */
async function opened(millions: number): Promise<Opened> {
  const root = await mkdtemp(join(tmpdir(), 'windrow-bench-'));
  const effects = systemEffects('warn');
  const made = await makeUpLake(root, millions / MILLIONS_OF_SCALE);
  const askers = [
    windowOf('20 addresses (E12)', TRANSACTIONS, made),
    await byHash(made),
    windowOf('20 addresses (E19)', INTERNAL, made),
  ];
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  await curate({ lake, effects, disk: localDisk });
  lake.close();
  const before = performance.now();
  const source = await lakeSource({ root, effects, memoryBytes: memoryBytes() / 4 });
  const seconds = (performance.now() - before) / 1000;
  process.stdout.write(`${millions} million transactions, opened in ${seconds.toFixed(1)} s\n`);
  const service = createService({ source, effects });
  const listener = await listen(service, { effects });
  return {
    millions,
    askers,
    url: listener.url,
    answer: async (target) =>
      (await service.answer({ method: 'GET', target, headers: {}, body: '' })).body,
    close: async () => {
      await listener.close();
      await source.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

interface Times {
  name: string;
  readonly served: number[];
  readonly direct: number[];
}

async function askedOnce(lake: Opened, ask: Asker, round: number, times: Times): Promise<void> {
  const question = ask(round);
  const target = `/api/v5/${question.path}?${new URLSearchParams(question.query)}`;
  const served = await timed(async () => {
    const body = await lake.answer(target);
    if (!body.includes('"txId"')) throw new Error(`nothing was found: ${body.slice(0, 200)}`);
  });
  const direct = await timed(async () =>
    (await connection.runAndReadAll(question.sql)).getRowObjectsJson(),
  );
  times.name = question.name;
  if (round < WARM_UP_ROUNDS) return;
  times.served.push(served);
  times.direct.push(direct);
}

/** All lakes are asked in turn, so that they have the same machine. */
async function compare(lakes: readonly Opened[], nth: number): Promise<void> {
  const all = lakes.map((): Times => ({ name: '', served: [], direct: [] }));
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
    for (const [i, lake] of lakes.entries()) {
      const [ask, times] = [lake.askers[nth], all[i]];
      if (ask !== undefined && times !== undefined) await askedOnce(lake, ask, round, times);
    }
  }
  const least = median(all[0]?.served ?? []);
  for (const [i, lake] of lakes.entries()) {
    const [ask, times] = [lake.askers[nth], all[i]];
    if (ask === undefined || times === undefined) continue;
    const cost = median(times.served);
    const ratio = cost / median(times.direct);
    const growth = cost / least;
    print([
      times.name,
      String(lake.millions),
      cost.toFixed(2),
      median(times.direct).toFixed(2),
      `${ratio.toFixed(2)}${ratio > 1.5 ? ' !' : ''}`,
      `${growth.toFixed(2)}${growth > 1.3 ? ' !' : ''}`,
      (await load(lake.url, ask)).toFixed(0),
    ]);
  }
}

const instance = await DuckDBInstance.create(':memory:', { temp_directory: tmpdir() });
const connection: DuckDBConnection = await openConnection(instance);
const lakes: Opened[] = [];
for (const millions of MILLIONS) lakes.push(await opened(millions));
process.stdout.write('\n');
print(['question', 'millions', 'served ms', 'DuckDB ms', 'ratio', 'growth', 'requests/s']);
print(Array.from({ length: 7 }, () => '---'));
for (const nth of lakes[0]?.askers.keys() ?? []) await compare(lakes, nth);
const { rss } = process.memoryUsage();
process.stdout.write(`\nresident memory ${Math.round(rss / 2 ** 20)} MiB\n`);
for (const lake of lakes) await lake.close();
connection.closeSync();
instance.closeSync();
