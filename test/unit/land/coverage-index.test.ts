import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COVERAGE, CoverageIndex } from '../../../src/land/coverage-index.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import type { Claim } from '../../../src/land/rule/claim.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { ParquetWriter } from '../../../src/land/storage/parquet.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { foldStorage } from '../../fixtures/saved-folds.ts';

/** Goal: the coverage table says what the logs say, and is written only when that has changed. */

const ENDPOINT = 'mainchain/address/normal-transaction-list-multi';
let root: string;
let lake: Lake;
let index: CoverageIndex;
let writer: ParquetWriter;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'windrow-coverage-'));
  const effects = quietEffects();
  lake = await openLake({ root, chains: CHAINS, run: 'one', effects, disk: localDisk });
  writer = await ParquetWriter.open(lake.layout.spilledOf('two'));
  const folder = lake.layout.table(CHAINS.primary, COVERAGE);
  const staging = lake.layout.stagingOf('one');
  const savedFold = foldStorage(folder);
  const storage = { disk: localDisk, effects, writer, folder, staging, run: 'one', savedFold };
  index = new CoverageIndex(storage);
});

afterAll(async () => {
  lake.close();
  writer.close();
  await rm(root, { recursive: true, force: true });
});

async function land(key: string, from: number, to: number, more: Partial<Claim> = {}) {
  const claim: Claim = {
    endpoint: ENDPOINT,
    variant: '',
    keys: [key],
    interval: { from, to },
    status: 'complete',
    reason: '',
    head: 500,
    readAtMs: 1_700_000_000_000,
    generation: 0,
    ...more,
  };
  await lake.table('transactions').commit([{ claim, records: [], slice: 's', requests: 1 }]);
}

async function rows(): Promise<unknown[]> {
  const paths = index.paths(await index.snapshot()).map((path) => `'${path}'`);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    `SELECT dataset, key, from_block::INT, to_block::INT, status, reason, head::INT,
       epoch_ms(read_at)::VARCHAR FROM read_parquet([${paths.join(', ')}]) ORDER BY ALL`,
  );
  connection.closeSync();
  instance.closeSync();
  return result.getRows();
}

test('it holds every entry of the logs, and only those of their newest versions', async () => {
  await land('0xa', 0, 99);
  await land('0xb', 0, 49, { status: 'truncated', reason: 'cap' });
  await lake.indexCoverage();
  const read = '1700000000000';
  expect(await rows()).toEqual([
    ['transactions', '0xa', 0, 99, 'complete', '', 500, read],
    ['transactions', '0xb', 0, 49, 'truncated', 'cap', 500, read],
  ]);
  await land('0xa', 100, 199);
  await land('0xb', 0, 49);
  await lake.indexCoverage();
  expect(await rows()).toEqual([
    ['transactions', '0xa', 0, 199, 'complete', '', 500, read],
    ['transactions', '0xb', 0, 49, 'complete', '', 500, read],
  ]);
});

test('it is written again only when a table has a newer version', async () => {
  const { version } = await index.snapshot();
  await lake.indexCoverage();
  expect((await index.snapshot()).version).toBe(version);
  await land('0xc', 0, 9);
  await lake.indexCoverage();
  expect((await index.snapshot()).version).toBe(version + 1);
});
