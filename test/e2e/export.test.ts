import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { recipes } from '../../src/cli/verbs/connect.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { type Ended, MAIN, windrow } from './command-line.ts';
import { digestsOf, PIPELINE, serve } from './harness.ts';

/** Goal: an answer leaves the lake in every form, and a copy of the lake answers as it does. */

const chain = simulatedChain({ seed: 'exports', head: 400 });

let folder = '';
let data = '';
let url = '';
beforeAll(async () => {
  folder = await freshFolder();
  data = join(folder, 'data');
  const served = await serve(chainSource(chain));
  url = served.url;
  const file = join(folder, 'exports.yaml');
  const list = `list: ${JSON.stringify(chain.addresses(4))}`;
  await writeFile(file, `${PIPELINE.replace(/list: \[.*\]/, list)}report: html\n`);
  const ran = await windrow(['run', file, '--data', data, '--source-url', served.url]);
  expect(ran.code, ran.stderr).toBe(0);
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
      const [one] = await exportedJson('address_activity', '--format', format);
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
    const [real = ''] = (await readdir(reports)).filter((name) => /^2.*json$/.test(name));
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
    const place = { dataset: 'transactions', path };
    const texts = new Map(recipes(path, place).map(({ tool, text }) => [tool, text]));
    const shell = texts.get('DuckDB')?.split('\n')[0]?.replace('duckdb -readonly', 'printf %s');
    const { stdout } = await promisify(execFile)('sh', ['-c', shell ?? '']);
    expect(stdout).toBe(path);
    expect(texts.get('DuckDB')).toContain(`delta_scan('/tmp/it''s a "lake" \\ here')`);
    expect(texts.get('Python, pandas')).toContain(String.raw`"/tmp/it's a \"lake\" \\ here"`);
  });
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

test('a pipeline with report: html leaves a page in runs, and report writes the same', async () => {
  const names = await readdir(join(data, 'runs'));
  const [page = ''] = names.filter((name) => name.endsWith('.html'));
  expect(names).toContain(page.replace('.html', '.json'));
  const out = join(folder, 'report.html');
  const written = await ask('report', '--out', out);
  expect(written.code, written.stderr).toBe(0);
  expect(written.stdout).toMatch(/^Run .* of e2e, .* exit code 0\.\n.* made [1-9]\d* requests/);
  expect(await readFile(out, 'utf8')).toBe(await readFile(join(data, 'runs', page), 'utf8'));
  expect((await ask('report', '--out', out)).stderr).toContain('--force');
  expect((await ask('report', 'nosuch')).stderr).toContain(`windrow runs --data ${data}`);
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

test('a copy of the lake folder alone restores a data root', async () => {
  const counts = `SELECT (SELECT count(*) FROM transactions) AS transactions,
    (SELECT count(*) FROM address_activity) AS legs, (SELECT count(*) FROM coverage) AS coverage`;
  const restored = ['--data', join(folder, 'restored')];
  await cp(join(data, 'lake'), join(folder, 'restored', 'lake'), { recursive: true });
  const verified = await windrow(['verify', ...restored]);
  expect(verified.code, verified.stdout).toBe(0);
  expect((await windrow(['load', ...restored])).code).toBe(0);
  const { stdout } = await windrow(['query', counts, ...restored, '--json']);
  expect(stdout).toBe((await ask('query', counts, '--json')).stdout);
});

describe('a certificate', () => {
  const verified = (file: string, ...args: readonly string[]) =>
    windrow(['certify', 'verify', file, ...args, '--json']);

  test('is checked against the lake and a node, and proves rows without them', async () => {
    const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.json')];
    const made = await ask('certify', 'keygen', key);
    expect([made.code, ((await stat(key)).mode & 0o777).toString(8)]).toEqual([0, '600']);
    const pem = await readFile(key, 'utf8');
    const certified = await ask('certify', '--key', key, '--out', file);
    expect(certified.code, certified.stderr).toBe(0);
    const all = await verified(file, '--data', data, '--witness', `${url}/rpc`);
    expect(all.code, all.stdout).toBe(0);
    const { checks } = JSON.parse(all.stdout) as { checks: { check: string }[] };
    expect(checks.map(({ check }) => check)).toContain('block hashes of the node');
    const proof = join(folder, 'proof.json');
    const one = '(SELECT min(tx_hash) FROM curated.transactions)';
    const proven = await ask('certify', 'prove', file, '--row', `tx_hash = ${one}`, '--out', proof);
    expect(proven.code, proven.stderr).toBe(0);
    expect((await verified(proof)).code).toBe(0);
    const texts = [made, certified, all, proven].map(({ stdout, stderr }) => stdout + stderr);
    texts.push(await readFile(file, 'utf8'), await readFile(proof, 'utf8'));
    expect(texts.join('')).not.toContain(pem.split('\n')[1]);
    await writeFile(proof, (await readFile(proof, 'utf8')).replace('"index":', '"index":1'));
    expect((await verified(proof)).code).toBe(4);
  });

  test('needs a private key, which is neither replaced nor put into the data root', async () => {
    const key = join(folder, 'other.pem');
    expect((await ask('certify', 'keygen', key)).code).toBe(0);
    expect((await ask('certify', 'keygen', key)).stderr).toContain('file of this name already');
    const inside = await ask('certify', 'keygen', join(data, 'key.pem'));
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('the data root')]);
    await chmod(key, 0o644);
    const shared = await ask('certify', '--key', key, '--out', join(folder, 'other.json'));
    expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
    const wrong = join(folder, 'wrong.pem');
    await writeFile(wrong, 'secret words', { mode: 0o600 });
    const refused = await ask('certify', '--key', wrong, '--out', join(folder, 'other.json'));
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('no private Ed25519'),
    ]);
    expect(refused.stderr).not.toContain('secret words');
    expect((await verified(join(folder, 'nowhere.json'))).code).toBe(2);
    vi.stubEnv('MY_NODE', 'http://node.example/?key=hidden');
    const answer = await verified(join(folder, 'certificate.json'), '--witness', 'MY_NODE');
    vi.unstubAllEnvs();
    expect([answer.code, answer.stderr]).toEqual([2, expect.stringContaining('variable MY_NODE')]);
    expect(answer.stderr).not.toContain('hidden');
  });
});
