import { spawn } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { MAIN, windrow } from './command-line.ts';
import { PIPELINE, serve, temporaryRoot } from './harness.ts';

/** Goal: an answer leaves the terminal in every form, and the shell answers like `query`. */

const chain = simulatedChain({ seed: 'answers', head: 300 });
let folder = '';
let data = '';
const cleanups: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const temporary = await temporaryRoot();
  folder = temporary.root;
  data = join(folder, 'data');
  const served = await serve(chainSource(chain));
  cleanups.push(temporary.remove, served.close);
  const file = join(folder, 'answers.yaml');
  const list = `list: ${JSON.stringify(chain.addresses(3))}`;
  await writeFile(file, `${PIPELINE.replace(/list: \[.*\]/, list)}report: html\n`);
  const ran = await windrow(['run', file, '--data', data, '--source-url', served.url]);
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

interface Piped {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs `windrow` as a process with a text on its stdin. */
function piped(args: readonly string[], stdin: string): Promise<Piped> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args, '--data', data]);
    const parts: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.on('data', (part: Buffer) => {
      stderr += String(part);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: Buffer.concat(parts), stderr }));
    child.stdin.end(stdin);
  });
}

const SQL = 'SELECT block_number, tx_hash, amount_text FROM transactions ORDER BY 1, 2 LIMIT 3';
const ask = (...args: readonly string[]) => windrow([...args, '--data', data]);

test('a pipeline with report: html leaves a page in runs, and report writes the same', async () => {
  const names = await readdir(join(data, 'runs'));
  const [page = ''] = names.filter((name) => name.endsWith('.html'));
  expect(names).toContain(page.replace('.html', '.json'));
  const out = join(folder, 'report.html');
  const written = await ask('report', '--out', out);
  expect(written.code, written.stderr).toBe(0);
  expect(written.stdout).toMatch(/^Run .* of e2e: Complete: [\s\S]*requests: [1-9]/);
  expect(await readFile(out, 'utf8')).toBe(await readFile(join(data, 'runs', page), 'utf8'));
  expect((await ask('report', '--out', out)).stderr).toContain('--force');
  expect((await ask('report', 'nosuch')).stderr).toContain(
    `windrow runs --data ${data} lists them`,
  );
});

describe('query', () => {
  test('reads stdin and files, and prints CSV, Markdown and vertical text', async () => {
    const file = join(folder, 'three.sql');
    await writeFile(file, SQL);
    const table = (await ask('query', SQL)).stdout;
    expect(table).toContain('(3 rows)');
    expect((await ask('query', file)).stdout).toBe(table);
    expect((await ask('query', '--file', file)).stdout).toBe(table);
    const csv = await piped(['query', '-', '--csv'], SQL);
    expect(csv.stdout.toString()).toMatch(/^block_number,tx_hash,amount_text\r\n/);
    expect(csv.stdout.toString().split('\r\n')).toHaveLength(5);
    expect((await ask('query', SQL, '--markdown')).stdout.split('\n')).toHaveLength(6);
    expect((await ask('query', SQL, '--vertical')).stdout).toContain('-- row 3 --');
  });

  test('writes a file whole, in the form of its ending, and replaces none unasked', async () => {
    for (const [name, start] of [
      ['a.csv', 'block_number,tx_hash'],
      ['a.json', '[{"block_number":'],
      ['a.md', '| block_number |'],
      ['a.txt', 'block_number  tx_hash'],
    ] as const) {
      const out = join(folder, name);
      const written = await ask('query', SQL, '--out', out);
      expect([written.code, written.stdout], written.stderr).toEqual([0, '']);
      expect(await readFile(out, 'utf8')).toContain(start);
      expect((await ask('query', SQL, '--out', out)).stderr).toContain('--force');
      expect((await ask('query', SQL, '--out', out, '--force')).code).toBe(0);
    }
    const rows = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')) as unknown[];
    expect(rows).toHaveLength(3);
  });

  test.each([
    [[SQL, '--csv', '--markdown'], 'Give one of --csv, --markdown'],
    [[SQL, '--csv', '--json'], 'Give one of'],
    [[SQL, '--out', 'x.parquet'], ' --sql for Parquet'],
    [[], 'or - to read it from stdin'],
    [['none.sql'], 'there is no such file'],
  ])('refuses %j', async (args, advice) => {
    const { code, stderr } = await ask('query', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(advice)]);
  });

  test('says that CSV may have more rows than --max-rows', async () => {
    const { stdout, stderr } = await piped(['query', SQL, '--csv', '--max-rows', '2'], '');
    expect(stdout.toString().split('\r\n')).toHaveLength(4);
    expect(stderr).toContain('--max-rows');
  });
});

test('export streams record batches to stdout', async () => {
  const { code, stdout, stderr } = await piped(
    ['export', '--sql', SQL, '--format', 'arrow', '--out', '-'],
    '',
  );
  expect(code, stderr).toBe(0);
  expect(tableFromIPC(stdout).numRows).toBe(3);
  expect(stderr).toContain('query: 3 rows');
});

test('export writes a folder of Parquet files, one per day', async () => {
  const out = join(folder, 'days');
  const args = ['export', 'transactions', '--partition-by', 'block_date', '--out', out];
  const { code, stderr } = await ask(...args);
  expect(code, stderr).toBe(0);
  expect((await stat(out)).isDirectory()).toBe(true);
});

describe('sql', () => {
  test('answers the statements on stdin, and ends with the first that fails', async () => {
    const good = await piped(['sql'], `.tables\n${SQL}\n;\nSELECT 1 AS one`);
    expect(good.code, good.stderr).toBe(0);
    expect(good.stdout.toString()).toMatch(/^address_activity\n[\s\S]*\(3 rows\)\none\n---\n/);
    const bad = await piped(['sql'], 'SELECT 1;\nDROP TABLE lake.tables;\nSELECT 2 AS two;\n');
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('Give one SELECT')]);
    expect(bad.stdout.toString()).not.toContain('two');
    expect((await piped(['sql', '--json'], 'SELECT 1 AS a;')).stdout.toString()).toBe(
      '[{"a":1}]\n',
    );
  });
});
