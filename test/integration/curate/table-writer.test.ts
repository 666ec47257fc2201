import { createHash } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeEach, expect, test } from 'vitest';
import { curate, curatedFiles } from '../../../src/curate/curate.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';

const small = freshLake(beforeEach);

/** More different values than DuckDB puts into a dictionary on its own. */
const TRANSACTION_COUNT = 13_000;

const hashOf = (number: number): string =>
  `0x${createHash('sha256').update(String(number)).digest('hex')}`;

test('a Bloom filter excludes hashes that a row group of transactions does not hold', async () => {
  const records = Array.from({ length: TRANSACTION_COUNT }, (_, i) =>
    transaction({ txId: hashOf(i) }),
  );
  await small.land(LIST.transactions, { keys: ['0xa'], records });
  await curate({ lake: small.lake, effects: quietEffects(), disk: localDisk });
  const [file = ''] = (await curatedFiles(small.lake)).get('transactions') ?? [];
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const excluded = async (hash: string): Promise<unknown> => {
    const probe = `parquet_bloom_probe('${file}', 'tx_hash', '${hash}')`;
    const results = await connection.runAndReadAll(`SELECT bloom_filter_excludes FROM ${probe}`);
    return results.getRows();
  };
  expect(await excluded(hashOf(0))).toEqual([[false]]);
  expect(await excluded(hashOf(-1))).toEqual([[true]]);
  connection.closeSync();
  instance.closeSync();
});
