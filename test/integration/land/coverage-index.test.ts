import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COVERAGE, CoverageIndex } from '../../../src/land/coverage-index.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import type { Claim } from '../../../src/land/rule/claim.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { ParquetWriter } from '../../../src/land/storage/parquet.ts';
import { withScratch } from '../../../src/land/storage/scratch.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { listed } from '../../fixtures/listed.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { transaction } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/** Goal: the coverage table says what the logs say, and is written only when that has changed. */

const LOOK_UP = 'mainchain/transaction/transaction-multi';
const ENDPOINT = 'mainchain/address/normal-transaction-list-multi';
const effects = quietEffects();
let root: string;
let lake: Lake;
let index: CoverageIndex;
let writer: ParquetWriter;

beforeAll(async () => {
  root = await freshFolder();
  lake = await openLake({ root, chains: CHAINS, run: 'one', effects, disk: localDisk });
  writer = await ParquetWriter.open(lake.layout.spilledOf('two'));
  const folder = lake.layout.table(CHAINS.primary, COVERAGE);
  const staging = lake.layout.stagingOf('one');
  const storage = { disk: localDisk, effects, writer, folder, staging, run: 'one' };
  index = new CoverageIndex(storage);
});

afterAll(async () => {
  lake.close();
  writer.close();
});

async function land(key: string, from: number, to: number, more: Partial<Claim> = {}) {
  const claim: Claim = {
    list: listNamed(ENDPOINT),
    keys: [key],
    interval: { from, to },
    status: 'complete',
    reason: '',
    head: 500,
    readAtMs: 1_700_000_000_000,
    generation: 0,
    ...more,
  };
  const results = claim.keys.map((txId) => transaction({ txId, height: `${from}` }));
  const isFound = more.keys !== undefined && claim.status === 'complete';
  const { rows: records } = decode(
    claim.list,
    listed(claim.list.entry, isFound ? results : []),
    from,
  );
  await lake.table('transactions').commit([{ claim, records, slice: 's', requests: 1 }]);
}

async function rows(): Promise<unknown[]> {
  const paths = index.stored.paths(await index.stored.snapshot()).map((path) => `'${path}'`);
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

test('it is written again only when a table has a newer version', async () => {
  const { version } = await index.stored.snapshot();
  await lake.indexCoverage();
  expect((await index.stored.snapshot()).version).toBe(version);
  await land('0xc', 0, 9);
  await lake.indexCoverage();
  expect((await index.stored.snapshot()).version).toBe(version + 1);
});

test('complete look-ups are one entry of their list, and open ones have their hash', async () => {
  const keys = Array.from({ length: 50 }, (_, i) => `0x${i}`);
  await land('', 0, 99, { list: listNamed(LOOK_UP), keys, status: 'provisional' });
  await land('', 0, 99, { list: listNamed(LOOK_UP), keys: keys.slice(1) });
  await lake.indexCoverage();
  const results = ((await rows()) as unknown[][]).filter(([, key]) =>
    /^(0x\d*)?$/.test(String(key)),
  );
  expect(results.map(([, key, from, to, status]) => [key, from, to, status])).toEqual([
    ['', 0, 99, 'complete'],
    ['0x0', 0, 99, 'provisional'],
  ]);
  await land('', 0, 99, { list: listNamed(LOOK_UP), keys: ['0x0'] });
  await lake.indexCoverage();
});

test('a file that cannot be read has the whole table written again', async () => {
  const expected = await rows();
  const [path = ''] = index.stored.paths(await index.stored.snapshot());
  const bytes = await readFile(path);
  bytes.fill(0, 10, 400);
  await writeFile(path, bytes);
  await land('0xa', 300, 309);
  await lake.indexCoverage();
  expect((await rows()).length).toBe(expected.length + 1);
});

test('rows of a file that was changed are not copied', async () => {
  await lake.indexCoverage();
  await withScratch(async (connection) => {
    for (const path of index.stored.paths(await index.stored.snapshot())) {
      const rows = `SELECT * REPLACE ('failed' AS status) FROM '${path}'`;
      await connection.run(`COPY (${rows}) TO '${path}.x' (FORMAT parquet)`);
      await rename(`${path}.x`, path);
    }
  });
  await land('', 0, 0, { list: listNamed(LOOK_UP), keys: ['0x18'] });
  await land('0xa', 310, 319);
  await lake.indexCoverage();
  const statuses = ((await rows()) as unknown[][]).map((row) => row[4]);
  expect(new Set(statuses)).toEqual(new Set(['complete']));
});

test('a table that was fetched again has none of the old coverage', async () => {
  const { layout } = lake;
  lake.close();
  await rm(layout.table(CHAINS.primary, 'transactions'), { recursive: true });
  lake = await openLake({ root, chains: CHAINS, run: 'one', effects, disk: localDisk });
  await land('', 0, 99, { list: listNamed(LOOK_UP), keys: ['0x1'] });
  await lake.indexCoverage();
  expect(((await rows()) as unknown[][]).map(([, key]) => key)).toEqual(['']);
});
