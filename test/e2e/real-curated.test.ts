import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { tablesSource } from '../../service/src/memory/records-source.ts';
import { recordReader } from '../../service/src/memory/wire-reader.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import type { Asked } from '../model/real-join/asked.ts';
import type { Cell, Row } from '../model/real-join/cells.ts';
import { joinReal } from '../model/real-join/join.ts';
import { mostFrequent, type RealRecords, readReal } from '../model/real-join/records.ts';
import { exportLake, PIPELINE, rowsOf, serve, temporaryRoot } from './harness.ts';

const RECORDS = fileURLToPath(new URL('../../../shared/data/mainnet', import.meta.url));
const hasRecords = existsSync(RECORDS);
if (!hasRecords) process.stdout.write(`skipped: real records are not at ${RECORDS}\n`);

const [HEAD_LINES = ''] = PIPELINE.split('keys:');
const KINDS = 'each: { protocolType: [token_20, token_721, token_1155, token_10] }';
const [TRANSACTIONS_FROM, INTERNALS_FROM, TRANSFERS_FROM] = IS_EXHAUSTIVE
  ? [8, 12, 8]
  : [28, 32, 31];

/** What a run asks for beside addresses: whole blocks from the first to the last, and details. */
interface Heights {
  readonly whole: readonly [number, number];
  readonly detailsFrom: number;
  readonly blockListFrom: number;
}

const FIRST: Heights = { whole: [33, 35], detailsFrom: 30, blockListFrom: 26 };
const SECOND: Heights = { whole: [20, 22], detailsFrom: 18, blockListFrom: 26 };

/** Everything of some blocks, and what some addresses did, with all details of some of that. */
const pipeline = ({
  whole: [from, to],
  detailsFrom,
  blockListFrom,
}: Heights): string => `${HEAD_LINES}
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  holders: { list: ["0x0000000000000000000000000000000000000000"] }
  tokens: { list: ["0x0000000000000000000000000000000000000000"] }
  listed: { from: [transactions], by: [mainchain/address/normal-transaction-list-multi] }
  calls:
    from: [internal_transactions]
    by: [mainchain/address/internal-transaction-list-multi]
  transfers: { from: [token_transfers], by: [mainchain/address/token-transaction-list] }
blocks: { from: 0, to: head }
commit: { rows: 50000, slices: 500, seconds: 60 }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-fills, blocks: { from: ${detailsFrom}, to: head } }
    - { endpoint: mainchain/block/block-list, blocks: { from: ${blockListFrom}, to: head } }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - endpoint: mainchain/transaction/transaction-multi
      keys: listed
      blocks: { from: ${TRANSACTIONS_FROM}, to: head }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${from}, to: ${to} } }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - endpoint: mainchain/transaction/internal-transaction-detail
      keys: calls
      blocks: { from: ${INTERNALS_FROM}, to: head }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${from}, to: ${to} } }
  token_transfers:
    - { endpoint: mainchain/address/token-transaction-list, keys: holders, ${KINDS} }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: transfers
      blocks: { from: ${TRANSFERS_FROM}, to: head }
      ${KINDS}
    - { endpoint: mainchain/token/transaction-list, keys: tokens }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${from}, to: ${to} }, ${KINDS} }
`;

const ZONE_TABLES = [
  'zone_transactions',
  'zone_blocks',
  'cross_chain_transfers',
  'zone_address_activity',
  'cross_chain_journeys',
];

/** The rows of a curated table as lines, each with all its columns. */
async function curatedLines(root: string, table: string): Promise<string[]> {
  const chain = ZONE_TABLES.includes(table) ? 'ZONECHAIN' : 'MAINCHAIN';
  const hasTime = table !== 'native_holders' && !ZONE_TABLES.includes(table);
  const select = hasTime ? '* REPLACE (epoch_ms(block_time) AS block_time)' : '*';
  if (!existsSync(`${root}/curated/${chain}/${table}/_delta_log`)) return [];
  const rows = await rowsOf(root, table, select, chain, 'curated');
  return rows.map((row) => {
    return lineOf(
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, textOf(cell)])),
    );
  });
}

function textOf(cell: unknown): Cell {
  if (cell === null || cell === undefined) return null;
  return Array.isArray(cell) ? cell.join() : String(cell);
}

function lineOf(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lines that only one side has, as often as the other side lacks them; at most a few. */
function differences(actual: readonly string[], expected: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of actual) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of expected) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, 6)
    .map(([line, count]) => `${count > 0 ? 'has' : 'lacks'} ${Math.abs(count)} of ${line}`);
}

function sourceOf(records: RealRecords) {
  const tables = Object.entries(records).map(([name, table]) => {
    const read = recordReader(name);
    return [name, table.map((record: object) => read(JSON.stringify(record)))] as const;
  });
  return tablesSource(new Map(tables));
}

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

const span = ([from, to]: Heights['whole']): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/**
 * Goal: every curated table is the join of the real records that were asked for, in every column,
 * copies and all, after a first run and after one that adds addresses and blocks.
 */
test.skipIf(!hasRecords)('curated tables are the real records, joined', async () => {
  const records = readReal(RECORDS);
  const head = records.blocks.length - 1;
  expect(head).toBe(FIRST.whole[1]);
  const { transactions, internal_transactions: internals, token_transfers: transfers } = records;
  const ranked = mostFrequent([...transactions, ...internals], ['from', 'to']);
  const rankedHolders = mostFrequent(transfers, ['from', 'to']);
  const addresses = [...ranked.slice(0, 12), ...ranked.slice(900, 904)];
  const holders = [...addresses.slice(0, 4), ...rankedHolders.slice(0, 12)];
  const rankedTokens = mostFrequent(transfers, ['tokenContractAddress']);
  const tokens = rankedTokens.slice(1, 3);
  const asked: Asked = {
    head,
    addresses: new Set(addresses),
    holders: new Set(holders),
    tokens: new Set(tokens),
    wholeBlocks: new Set(span(FIRST.whole)),
    detailsFrom: FIRST.detailsFrom,
    blockListFrom: FIRST.blockListFrom,
    transactionsFrom: TRANSACTIONS_FROM,
    internalsFrom: INTERNALS_FROM,
    transfersFrom: TRANSFERS_FROM,
  };
  const served = await serve(sourceOf(records));
  const { root, remove } = await temporaryRoot();
  cleanups.push(remove, served.close);

  const compare = async (of: Asked): Promise<void> => {
    for (const [table, rows] of joinReal(records, of)) {
      const actual = await curatedLines(root, table);
      process.stdout.write(`curated ${table}: ${actual.length} rows\n`);
      expect.soft(differences(actual, rows.map(lineOf)), table).toEqual([]);
    }
  };
  const run = async (of: Asked, heights: Heights): Promise<void> => {
    const keys = { holders: [...of.holders], tokens: [...of.tokens] };
    const text = pipeline(heights);
    const job = { url: served.url, root, text, addresses: [...of.addresses], keys };
    expect((await exportLake(job)).execution).toEqual({ failed: [], short: 0, left: 0 });
    process.stdout.write(`${served.targets.splice(0).length} requests\n`);
  };

  await run(asked, FIRST);
  await compare(asked);

  const more: Asked = {
    ...asked,
    addresses: new Set([...addresses, ...ranked.slice(12, 20), ...ranked.slice(904, 907)]),
    holders: new Set([...holders, ...rankedHolders.slice(12, 16)]),
    tokens: new Set([...tokens, ...rankedTokens.slice(0, 1)]),
    wholeBlocks: new Set([...asked.wholeBlocks, ...span(SECOND.whole)]),
    detailsFrom: SECOND.detailsFrom,
  };
  await run(more, SECOND);
  await compare(more);

  // The comparison has met every list, every status, and equal copies.
  const tables = [...joinReal(records, more).values()];
  const met = (column: string) => new Set(tables.flat().map((row) => row[column]));
  for (const [, path = ''] of pipeline(FIRST).matchAll(/endpoint: mainchain\/([\w/-]+)/g)) {
    expect([...met('sources')].join()).toContain(path);
  }
  expect([...met('coverage_status')].sort()).toEqual(['complete', 'none', 'provisional']);
  expect(Math.max(...[...met('occurrence')].map((cell) => Number(cell ?? 0)))).toBeGreaterThan(2);
});
