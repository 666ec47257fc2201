import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { recordsSource } from '../../../service/src/memory/records-source.ts';
import { addressesAsked, exportLake, rowsOf, serve, temporaryRoot } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';

const RECORDS = fileURLToPath(new URL('../../../../shared/data/mainnet', import.meta.url));
const hasRecords = existsSync(RECORDS);
if (!hasRecords) process.stdout.write(`skipped: real records are not at ${RECORDS}\n`);

type Real = Readonly<Record<string, string | boolean>>;

function read(dataset: string): Real[] {
  const text = gunzipSync(readFileSync(`${RECORDS}/${dataset}.ndjson.gz`)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Real);
}

/** Per dataset, the columns that hold a record's content and the fields they come from. */
const CONTENT = {
  transactions: {
    tx_hash: 'txId',
    block_hash: 'blockHash',
    block_number: 'height',
    from_address: 'from',
    to_address: 'to',
    from_is_contract: 'isFromContract',
    to_is_contract: 'isToContract',
    amount_text: 'amount',
    method_id: 'methodId',
    symbol: 'symbol',
    nonce: 'nonce',
    gas_used: 'gasUsed',
    gas_limit: 'gasLimit',
    gas_price: 'gasPrice',
    tx_fee_text: 'txFee',
    tx_type: 'transactionType',
    'epoch_ms(block_time)': 'transactionTime',
  },
  internal_transactions: {
    tx_hash: 'txId',
    block_hash: 'blockHash',
    block_number: 'height',
    operation: 'operation',
    from_address: 'from',
    to_address: 'to',
    from_is_contract: 'isFromContract',
    to_is_contract: 'isToContract',
    amount_text: 'amount',
    'epoch_ms(block_time)': 'transactionTime',
  },
  token_transfers: {
    tx_hash: 'txId',
    block_hash: 'blockHash',
    block_number: 'height',
    from_address: 'from',
    to_address: 'to',
    token_address: 'tokenContractAddress',
    token_standard: 'protocolType',
    token_id: 'tokenId',
    from_is_contract: 'isFromContract',
    to_is_contract: 'isToContract',
    amount_text: 'amount',
    symbol: 'symbol',
    'epoch_ms(block_time)': 'transactionTime',
  },
} as const;

/** Addresses of the first run, half of them busy, and those that the second run adds. */
const [FIRST, ADDED] = IS_EXHAUSTIVE ? [60, 25] : [14, 11];

const DATASETS = Object.keys(CONTENT) as (keyof typeof CONTENT)[];

function expected(records: readonly Real[], dataset: keyof typeof CONTENT, keys: Set<string>) {
  const fields = Object.values(CONTENT[dataset]);
  return records
    .filter(({ from, to }) => keys.has(String(from)) || keys.has(String(to)))
    .map((record) => JSON.stringify(fields.map((field) => String(record[field] ?? ''))))
    .sort();
}

async function landed(root: string, dataset: keyof typeof CONTENT): Promise<string[]> {
  const columns = Object.keys(CONTENT[dataset]);
  const select = columns.map((column, i) => `coalesce(${column}::VARCHAR, '') AS c${i}`).join(', ');
  const rows = await rowsOf(root, dataset, select);
  return rows.map((row) => JSON.stringify(columns.map((_, i) => row[`c${i}`]))).sort();
}

/** The addresses of the records, busiest first. */
function byActivity(all: readonly Real[]): string[] {
  const counts = new Map<string, number>();
  for (const { from, to } of all) {
    for (const key of new Set([String(from), String(to)])) {
      if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
}

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/**
 * Goal: the lake equals the records that touch the addresses, as multisets, however the addresses
 * come and go between runs.
 */
test.skipIf(!hasRecords)(`real records of ${FIRST} addresses land as a multiset`, async () => {
  const records = Object.fromEntries(DATASETS.map((dataset) => [dataset, read(dataset)]));
  const ranked = byActivity(Object.values(records).flat());
  const busy = FIRST / 2;
  const first = [...ranked.slice(0, busy), ...ranked.slice(1_000, 1_000 + busy)];
  const added = ranked.slice(busy, busy + ADDED);
  const served = await serve(await recordsSource(RECORDS));
  const { root, remove } = await temporaryRoot();
  cleanups.push(served.close, remove);

  const compare = async (addresses: readonly string[]): Promise<void> => {
    for (const dataset of DATASETS) {
      const truth = expected(records[dataset] ?? [], dataset, new Set(addresses));
      const rows = await landed(root, dataset);
      const lost = rows.length - new Set(rows).size;
      process.stdout.write(`${dataset}: ${rows.length} rows; DISTINCT would lose ${lost}\n`);
      expect(rows).toEqual(truth);
      if (dataset === 'internal_transactions') expect(lost).toBeGreaterThan(0);
    }
  };

  const ran = await exportLake({ url: served.url, root, addresses: first });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  process.stdout.write(`first run: ${served.targets.length} requests\n`);
  await compare(first);

  served.targets.length = 0;
  const second = [...added, ...first.slice(10)].reverse();
  await exportLake({ url: served.url, root, addresses: second });
  const asked = addressesAsked(served.targets.filter((target) => !isProvisional(target)));
  expect([...asked].sort()).toEqual([...added].sort());
  process.stdout.write(`second run: ${served.targets.length} requests\n`);
  await compare([...first, ...added]);

  served.targets.length = 0;
  await exportLake({ url: served.url, root, addresses: [...second].sort() });
  expect(served.targets.filter((target) => target.includes('address=')).every(isProvisional)).toBe(
    true,
  );
  await compare([...first, ...added]);
});

/**
 * Above the safe height every run asks again: with no lag, that is the head block alone, with the
 * blocks beside it where ranges may not include their ends.
 */
function isProvisional(target: string): boolean {
  return /startBlockHeight=1993411[567]/.test(target);
}
