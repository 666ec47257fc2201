import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Console } from '../../src/cli/terminal/console.ts';
import { printResult, type VerbResult } from '../../src/cli/terminal/verb-result.ts';
import { loadVerb } from '../../src/cli/verbs/load.ts';
import { queryVerb } from '../../src/cli/verbs/query/query.ts';
import { statusVerb } from '../../src/cli/verbs/status/status.ts';
import { verifyVerb } from '../../src/cli/verbs/verify.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../fixtures/load-lake.ts';
import { quietConsole } from '../fixtures/quiet-console.ts';

/** An answer as a table. */
const TABLE = { csv: false, markdown: false, vertical: false, force: false };

/** Goal: curated tables that are old or damaged are named, and one command makes them whole. */

const small = freshLake(beforeEach);
let folder: string;

beforeEach(async () => {
  folder = small.lake.curatedStorage('primary', 'transactions').folder;
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
});

const landMore = (): Promise<void> =>
  small.land(LIST.transactions, {
    keys: ['0xa'],
    from: 100,
    to: 199,
    records: [transaction({ txId: '0x02', height: '150' })],
  });

async function said(
  verb: (output: Console) => Promise<VerbResult>,
): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const output = { ...quietConsole, isJson: false, out: (line: string) => lines.push(line) };
  const code = await printResult(verb(output), output);
  return { code, text: lines.join('\n') };
}

const status = () => said((output) => statusVerb({ data: small.root }, output));
const load = (full: boolean) => said((output) => loadVerb({ data: small.root, full }, output));
const verify = () => said((output) => verifyVerb({ data: small.root, repair: false }, output));
const hashes = () => small.rows('SELECT tx_hash FROM transactions ORDER BY ALL');
const dataFiles = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => join(folder, name));

test('status names curated tables that are older than the lake, until they are brought up', async () => {
  expect((await status()).text).not.toContain('Curated tables');
  await landMore();
  expect((await status()).text).toMatch(/Curated tables that are older .*: transactions, /);
  expect((await load(false)).code).toBe(0);
  expect((await status()).text).not.toContain('Curated tables');
  expect(await hashes()).toEqual([['0x01'], ['0x02']]);
});

test('verify finds a changed data file of a curated table, and load --full replaces it', async () => {
  const [file = ''] = await dataFiles();
  const bytes = await readFile(file);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  await writeFile(file, bytes);
  const report = await verify();
  expect(report.code).toBe(1);
  expect(report.text).toContain('MAINCHAIN curated/transactions');
  expect(report.text).toContain(file);
  expect((await load(true)).code).toBe(0);
  expect((await verify()).code).toBe(0);
  expect(await hashes()).toEqual([['0x01']]);
});

test('a run over a changed data file of a curated table names it, and the way to mend it', async () => {
  const [file = ''] = await dataFiles();
  const bytes = await readFile(file);
  await writeFile(file, Buffer.alloc(bytes.length));
  await landMore();
  await expect(load(false)).rejects.toMatchObject({
    where: file,
    advice: expect.stringContaining('windrow load --full'),
  });
  expect((await load(true)).code).toBe(0);
  expect(await hashes()).toEqual([['0x01'], ['0x02']]);
});

test.each([
  ['is missing', (file: string) => rm(file)],
  ['was cut', (file: string) => truncate(file, 100)],
])(
  'a data file of a curated table that %s is named by status, and computed by load',
  async (_, harm) => {
    await landMore();
    expect((await load(false)).code).toBe(0);
    for (const file of await dataFiles()) await harm(file);
    expect((await status()).text).toMatch(/or lack data files: transactions\. Run: windrow load/);
    const query = queryVerb(
      { sql: 'FROM transactions', data: small.root, maxRows: '5', timeout: '60', ...TABLE },
      quietConsole,
    );
    await expect(query).rejects.toMatchObject({ advice: expect.stringContaining('windrow load') });
    expect((await load(false)).code).toBe(0);
    expect(await hashes()).toEqual([['0x01'], ['0x02']]);
    expect((await status()).text).not.toContain('Curated tables');
    expect((await verify()).code).toBe(0);
  },
);

test('load --full also mends a curated table whose log cannot be read, or is gone', async () => {
  const entry = join(folder, '_delta_log', `${'0'.repeat(20)}.json`);
  await truncate(entry, 100);
  await landMore();
  await expect(load(false)).rejects.toMatchObject({ kind: 'lake' });
  expect((await load(true)).code).toBe(0);
  expect(await hashes()).toEqual([['0x01'], ['0x02']]);
  await rm(folder, { recursive: true });
  expect((await load(false)).code).toBe(0);
  expect(await hashes()).toEqual([['0x01'], ['0x02']]);
  expect((await verify()).code).toBe(0);
});

/** Rewrites the data file of the table under another name, as OPTIMIZE and VACUUM do. */
async function rewriteElsewhere(): Promise<void> {
  const log = join(folder, '_delta_log');
  const first = await readFile(join(log, `${'0'.repeat(20)}.json`), 'utf8');
  const lines = first.split('\n').filter((line) => line !== '');
  const { add } = lines.map((line) => JSON.parse(line)).find((line) => line.add !== undefined);
  const path = 'part-00000-rewritten.zstd.parquet';
  await rename(join(folder, add.path), join(folder, path));
  const actions = [
    { remove: { path: add.path, deletionTimestamp: 0, dataChange: false } },
    { add: { ...add, path, dataChange: false } },
    { commitInfo: { operation: 'OPTIMIZE', timestamp: 0 } },
  ];
  const text = actions.map((action) => `${JSON.stringify(action)}\n`).join('');
  await writeFile(join(log, `${'0'.repeat(19)}1.json`), text);
}

test('curated tables that another program rewrote and vacuumed are found again by load', async () => {
  await rewriteElsewhere();
  const sql = 'FROM transactions';
  const query = queryVerb(
    { sql, data: small.root, maxRows: '5', timeout: '60', ...TABLE },
    quietConsole,
  );
  await expect(query).rejects.toMatchObject({ advice: expect.stringContaining('windrow load') });
  expect((await load(false)).code).toBe(0);
  expect(await hashes()).toEqual([['0x01']]);
  await landMore();
  expect((await load(false)).code).toBe(0);
  expect(await hashes()).toEqual([['0x01'], ['0x02']]);
  expect((await verify()).code).toBe(0);
});
