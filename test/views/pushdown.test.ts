import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { CURATED_TABLES } from '../../src/curate/curated-tables.ts';
import { Committer } from '../../src/land/committer.ts';
import { keepNames, NAME_SHAPES } from '../../src/land/names.ts';
import { withWarehouse } from '../../src/load/query/open-warehouse.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import { listed } from '../fixtures/listed.ts';
import { listNamed } from '../fixtures/lists.ts';
import {
  block,
  crossing,
  INTERNALS,
  inBlock,
  internal,
  LIST,
  NORMAL,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../fixtures/load-lake.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { lengthened } from '../fixtures/short-addresses.ts';

/**
 * Goal: a question about one block, time, hash, address or token reads only the row groups that may
 * have it. For every view with such a column, the plan of `SELECT * FROM view WHERE column = value`
 * compares the column at each Parquet scan.
 */

/** The columns, each with a value between the least and the greatest one of every file. */
const VALUES: Readonly<Record<string, string>> = {
  address: "'0xa2'",
  block_date: "DATE '2024-01-02'",
  block_number: '20',
  block_time: "TIMESTAMPTZ '2024-01-02 00:00:00Z'",
  day: "DATE '2024-01-02'",
  from_address: "'0xa2'",
  main_block_number: '20',
  main_tx_hash: "'0x02'",
  to_address: "'0xa2'",
  token_address: "'0x72'",
  tx_hash: "'0x02'",
  zone_block_number: '20',
  zone_tx_hash: "'0x02'",
  // Names of other sites.
  blockNumber: '20',
  block_timestamp: "TIMESTAMPTZ '2024-01-02 00:00:00Z'",
  contractAddress: "'0x72'",
  contract_address: "'0x72'",
  date: "DATE '2024-01-02'",
  evt_block_date: "DATE '2024-01-02'",
  evt_block_number: '20',
  evt_block_time: "TIMESTAMPTZ '2024-01-02 00:00:00Z'",
  evt_tx_hash: "'0x02'",
  from: "'0xa2'",
  hash: "'0x02'",
  number: '20',
  time: "TIMESTAMPTZ '2024-01-02 00:00:00Z'",
  timestamp: "TIMESTAMPTZ '2024-01-02 00:00:00Z'",
  to: "'0xa2'",
  transaction_hash: "'0x02'",
};

/** Other values of columns by view: the names of sites call transactions and blocks a hash. */
const VALUES_IN_VIEWS: Readonly<Record<string, string>> = {
  'bigquery.blocks.hash': "'0xb2'",
  'crypto_ethereum.blocks.hash': "'0xb2'",
  'dune.blocks.hash': "'0xb2'",
  'ethereum.blocks.hash': "'0xb2'",
};

/** Columns that have other names in the files, by column or by view and column. */
const NAMES_IN_FILES: Readonly<Record<string, readonly string[]>> = {
  blockNumber: ['block_number'],
  block_timestamp: ['block_time'],
  contractAddress: ['token_address'],
  contract_address: ['token_address'],
  date: ['block_date'],
  day: ['block_date'],
  evt_block_date: ['block_date'],
  evt_block_number: ['block_number'],
  evt_block_time: ['block_time'],
  evt_tx_hash: ['tx_hash'],
  from: ['from_address'],
  hash: ['tx_hash', 'block_hash'],
  number: ['block_number'],
  time: ['block_time'],
  timestamp: ['block_time'],
  to: ['to_address'],
  transaction_hash: ['tx_hash'],
  'bigquery.contracts.address': ['to_address', 'from_address', 'token_address'],
  'contracts_seen.address': ['to_address', 'from_address', 'token_address'],
  'crypto_ethereum.contracts.address': ['to_address', 'from_address', 'token_address'],
};

interface Exception {
  /** The scans of the view that have the comparison. */
  readonly scans: number;
  readonly reason: string;
}

const NEWEST = 'the value is that of the newest reading, which is known after the scan';
const COUNTED = 'records are counted by height, and only the blocks know the heights of a time';
const NO_TOKEN =
  'the value is the address of no token, so the plan leaves out the scan of transfers';
const CREATED = 'the value depends on the operation, which is known after the scan';
const CREATION = 'the block of the creation is known after all records of the contract';
const ANNOUNCED = 'a payload is judged by all fragments of its stream, which may move its height';
const OUTCOME = 'an outcome depends on all payloads, and on transactions with the same sender';
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'bigquery.contracts.address': { scans: 6, reason: NO_TOKEN },
  'bigquery.contracts.block_number': { scans: 0, reason: CREATION },
  'blocks_reconciled.block_date': { scans: 2, reason: COUNTED },
  'blocks_reconciled.block_time': { scans: 2, reason: COUNTED },
  'contracts_seen.address': { scans: 6, reason: NO_TOKEN },
  'crypto_ethereum.contracts.address': { scans: 6, reason: NO_TOKEN },
  'crypto_ethereum.contracts.block_number': { scans: 0, reason: CREATION },
  'dune.traces.address': { scans: 0, reason: CREATED },
  'ethereum.traces.address': { scans: 0, reason: CREATED },
  'etherscan.txlistinternal.contractAddress': { scans: 0, reason: CREATED },
  'etherscan.txlistinternal.to': { scans: 0, reason: CREATED },
  'pending_transactions.from_address': { scans: 0, reason: NEWEST },
  'pending_transactions.to_address': { scans: 0, reason: NEWEST },
  'preconf_gaps.block_number': { scans: 2, reason: ANNOUNCED },
  'preconf_payloads.block_number': { scans: 2, reason: ANNOUNCED },
  'preconfirmations.block_number': { scans: 2, reason: OUTCOME },
  'preconfirmations.from_address': { scans: 0, reason: OUTCOME },
  'preconfirmations.to_address': { scans: 0, reason: OUTCOME },
  'preconfirmations.tx_hash': { scans: 1, reason: OUTCOME },
};

const small = freshLake(beforeAll);

beforeAll(async () => {
  await landThree();
  await landPending();
  await small.publish();
});

/** Three records of every dataset, with three values in every column of `VALUES`. */
async function landThree(): Promise<void> {
  const at = (i: number) => ({ height: `${i}0`, time: String(Date.UTC(2024, 0, i)) });
  const parties = (i: number) => ({ from: `0xa${i}`, to: `0xa${i}` });
  const numbers = [1, 2, 3];
  const keys = numbers.map((i) => `0xa${i}`);
  const primary = (i: number) => ({
    txId: `0x0${i}`,
    height: at(i).height,
    transactionTime: at(i).time,
    ...parties(i),
  });
  const token = (i: number) => ({ tokenContractAddress: `0x7${i}` });
  const listed = (i: number) => inBlock({ txid: `0x0${i}`, ...primary(i), ...token(i) });
  const zone = (i: number) => ({ blockHeight: at(i).height, blockTime: at(i).time });
  const legs = (i: number) => ({
    ...parties(i),
    ...token(i),
    mainTxHash: `0x0${i}`,
    mainBlockHeight: at(i).height,
    mainBlockTime: at(i).time,
    zoneTxHash: `0x0${i}`,
    zoneBlockHeight: at(i).height,
    zoneBlockTime: at(i).time,
    sourceAddress: `0xa${i}`,
    targetAddress: `0xa${i}`,
  });
  await small.land(LIST.transactions, {
    keys,
    records: numbers.map((i) => transaction(primary(i))),
  });
  await small.land(LIST.internal, { keys, records: numbers.map((i) => internal(primary(i))) });
  // Lists of blocks name the token of a transaction.
  for (const params of [NORMAL, INTERNALS]) {
    await small.land(LIST.inBlock, { keys: [''], params, records: numbers.map((i) => listed(i)) });
  }
  await small.land(LIST.tokens, {
    keys: ['0xa1'],
    params: TOKEN_20,
    records: numbers.map((i) => transfer({ ...primary(i), ...token(i) })),
  });
  await small.land(LIST.blocks, {
    keys: [''],
    records: numbers.map((i) =>
      block({ hash: `0xb${i}`, height: at(i).height, blockTime: at(i).time }),
    ),
  });
  await small.land(LIST.holders, {
    keys: [''],
    from: 50,
    to: 50,
    records: numbers.map((i) => ({
      rank: `${i}`,
      symbol: 'ETH',
      holderAddress: `0xa${i}`,
      amount: '7',
    })),
  });
  await small.land(LIST.zoneTransactions, {
    keys: [''],
    records: numbers.map((i) => zoneTransaction({ hash: `0x0${i}`, from: `0xa${i}`, ...zone(i) })),
  });
  await small.land(LIST.zoneBlocks, {
    keys: [''],
    records: numbers.map((i) => ({
      hash: `0xc${i}`,
      height: at(i).height,
      blockTime: at(i).time,
      txnCount: '1',
    })),
  });
  await small.land(LIST.crossChain, { keys: [''], records: numbers.map((i) => crossing(legs(i))) });
}

async function landPending(): Promise<void> {
  const limits = { rows: 1000, slices: 1000, seconds: 10_000 };
  const { lake } = small;
  const committer = new Committer({ lake, limits, effects: quietEffects(), run: 'pending' });
  const none = { height: '', blockHash: '', gasUsed: '', txFee: '', state: 'pending' };
  await committer.add({
    slice: {
      list: listNamed(LIST.ownTransactions),
      keys: ['0xa1'],
      interval: { from: 0, to: 99 },
      provisional: false,
    },
    status: 'complete',
    reason: '',
    records: [],
    pending: listed(
      listNamed(LIST.ownTransactions).entry,
      ['0x00', '0x02', '0x09'].map((txId) => transaction({ txId, from: '0xa1', ...none })),
    ),
    requests: 1,
    head: 120,
    generation: 0,
  });
  await committer.flush();
}

const WORDS = z
  .union([z.string(), z.array(z.string())])
  .transform((words) => [words].flat())
  .optional();
const planSchema = z.object({
  name: z.string(),
  extra_info: z.object({ Filters: WORDS, Projections: WORDS }),
  get children() {
    return z.array(planSchema);
  },
});
type Plan = z.infer<typeof planSchema>;

const NAME_COLUMNS = new Set(NAME_SHAPES.flatMap(({ columns }) => columns.map(({ name }) => name)));

/** The filters of each Parquet scan in the plan of a query, but for those of names. */
async function filtersByScan(connection: DuckDBConnection, sql: string): Promise<string[][]> {
  const explained = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`);
  const roots = z.array(planSchema).parse(JSON.parse(String(explained.getRows()[0]?.[1])));
  const scansIn = (plan: Plan): Plan[] =>
    plan.name.includes('PARQUET') ? [plan] : plan.children.flatMap(scansIn);
  return roots
    .flatMap(scansIn)
    .filter(({ extra_info: { Projections = [''] } }) => {
      return !Projections.every((column) => NAME_COLUMNS.has(column));
    })
    .map(({ extra_info: { Filters } }) => Filters ?? []);
}

/** The columns of `VALUES` that each relation of the warehouse has. */
async function columnsByRelation(): Promise<Map<string, string[]>> {
  const rows = await small.rows(
    `SELECT CASE schema_name WHEN 'main' THEN view_name ELSE schema_name || '.' || view_name END,
       column_name
     FROM duckdb_views() JOIN duckdb_columns() AS columns USING (schema_name)
     WHERE schema_name NOT IN ('lake', 'files', 'curated_files', 'known')
       AND table_name = view_name
       AND NOT columns.internal ORDER BY ALL`,
  );
  const results = new Map<string, string[]>();
  for (const [relation, column] of rows.map((row) => row.map(String))) {
    if (relation === undefined || column === undefined || !(column in VALUES)) continue;
    results.set(relation, [...(results.get(relation) ?? []), column]);
  }
  return results;
}

test('comparisons with a value reach every Parquet scan', reachesScans);

test('a count joins no names where no address, token or method has one', async () => {
  const joins = async (): Promise<number> =>
    withWarehouse(small.lake.layout.warehouse, async (connection) => {
      const sql = 'EXPLAIN SELECT count(*) FROM transactions';
      const [, plan] = (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
      return String(plan).match(/HASH_JOIN/g)?.length ?? 0;
    });
  expect(await joins()).toBe(0);
  await keepNames(small.lake, { labels: new Map([[lengthened('0xa1'), 'mine']]) });
  await small.publish();
  expect(await joins()).toBe(5);
  expect(await small.rows('SELECT from_label FROM transactions ORDER BY ALL')).toEqual([
    ['mine'],
    [null],
    [null],
  ]);
});

test('comparisons reach every Parquet scan beside names, too', reachesScans);

async function reachesScans(): Promise<void> {
  const columns = await columnsByRelation();
  const misses: string[] = [];
  let scans = 0;
  await withWarehouse(small.lake.layout.warehouse, async (connection) => {
    for (const [relation, names] of columns) {
      const all = await filtersByScan(connection, `FROM ${relation}`);
      for (const name of names) {
        const value = VALUES_IN_VIEWS[`${relation}.${name}`] ?? VALUES[name];
        const sql = `FROM ${relation} WHERE "${name}" = ${value}`;
        const inFiles = NAMES_IN_FILES[`${relation}.${name}`] ?? NAMES_IN_FILES[name] ?? [name];
        const reached = (await filtersByScan(connection, sql)).filter((filters) =>
          filters.some((filter) => inFiles.some((item) => filter.startsWith(`${item}=`))),
        );
        scans += reached.length;
        const wanted = EXCEPTIONS[`${relation}.${name}`]?.scans ?? all.length;
        if (reached.length === wanted) continue;
        misses.push(`${relation}.${name}: at ${reached.length} of ${all.length} scans`);
      }
    }
  });
  expect(misses).toEqual([]);
  expect(scans).toBeGreaterThan(100);
}

test('every curated table has such a column, but the ranking of holders and evidence', async () => {
  const columns = await columnsByRelation();
  const others = CURATED_TABLES.filter(({ name }) => !columns.has(`curated.${name}`));
  expect(others.map(({ file }) => file)).toEqual(['native_holders', 'evidence', 'evidence']);
});
