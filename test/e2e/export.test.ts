import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { recipes } from '../../src/cli/verbs/connect.ts';
import { type Ended, MAIN, windrow } from './command-line.ts';
import { digestsOf, PIPELINE, serve, temporaryRoot } from './harness.ts';

const chain = simulatedChain({ seed: 'exports', head: 400 });

let folder = '';
let data = '';
const cleanups: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const temporary = await temporaryRoot();
  folder = temporary.root;
  data = join(folder, 'data');
  const served = await serve(chainSource(chain));
  cleanups.push(temporary.remove, served.close);
  const file = join(folder, 'exports.yaml');
  const list = `list: ${JSON.stringify(chain.addresses(4))}`;
  await writeFile(file, PIPELINE.replace(/list: \[.*\]/, list));
  const ran = await windrow(['run', file, '--data', data, '--source-url', served.url]);
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const ask = (...args: readonly string[]): Promise<Ended> => windrow([...args, '--data', data]);

async function counted(view: string): Promise<number> {
  const { stdout } = await ask('query', `SELECT count(*) AS n FROM ${view}`, '--json');
  return (JSON.parse(stdout) as { n: number }[])[0]?.n ?? -1;
}

interface ExportedJson {
  readonly name: string;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

async function exportedJson(...args: readonly string[]): Promise<ExportedJson[]> {
  const { code, stdout, stderr } = await ask('export', ...args, '--json');
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { exports: ExportedJson[] }).exports;
}

describe('export', () => {
  test('writes a view in each format with all its rows, and says what it wrote', async () => {
    const rows = await counted('address_activity');
    expect(rows).toBeGreaterThan(20);
    for (const format of ['parquet', 'csv', 'arrow', 'arrow-stream', 'jsonl', 'xlsx']) {
      const [one] = await exportedJson('--view', 'address_activity', '--format', format);
      const bytes = await readFile(one?.file ?? '');
      expect(one).toMatchObject({
        name: 'address_activity',
        rows,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      if (format === 'csv') expect(parse(bytes, { columns: true })).toHaveLength(rows);
      if (format.startsWith('arrow')) expect(tableFromIPC(bytes).numRows).toBe(rows);
    }
    expect((await readdir(join(data, 'exports'))).sort()).toEqual([
      'address_activity.arrow',
      'address_activity.arrows',
      'address_activity.csv',
      'address_activity.jsonl',
      'address_activity.parquet',
      'address_activity.xlsx',
    ]);
  });

  test('writes several views at once, and nothing into the lake', async () => {
    const before = await digestsOf(data);
    const files = await readdir(join(data, 'lake'), { recursive: true });
    const args = ['transactions', 'lake.token_transfers', '--format', 'csv'];
    const exported = await exportedJson(...args);
    expect(exported.map(({ name }) => name)).toEqual(['transactions', 'lake.token_transfers']);
    expect(exported[1]?.rows).toBe(await counted('lake.token_transfers'));
    expect(await digestsOf(data)).toEqual(before);
    expect(await readdir(join(data, 'lake'), { recursive: true })).toEqual(files);
  });

  test('takes the format from the name of the file, and does not replace it unasked', async () => {
    const out = join(folder, 'sums.parquet');
    const args = ['--sql', 'SELECT sum(block_number) AS total FROM transactions', '--out', out];
    expect((await ask('export', ...args)).stdout).toMatch(/^query: 1 row in .*sums\.parquet/);
    const again = await ask('export', ...args);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')]);
    expect((await ask('export', ...args, '--force')).code).toBe(0);
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const described = await connection.runAndReadAll(`DESCRIBE FROM '${out}'`);
    expect(described.getRowObjects()).toMatchObject([{ column_type: 'DECIMAL(38,0)' }]);
    connection.closeSync();
    instance.closeSync();
  });

  test('takes the last of an option that is given again', async () => {
    const args = [
      'coverage',
      '--format',
      'parquet',
      '--format',
      'csv',
      '--data',
      join(folder, 'none'),
    ];
    const [one] = await exportedJson(...args);
    expect(one?.file).toBe(join(data, 'exports', 'coverage.csv'));
  });

  test('that is interrupted exits with 130 and leaves nothing', async () => {
    const out = join(folder, 'endless.csv');
    const sql = "SELECT range, repeat('x', 100) AS x FROM range(100000000000)";
    const args = ['export', '--sql', sql, '--out', out, '--raw-text', '--data', data];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
    const ended = once(child, 'close');
    const begun = async (): Promise<boolean> =>
      (await readdir(folder)).some((name) => name.includes('endless'));
    for (let look = 0; look < 12_000 && !(await begun()); look += 1) await delay(50);
    expect(await begun()).toBe(true);
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    expect(await begun()).toBe(false);
    expect(await readdir(folder)).not.toContain('endless.csv');
  });
});

describe('runs', () => {
  test('lists them, newest first, and leaves out what is no report', async () => {
    const reports = join(data, 'runs');
    const [real = ''] = (await readdir(reports)).filter((name) => name.startsWith('2'));
    const report = JSON.parse(await readFile(join(reports, real), 'utf8')) as object;
    const older = { ...report, run: '20010101T000000Z-aaaaaa' };
    await writeFile(join(reports, '20010101T000000Z-aaaaaa.json'), JSON.stringify(older));
    await writeFile(join(reports, '20010101T000000Z-bbbbbb.json'), '{"run": "torn');
    await writeFile(join(reports, 'notes.json'), '{"mine": true}');
    const listed = await ask('runs', '--json');
    const { runs } = JSON.parse(listed.stdout) as { runs: Record<string, unknown>[] };
    expect(runs).toEqual([
      expect.objectContaining({
        pipeline: 'e2e',
        exit: 0,
        findings: 0,
        requests: expect.any(Number),
      }),
      expect.objectContaining({ run: '20010101T000000Z-aaaaaa' }),
    ]);
    expect(listed.stderr).toContain('20010101T000000Z-bbbbbb.json is not a readable report');
    expect(listed.stderr).toContain('notes.json is not a readable report');
    const one = await ask('runs', '--limit', '1');
    expect(one.stdout).toContain('(1 row)');
    expect(one.stdout).not.toContain('20010101');
  });

  test('tells of one by the beginning of its name', async () => {
    const told = await ask('runs', '20');
    expect(told.code).toBe(2);
    const { stdout } = await ask('runs', '--json', '--limit', '1');
    const name = String((JSON.parse(stdout) as { runs: { run: string }[] }).runs[0]?.run);
    const words = await ask('runs', name.slice(0, 16));
    expect(words.stdout).toMatch(new RegExp(`^Run ${name} of e2e`));
    const whole = await ask('runs', name, '--json');
    expect(JSON.parse(whole.stdout)).toMatchObject({ schemaVersion: 1, run: name, left: 0 });
    expect((await ask('runs', 'nosuch')).code).toBe(2);
  });
});

describe('connect', () => {
  test('quotes a path as each language wants it', async () => {
    const path = `/tmp/it's a "lake" \\ here`;
    const place = { chain: 'MAINCHAIN', dataset: 'transactions', path };
    const texts = new Map(recipes(path, place).map(({ tool, text }) => [tool, text]));
    const shell = texts.get('DuckDB')?.split('\n')[0]?.replace('duckdb -readonly', 'printf %s');
    const { stdout } = await promisify(execFile)('sh', ['-c', shell ?? '']);
    expect(stdout).toBe(path);
    expect(texts.get('DuckDB')).toContain(`delta_scan('/tmp/it''s a "lake" \\ here')`);
    expect(texts.get('Python, polars')).toContain(String.raw`"/tmp/it's a \"lake\" \\ here"`);
    expect(texts.get('ClickHouse')).toContain(String.raw`'/tmp/it\'s a "lake" \\ here'`);
    expect(texts.get('Spark')).toContain(`file:///tmp/it's%20a%20%22lake%22%20%5C%20here`);
  });
});
