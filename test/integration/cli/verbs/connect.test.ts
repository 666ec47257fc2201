import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import { printResult } from '../../../../src/cli/terminal/verb-result.ts';
import { connectVerb, type Recipe } from '../../../../src/cli/verbs/connect.ts';
import { mount } from '../../../../src/land/places/mounts.ts';
import { machineDisk } from '../../../../src/land/storage/disk.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../../fixtures/load-lake.ts';
import { keepingConsole } from '../../../fixtures/quiet-console.ts';

const small = freshLake(beforeAll);
beforeAll(async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
});

async function connectText(isJson: boolean, as?: 'duckdb' | 'polars' | 'spark'): Promise<string> {
  const said: string[] = [];
  const output = { ...keepingConsole(said), isJson };
  expect(await printResult(connectVerb({ data: small.root, as }, output), output)).toBe(0);
  return said.join('\n');
}

test('connect says that raw tables hold a record once per list, and which views do not', async () => {
  const text = await connectText(false);
  expect(text).toMatch(/raw: one row per record and list/);
  expect(text).toMatch(/curated tables have each record once/);
  expect(text.indexOf('curated/MAINCHAIN/transactions')).toBeLessThan(
    text.indexOf('lake/MAINCHAIN/transactions'),
  );
  const { notes } = JSON.parse(await connectText(true)) as { notes: string[] };
  for (const note of notes) expect(text).toContain(note);
});

test('connect says what DuckDB 1.5 needs, and its lines run as they are', async () => {
  const { recipes } = JSON.parse(await connectText(true)) as { recipes: Recipe[] };
  const forDuckDb = recipes.filter(({ text }) => text.includes('enable_caching_operators = false'));
  expect(forDuckDb.map(({ tool }) => tool)).toEqual(['DuckDB', 'Python, duckdb']);
  const instance = await DuckDBInstance.create(small.lake.layout.warehouse, {
    access_mode: 'READ_ONLY',
  });
  const connection = await instance.connect();
  const lines = forDuckDb[0]?.text
    .split('\n')
    .filter((line) => /^(SET|SELECT|FROM (?!delta))/.test(line));
  expect(lines).toHaveLength(4);
  for (const line of lines ?? []) await connection.run(line);
  connection.closeSync();
  instance.closeSync();
});

test('engines read a lake in a store from the store, and not from copies on this machine', async () => {
  mount({ ...machineDisk, folder: small.root, address: 's3://b/lake', move: machineDisk.rename });
  expect(await connectText(true, 'spark')).toContain("'s3a://b/lake/lake/MAINCHAIN/transactions'");
  const duckdb = await connectText(true, 'duckdb');
  expect(duckdb).toContain("delta_scan('s3://b/lake/lake/MAINCHAIN/transactions')");
  expect(duckdb).toContain('PROVIDER credential_chain)');
  expect(await connectText(true, 'polars')).toContain('s3://b/lake/lake/MAINCHAIN/transactions');
  expect(await connectText(true, 'spark')).not.toContain(small.root);
});
