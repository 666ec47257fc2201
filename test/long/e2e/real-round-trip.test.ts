import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type LakeSource, lakeSource } from '../../../service/src/lake/lake-source.ts';
import { recordsSource, tablesSource } from '../../../service/src/memory/records-source.ts';
import { recordReader } from '../../../service/src/memory/wire-reader.ts';
import type { Source } from '../../../service/src/protocol/source.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { systemEffects } from '../../../src/system.ts';
import { digestsOf, exportLake, rowsOf, serve } from '../../e2e/harness.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { pipelineHead } from '../../fixtures/pipeline-head.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';
import { curatedModel } from '../../model/curate/rule.ts';
import { differences, TableReader } from '../../model/curate/tables.ts';

/**
 * Goal: real records, exported, served from that lake and exported from there, are the same to the
 * digest in every dataset, equal records and all; curated tables are what the rule in memory makes
 * of them.
 */

const RECORDS = fileURLToPath(new URL('../../../../shared/data/mainnet', import.meta.url));
const hasRecords = existsSync(RECORDS);
if (!hasRecords) process.stdout.write(`skipped: real records are not at ${RECORDS}\n`);

const DATASETS = ['blocks', 'internal_transactions', 'token_transfers', 'transactions'] as const;
/** Of the blocks, numbered from 0, the newest few or all. */
const WHOLE_FROM = IS_EXHAUSTIVE ? 0 : 32;
const HASHES_FROM = 33;
const ADDRESSES = IS_EXHAUSTIVE ? 20 : 5;

function read(dataset: string): CanonicalRecord[] {
  const text = gunzipSync(readFileSync(`${RECORDS}/${dataset}.ndjson.gz`)).toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map(recordReader(dataset));
}

const heightOf = ({ block_number: height }: CanonicalRecord): number => Number(height);

const HEAD = `${pipelineHead('real-round-trip', 0)}keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  activity: { from: [transactions], by: [mainchain/address/normal-transaction-list-multi] }
  calls:
    from: [internal_transactions]
    by: [mainchain/address/internal-transaction-list-multi]
  transfers: { from: [token_transfers], by: [mainchain/address/token-transaction-list] }
commit: { rows: 50000, slices: 500, seconds: 60 }
`;
const KINDS = 'each: { protocolType: [token_20, token_721, token_1155, token_10] }';

/** Everything of every block, and what some addresses did beside it. */
const WHOLE = `${HEAD}
blocks: { from: ${WHOLE_FROM}, to: head }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list }
    - { endpoint: mainchain/block/block-fills }
  transactions:
    - { endpoint: mainchain/block/transaction-list }
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/transaction/transaction-multi, keys: activity }
  internal_transactions:
    - { endpoint: mainchain/block/transaction-list }
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls, blocks: { from: ${HASHES_FROM}, to: head } }
  token_transfers:
    - { endpoint: mainchain/block/transaction-list, ${KINDS} }
    - { endpoint: mainchain/address/token-transaction-list, keys: addresses, ${KINDS} }
    - { endpoint: mainchain/transaction/token-transfer-multi, keys: transfers, blocks: { from: ${HASHES_FROM}, to: head }, ${KINDS} }
`;

/** What addresses did, among heights of which most have no record. */
const scattered = (from: number, head: number): string => `${HEAD}
blocks: { from: ${from}, to: head }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-fills, blocks: { from: ${head}, to: head } }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/transaction/transaction-multi, keys: activity }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      blocks: { from: 0, to: head }
      ${KINDS}
`;

/** The addresses that the most records name. */
function busiest(records: Iterable<CanonicalRecord>, count: number): string[] {
  const counts = new Map<string, number>();
  for (const { from_address: from, to_address: to } of records) {
    for (const key of new Set([from, to])) {
      if (typeof key === 'string') counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, count)
    .map(([key]) => key);
}

async function exported(source: Source, text: string, addresses: readonly string[]) {
  const served = await serve(source);
  const root = await freshFolder();
  const ran = await exportLake({ url: served.url, root, addresses, text });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  process.stdout.write(`${served.targets.length} requests
`);
  return { root, digests: await digestsOf(root) };
}

async function opened(root: string): Promise<LakeSource> {
  const lake = await lakeSource({ root, effects: systemEffects('warn') });
  whenOver(() => lake.close());
  return lake;
}

/** How curated tables differ from the rule in memory over the raw rows; the rows of all tables. */
async function curatedWrong(root: string): Promise<{ wrong: string[]; rows: number }> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'look', effects, disk: localDisk });
  const reader = await TableReader.open();
  try {
    const curated = await reader.curated(lake);
    const expected = Object.entries(curatedModel(await reader.raw(lake)));
    return {
      wrong: expected.flatMap(([table, rows]) =>
        differences(table, curated.get(table) ?? [], rows),
      ),
      rows: expected.reduce((sum, [, rows]) => sum + rows.length, 0),
    };
  } finally {
    reader.close();
    lake.close();
  }
}

/**
 * The blocks are single ones, far apart: each height but theirs would be asked for nothing. So they
 * are numbered one after another here; a record says everything else that it said before.
 */
test.skipIf(!hasRecords)('real records come back from a served lake', async () => {
  const real = new Map(DATASETS.map((dataset) => [dataset, read(dataset)]));
  const heights = (real.get('blocks') ?? []).map(heightOf).sort((a, b) => a - b);
  const placeOf = new Map(heights.map((height, place) => [height, String(place)]));
  const adjacent = new Map(
    [...real].map(([dataset, records]) => [
      dataset,
      records.map((record) => {
        const place = placeOf.get(heightOf(record));
        if (place === undefined) throw new Error(`a record of ${dataset} is in no block`);
        return { ...record, block_number: place };
      }),
    ]),
  );
  const addresses = busiest([...adjacent.values()].flat(), ADDRESSES);
  const first = await exported(tablesSource(adjacent), WHOLE, addresses);
  const { wrong, rows } = await curatedWrong(first.root);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(rows).toBeGreaterThan(5_000);
  const lake = await opened(first.root);
  expect(lake.head('primary')).toBe(heights.length - 1);
  const second = await exported(lake, WHOLE, addresses);

  expect(Object.keys(first.digests).sort()).toEqual(DATASETS);
  expect(second.digests).toEqual(first.digests);
  const inBlocks =
    "count(*) FILTER (_endpoint LIKE '%/block-fills' OR _endpoint LIKE '%block/tr%')";
  for (const dataset of DATASETS) {
    const [row] = await rowsOf(second.root, dataset, `${inBlocks} AS rows`);
    const held = adjacent.get(dataset)?.filter((record) => heightOf(record) >= WHOLE_FROM);
    expect(Number(row?.['rows']), dataset).toBe(held?.length);
  }
});

/** Export from the records at their own heights is tested elsewhere; this adds the way back. */
const atOwnHeights = test.skipIf(!hasRecords || !IS_EXHAUSTIVE);
atOwnHeights('real records at their own heights come back as well', async () => {
  const blocks = read('blocks').map(heightOf);
  const head = Math.max(...blocks);
  const recent = blocks.filter((height) => height > head - 9_000);
  expect(recent.length).toBeGreaterThan(3);
  const addresses = busiest(DATASETS.flatMap(read), ADDRESSES);
  const text = scattered(Math.min(...recent), head);
  const first = await exported(await recordsSource(RECORDS), text, addresses);
  const lake = await opened(first.root);
  expect(lake.head('primary')).toBe(head);
  const second = await exported(lake, text, addresses);
  expect(Object.keys(first.digests).sort()).toEqual(DATASETS);
  expect(second.digests).toEqual(first.digests);
});
