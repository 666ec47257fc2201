import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { lakeSource } from '../../service/src/lake/lake-source.ts';
import { listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { columnsOf } from '../../src/catalogue/entry.ts';
import { datasetNamed, endpointAt } from '../../src/catalogue/index.ts';
import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import { curate } from '../../src/curate/curate.ts';
import {
  addLine,
  commitInfoLine,
  type DataFile,
  metaDataLine,
  protocolLine,
} from '../../src/land/delta/actions.ts';
import { KeyNames } from '../../src/land/delta/claims.ts';
import { ledger, storedLedger } from '../../src/land/delta/ledger.ts';
import { openLake } from '../../src/land/lake.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { identifier, literal } from '../../src/land/storage/sql-text.ts';
import { memoryBytes, systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';

/**
 * What an answer from a served lake costs, beside the same question put straight to DuckDB over the
 * raw files: 20 addresses in one window of 10,001 blocks with 100 rows (of normal and of internal
 * transactions), and 20 transactions by their hashes. The two take turns, so that whatever else the
 * machine does touches both. Prints a Markdown table; `!` marks what misses its gate: 1.5 times
 * DuckDB, and 1.3 times the cost over the smallest lake. Arguments: millions of records (1,5), and
 * rounds (60).
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/lake-source.js
 */
const SIZES = (process.argv[2] ?? '1,5').split(',').map((each) => Number(each) * 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 60);
const WARM_UP_ROUNDS = 5;
const RECORDS_PER_BLOCK = 10;
const ADDRESSES = 20_000;
const FILE_ROWS = 250_000;
const LOAD_SECONDS = 5;
const CONNECTIONS = 8;

interface Table {
  readonly endpoint: string;
  /** The same records as a list of whole blocks: what the lake says that it holds. */
  readonly inBlocks: string;
  readonly share: number;
}

const IN_BLOCKS = 'mainchain/block/transaction-list';
const TABLES: readonly Table[] = [
  {
    endpoint: 'mainchain/address/normal-transaction-list-multi',
    inBlocks: 'protocolType=transaction',
    share: 0.6,
  },
  {
    endpoint: 'mainchain/address/internal-transaction-list-multi',
    inBlocks: 'protocolType=internal',
    share: 0.4,
  },
];
const BY_HASH = 'mainchain/transaction/transaction-multi';

const addressSql = (of: string): string =>
  `'0x' || left(sha256('a' || (hash(${of}) % ${ADDRESSES})), 40)`;
const hashOf = (nth: string): string => `'0x' || sha256('t' || (${nth}))`;

/** What the columns of made-up rows hold; those not named here are NULL. */
const VALUES: Readonly<Record<string, string>> = {
  block_number: `i // ${RECORDS_PER_BLOCK}`,
  block_time: `make_timestamptz(1700000000000000 + (i // ${RECORDS_PER_BLOCK}) * 12000000)`,
  block_hash: `'0x' || sha256('b' || (i // ${RECORDS_PER_BLOCK}))`,
  tx_hash: hashOf('i'),
  from_address: addressSql('i'),
  from_addresses: `[${addressSql('i')}]`,
  to_address: addressSql("i || 't'"),
  to_addresses: `[${addressSql("i || 't'")}]`,
  amount_text: "CAST(hash(i) % 100000 AS VARCHAR) || '.5'",
  amount: '(hash(i) % 100000) + 0.5',
  operation: "'call'",
  symbol: "'NATIVE'",
  tx_status: "'success'",
  nonce: 'i % 1000',
  gas_used: '21000 + i % 90000',
  gas_limit: '200000',
  gas_price: '1000000000 + i % 1000',
  tx_fee_text: "'0.000' || (21000 + i % 90000)",
  tx_type: "'2'",
  from_is_contract: 'false',
  to_is_contract: 'i % 2 = 0',
  _occurrence: '1',
  _fetched_at: "TIMESTAMPTZ '2026-01-01 00:00:00+00'",
};

/** Writes one table, in files sorted by height as the lake has them. */
async function makeTable(connection: DuckDBConnection, root: string, of: Table, records: number) {
  const rows = records * of.share;
  const dataset = datasetNamed(endpointAt(of.endpoint).dataset);
  const folder = layout(root).table(CHAINS[dataset.axis], dataset.name);
  await mkdir(join(folder, '_delta_log'), { recursive: true });
  const columns = tableColumns(dataset.name);
  const lineage = { _endpoint: literal(of.endpoint), _variant: "''" };
  const values = new Map(Object.entries({ ...VALUES, ...lineage }));
  const select = columns.map(
    ({ name, type }) => `CAST(${values.get(name) ?? 'NULL'} AS ${type}) AS ${identifier(name)}`,
  );
  const order = [dataset.heightColumn, ...dataset.sortedBy].map(identifier).join(', ');
  const files: DataFile[] = [];
  for (let first = 0; first < rows; first += FILE_ROWS) {
    const path = `part-${randomUUID()}.parquet`;
    const end = Math.min(rows, first + FILE_ROWS);
    await connection.run(
      `COPY (SELECT ${select.join(', ')} FROM range(${first}, ${end}) AS numbers (i)
             ORDER BY ${order})
       TO ${literal(join(folder, path))} (FORMAT parquet, COMPRESSION zstd)`,
    );
    files.push({
      path,
      sizeBytes: (await stat(join(folder, path))).size,
      rows: end - first,
      heights: {
        from: Math.floor(first / RECORDS_PER_BLOCK),
        to: Math.floor((end - 1) / RECORDS_PER_BLOCK),
      },
      sha256: undefined,
      source: { endpoint: of.endpoint, variant: '' },
    });
  }
  const lines = [
    commitInfoLine(
      'WINDROW COMMIT',
      storedLedger(ledger('bench', { coverage: [wholeBlocks(of, records)] }), new KeyNames()),
      0,
    ),
    protocolLine(),
    metaDataLine(randomUUID(), dataset.name, dataset.summary, columns, 0),
    ...files.map((file) => addLine(file, dataset.heightColumn, 0)),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(folder, '_delta_log', `${'0'.repeat(20)}.json`), text);
  return files.map(({ path }) => join(folder, path));
}

/** Complete up to the head of the lake, where the smaller table has no rows. */
function wholeBlocks({ inBlocks }: Table, records: number): CoverageEntry {
  const most = records * Math.max(...TABLES.map(({ share }) => share));
  const head = Math.floor((most - 1) / RECORDS_PER_BLOCK);
  const said = { status: 'complete', reason: '', head, readAtMs: 0 } as const;
  return { endpoint: IN_BLOCKS, variant: inBlocks, key: '', from: 0, to: head, ...said };
}

interface Question {
  readonly name: string;
  readonly path: string;
  /** Query of the request, and SQL of the same question. */
  readonly query: Readonly<Record<string, string>>;
  readonly sql: string;
}

type Asker = (round: number) => Promise<Question>;

function windowOf(
  name: string,
  { endpoint }: Table,
  files: readonly string[],
  head: number,
  connection: DuckDBConnection,
): Asker {
  const entry = endpointAt(endpoint);
  const fields = entry.fields.map((each) => identifier(columnsOf(each)[0]?.name ?? '')).join(', ');
  return async (round) => {
    const start = (round * 7919) % Math.max(1, head - 10_000);
    const first = start * RECORDS_PER_BLOCK + round;
    const result = await connection.runAndReadAll(
      `SELECT ${addressSql('i')} FROM range(${first}, ${first + 20}) t (i)`,
    );
    const addresses = result.getRows().map(([each]) => String(each));
    const list = addresses.map(literal).join(', ');
    return {
      name,
      path: endpoint,
      query: {
        chainShortName: CHAINS.primary,
        address: addresses.join(','),
        startBlockHeight: String(start),
        endBlockHeight: String(start + 10_000),
        limit: '100',
      },
      sql: `SELECT ${fields}, count(*) OVER () AS total
        FROM read_parquet([${files.map(literal).join(', ')}])
        WHERE block_number BETWEEN ${start} AND ${start + 10_000}
          AND (from_address IN (${list}) OR to_address IN (${list}))
        ORDER BY block_number DESC LIMIT 100`,
    };
  };
}

function byHash(files: readonly string[], rows: number, connection: DuckDBConnection): Asker {
  const entry = endpointAt(BY_HASH);
  const fields = entry.fields.map((each) => identifier(columnsOf(each)[0]?.name ?? '')).join(', ');
  return async (round) => {
    const result = await connection.runAndReadAll(
      `SELECT ${hashOf(`(${round} * 104729 + i * ${rows} // 20) % ${rows}`)} FROM range(20) t (i)`,
    );
    const hashes = result.getRows().map(([each]) => String(each));
    return {
      name: '20 hashes (E15)',
      path: BY_HASH,
      query: { chainShortName: CHAINS.primary, txId: hashes.join(',') },
      sql: `SELECT ${fields} FROM read_parquet([${files.map(literal).join(', ')}])
        WHERE tx_hash IN (${hashes.map(literal).join(', ')})`,
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
  const questions: Question[] = [];
  for (let i = 0; i < 500; i += 1) questions.push(await ask(10_000 + i));
  const targets = questions.map((each) => `${each.path}?${new URLSearchParams(each.query)}`);
  const endMs = performance.now() + LOAD_SECONDS * 1000;
  let asked = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const target = targets[asked % targets.length];
      asked += 1;
      const response = await fetch(`${url}/api/v5/${target}`);
      if (!(await response.text()).startsWith('{"code":"0"')) throw new Error('no answer');
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return asked / LOAD_SECONDS;
}

interface Opened {
  readonly records: number;
  readonly askers: readonly Asker[];
  readonly url: string;
  answer(target: string): Promise<string>;
  close(): Promise<void>;
}

/** Makes a lake of so many records and serves it. */
async function opened(records: number, connection: DuckDBConnection): Promise<Opened> {
  const root = await mkdtemp(join(tmpdir(), 'windrow-bench-'));
  const effects = systemEffects('warn');
  const askers: Asker[] = [];
  for (const [i, table] of TABLES.entries()) {
    const rows = records * table.share;
    const files = await makeTable(connection, root, table, records);
    const name = i === 0 ? '20 addresses (E12)' : '20 addresses (E19)';
    askers.push(windowOf(name, table, files, Math.floor(rows / RECORDS_PER_BLOCK) - 1, connection));
    if (i === 0) askers.push(byHash(files, rows, connection));
  }
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  await curate({ lake, effects, disk: localDisk });
  lake.close();
  const before = performance.now();
  const source = await lakeSource({ root, effects, memoryBytes: memoryBytes() / 4 });
  const seconds = (performance.now() - before) / 1000;
  process.stdout.write(`${records} records, opened in ${seconds.toFixed(1)} s\n`);
  const service = createService({ source, effects });
  const listener = await listen(service, { effects });
  return {
    records,
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
  const question = await ask(round);
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
      String(lake.records),
      cost.toFixed(2),
      median(times.direct).toFixed(2),
      `${ratio.toFixed(2)}${ratio > 1.5 ? ' !' : ''}`,
      `${growth.toFixed(2)}${growth > 1.3 ? ' !' : ''}`,
      (await load(lake.url, ask)).toFixed(0),
    ]);
  }
}

const instance = await DuckDBInstance.create(':memory:', { temp_directory: tmpdir() });
const connection = await instance.connect();
await connection.run("SET TimeZone = 'UTC'");
const lakes: Opened[] = [];
for (const records of SIZES) lakes.push(await opened(records, connection));
process.stdout.write('\n');
print(['question', 'records', 'served ms', 'DuckDB ms', 'ratio', 'growth', 'requests/s']);
print(Array.from({ length: 7 }, () => '---'));
for (const nth of lakes[0]?.askers.keys() ?? []) await compare(lakes, nth);
const { rss } = process.memoryUsage();
process.stdout.write(`\nresident memory ${Math.round(rss / 2 ** 20)} MiB\n`);
for (const lake of lakes) await lake.close();
connection.closeSync();
instance.closeSync();
