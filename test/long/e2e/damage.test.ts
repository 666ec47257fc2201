import { readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { type Ended, windrow, windrowProcess } from '../../e2e/command-line.ts';
import { activeFiles, digestsOf, PIPELINE } from '../../e2e/harness.ts';
import { type ExportedLake, exportedLake } from '../../e2e/repairing.ts';
import { Chance } from '../../model/chance.ts';
import { flipBit, lakeFiles } from '../../model/corrupter.ts';

/**
 * Goal: whoever meets damage on disk from the command line is told of the same file in the same
 * words, and what to do; a data root that was moved simply works.
 */

const chain = simulatedChain({ seed: 'damage', head: 120 });
const addresses = chain.addresses(3);
const text = PIPELINE.replace('blocks: { to: head }', 'blocks: { to: safe }');
let lake: ExportedLake;

beforeAll(async () => {
  lake = await exportedLake(chainSource(chain), addresses, text);
});
afterAll(() => lake.close());

const query = (root: string, env = {}): Promise<Ended> =>
  windrowProcess(['query', 'SELECT count(*) AS n FROM transactions', '--data', root], { env });

const REMEDY =
  /Restore these files from a copy, .*\. Run: windrow verify PIPELINE --repair --data \S+/;

test('a data root that was moved works at once, and says what was done', async () => {
  const here = await query(lake.original);
  expect([here.code, here.stderr]).toEqual([0, '']);
  const root = await lake.copy();
  const there = await query(root);
  expect([there.code, there.stdout]).toEqual([0, here.stdout]);
  expect(there.stderr).toMatch(/The warehouse names files at another place.*rebuilt from the lake/);
  const again = await query(root);
  expect([again.code, again.stderr, again.stdout]).toEqual([0, '', here.stdout]);
});

test('a warehouse that is missing or is none is built again', async () => {
  const root = await lake.copy();
  const warehouse = join(root, 'warehouse.duckdb');
  await rm(warehouse);
  const checked = await windrow(['check', '--data', root]);
  expect(checked.code, checked.stderr).toBe(0);
  expect(checked.stderr).toMatch(/The warehouse is not there; it is rebuilt/);
  await writeFile(warehouse, 'no database');
  const exported = await windrow(['export', 'transactions', '--data', root]);
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stderr).toMatch(/The warehouse cannot be read; it is rebuilt/);
});

test('a cut data file is named in the same words by every verb that meets it', async () => {
  const root = await lake.copy();
  expect((await query(root)).code).toBe(0);
  const [file = ''] = await activeFiles(root, 'transactions');
  await truncate(file, 50);
  const verbs = [
    ['query', 'FROM lake.transactions'],
    ['check'],
    ['export', 'lake.transactions'],
    ['load'],
  ];
  const ended = await Promise.all(verbs.map((verb) => windrow([...verb, '--data', root])));
  for (const { code, stderr } of ended) {
    expect(code).toBe(1);
    expect(stderr).toContain(`windrow: ${file}: A data file is damaged: the file has 50 bytes`);
    expect(stderr).toMatch(REMEDY);
  }
  const status = await windrow(['status', '--data', root]);
  expect(status.code).toBe(1);
  expect(status.stdout).toContain(`DAMAGED ${file}: The data file has 50 bytes instead of`);
  expect(status.stdout).toMatch(REMEDY);
  expect(await readdir(join(root, 'staging', 'load'))).toEqual([]);
});

test('verify names curated tables whose folder has gone', async () => {
  const root = await lake.copy();
  expect((await windrow(['verify', '--data', root])).stdout).not.toContain('Curated tables');
  await rm(join(root, 'curated', 'MAINCHAIN', 'address_activity'), { recursive: true });
  const { code, stdout } = await windrow(['verify', '--data', root]);
  expect(code).toBe(0);
  expect(stdout).toContain('lack data files: address_activity. Run: windrow load');
  const json = await windrow(['verify', '--data', root, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ behind: ['address_activity'], exitCode: 0 });
});

test('a changed bit fails verify and check --deep, and verify --repair mends it', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const whole = await windrow(['verify', '--data', root]);
  expect([whole.code, whole.stderr]).toEqual([0, '']);
  expect(whole.stdout).toMatch(/MAINCHAIN transactions: \d+ log entr.*: no damage/);
  const [file = ''] = await activeFiles(root, 'token_transfers');
  await flipBit(file, new Chance(9));
  expect((await windrow(['status', '--data', root])).code).toBe(0);
  const found = await windrow(['verify', '--data', root]);
  expect(found.code).toBe(1);
  expect(found.stdout).toContain(`${file}: The data file was changed`);
  expect(found.stdout).toMatch(
    /It held \d+ rows?\.\n {4}mainchain\/address\/token-transaction-list/,
  );
  expect(found.stdout).toMatch(REMEDY);
  const deep = await windrow(['check', '--deep', '--data', root, '--json']);
  expect(deep.code).toBe(1);
  expect(JSON.parse(deep.stdout)).toMatchObject({
    passed: false,
    files: { damaged: [{ path: file, kind: 'data file', table: 'token_transfers' }] },
  });
  const args = [
    'verify',
    lake.pipeline,
    '--data',
    root,
    '--source-url',
    lake.served.url,
    '--repair',
  ];
  const repaired = await windrow([...args, '--json']);
  expect(repaired.code, repaired.stderr).toBe(0);
  expect(JSON.parse(repaired.stdout)).toMatchObject({
    damaged: [],
    repair: { before: [{ path: file }], lost: [], failed: [], short: 0 },
    exitCode: 0,
  });
  expect(await digestsOf(root)).toEqual(before);
  expect((await windrow(['check', '--deep', '--data', root])).stdout).toMatch(/^ok: .*files$/m);
});

test('a changed bit in a log entry is refused by what reads logs, and mended', async () => {
  const root = await lake.copy();
  const entry = (await lakeFiles(root)).log.find((path) => path.includes('/transactions/')) ?? '';
  await flipBit(entry, new Chance(4));
  const ended = await Promise.all([
    windrow(['load', '--data', root]),
    windrow(['status', '--data', root]),
    windrow(['run', lake.pipeline, '--data', root, '--source-url', lake.served.url]),
    query(root),
  ]);
  for (const { code, stderr } of ended) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/The table's log is corrupt: the entry /);
    expect(stderr).toContain(entry);
    expect(stderr).toMatch(REMEDY);
  }
  expect((await windrow(['verify', '--data', root])).code).toBe(1);
  const args = [
    'verify',
    lake.pipeline,
    '--data',
    root,
    '--source-url',
    lake.served.url,
    '--repair',
  ];
  const repaired = await windrow(args);
  expect([repaired.code, repaired.stderr]).toEqual([0, '']);
  expect(repaired.stdout).toContain(`Restored 1 log entry in which one bit had changed: ${entry}.`);
  expect((await query(root)).code).toBe(0);
});

test('a repair that is killed anywhere is finished by the next run', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  for (const path of [
    await activeFiles(root, 'transactions'),
    await activeFiles(root, 'token_transfers'),
  ]) {
    await truncate(path[0] ?? '', 40);
  }
  const args = [lake.pipeline, '--data', root, '--source-url', lake.served.url];
  const traced = await lake.copy(root);
  const whole = await windrowProcess(['verify', ...args.with(2, traced), '--repair'], {
    env: { WINDROW_TRACE_STEPS: '1' },
  });
  expect(whole.code, whole.stderr).toBe(0);
  const steps = [...whole.stderr.matchAll(/^step (\d+): log entry published$/gm)].map(([, n]) => n);
  expect(steps.length).toBeGreaterThan(2);
  for (const step of [steps[0], steps.at(-2)]) {
    const one = await lake.copy(root);
    const at = args.with(2, one);
    const env = { WINDROW_KILL_AT: step ?? '' };
    expect((await windrowProcess(['verify', ...at, '--repair'], { env })).code).toBeNull();
    expect((await windrow(['verify', ...at, '--repair'])).code).toBe(0);
    expect((await windrow(['run', ...at])).code).toBe(0);
    expect((await windrow(['verify', '--data', one])).code).toBe(0);
    expect(await digestsOf(one), `killed at ${step}`).toEqual(before);
  }
});

test('verify needs a pipeline to repair, and a lake', async () => {
  const ended = await windrow(['verify', '--repair', '--data', lake.original]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('PIPELINE --repair')]);
  expect((await windrow(['verify', '--data', join(lake.original, 'none')])).code).toBe(2);
  for (const idle of [['my.yaml'], ['--max-wait', '1d'], ['--zone-blocks', '0:9']]) {
    const refused = await windrow(['verify', ...idle, '--data', lake.original]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${idle[0]}`)]);
    expect(refused.stderr).toContain('--repair');
  }
});

test('the warehouse that a killed run was making is removed by the next run', async () => {
  const root = await lake.copy();
  const args = ['run', lake.pipeline, '--data', root, '--source-url', lake.served.url];
  const traced = await windrowProcess(args, { env: { WINDROW_TRACE_STEPS: '1' } });
  const step = /^step (\d+): warehouse built$/m.exec(traced.stderr)?.[1] ?? '';
  const killed = await windrowProcess(args, { env: { WINDROW_KILL_AT: step } });
  expect(killed.stderr).toContain('warehouse built');
  const staged = await readdir(join(root, 'staging'), { recursive: true });
  expect(staged.filter((name) => name.includes('warehouse-'))).not.toEqual([]);
  const old = join(root, 'staging', 'warehouse-01234567-89ab-cdef-0123-456789abcdef.duckdb');
  await writeFile(old, '');
  await utimes(old, 1, 1);
  expect((await windrow(args)).code).toBe(0);
  const left = await readdir(join(root, 'staging'), { recursive: true });
  expect(left.filter((name) => name.includes('warehouse-'))).toEqual([]);
});
