import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import type { ExportOne } from '../../../src/export/export.ts';
import { ExportRoot, readBack } from '../../fixtures/export-setup.ts';

/** Goal: a part of a view is written in its order, as lines, as a folder or into a stream. */

const made = await ExportRoot.make(
  `CREATE TABLE moves AS SELECT 9 - range AS height, 'h' || (range % 3) AS hash,
       DATE '2024-01-01' + (range % 3)::INT AS block_date, (range * 1.5)::DECIMAL(38,18) AS amount
     FROM range(9)`,
);

const VIEW = { name: 'moves', source: { view: 'moves' } };

async function lines(narrowing: NonNullable<ExportOne['narrowing']>): Promise<string[]> {
  const [one] = await made.run({ wanted: [{ ...VIEW, narrowing }], format: 'jsonl' });
  return (await readFile(one?.file ?? '', 'utf8')).trimEnd().split('\n');
}

describe('a part of a view', () => {
  test('has the rows of a condition, the columns and the order that are named', async () => {
    const narrowing = { where: 'height > 6 -- the newest', columns: ['hash', 'height'] };
    expect(await lines({ ...narrowing, order: ['height'] })).toEqual([
      '{"hash":"h2","height":7}',
      '{"hash":"h1","height":8}',
      '{"hash":"h0","height":9}',
    ]);
    expect(await lines({ ...narrowing, order: 'all', limit: 2 })).toEqual([
      '{"hash":"h0","height":9}',
      '{"hash":"h1","height":8}',
    ]);
  });

  test.each([
    [{ columns: ['heigth'] }, 'Did you mean height'],
    [{ order: ['nosuch'] }, 'Allowed here'],
    [{ where: '1 = 1) UNION ALL (SELECT * FROM enable_logging()' }, 'Give one SELECT'],
    [{ where: "height IN (SELECT 1 FROM query('SELECT 1'))" }, 'Give one SELECT'],
    [{ where: '1 = 1; DROP TABLE moves' }, 'Check the SQL|Give one SELECT'],
  ])('refuses %j', async (narrowing, advice) => {
    await expect(lines(narrowing)).rejects.toMatchObject({
      advice: expect.stringMatching(new RegExp(advice)),
    });
  });
});

test('JSON Lines keep decimals and long numbers exact, and the order of columns', async () => {
  const sql = `SELECT 1 AS b, 2 AS "1", 1.50::DECIMAL(38,18) AS amount, 9007199254740993 AS n, NULL AS x,
    TIMESTAMPTZ '2024-01-02 03:04:05+00' AS at, 'a"' || chr(10) AS t`;
  const { file, rows } = await made.sql(sql, 'jsonl');
  expect(rows).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(
    '{"b":1,"1":2,"amount":"1.500000000000000000","n":"9007199254740993","x":null,' +
      '"at":"2024-01-02T03:04:05.000Z","t":"a\\"\\n"}\n',
  );
});

describe('a folder', () => {
  const parts = { wanted: [VIEW], partitionBy: 'block_date' };

  test('has one folder per value, and is replaced as a whole', async () => {
    const [one] = await made.run(parts);
    expect(one).toMatchObject({ rows: 9, sha256: null });
    const days = ['2024-01-01', '2024-01-02', '2024-01-03'].map((day) => `block_date=${day}`);
    expect((await readdir(one?.file ?? '')).sort()).toEqual(days);
    await made.run({ ...parts, wanted: [{ ...VIEW, narrowing: { where: 'height > 8' } }] });
    expect(await readdir(one?.file ?? '')).toEqual(days.slice(0, 1));
    const rows = await readBack(
      `SELECT count(*)::INT AS n FROM read_parquet('${one?.file}/*/*.parquet', hive_partitioning = true)`,
    );
    expect(rows).toEqual([{ n: 1 }]);
    await expect(made.run({ ...parts, mayReplace: false })).rejects.toThrow('exists already');
  });

  test('that holds anything else is never replaced', async () => {
    const mine = join(made.root, 'exports', 'mine');
    await mkdir(mine, { recursive: true });
    await writeFile(join(mine, 'notes.txt'), 'mine');
    const wanted = [{ ...VIEW, file: mine }];
    await expect(made.run({ ...parts, wanted })).rejects.toThrow('holds other files (notes.txt)');
    expect(await readdir(mine)).toEqual(['notes.txt']);
  });

  test('needs a known column with few values', async () => {
    await expect(
      made.run({ wanted: [{ ...VIEW, name: 'other' }], partitionBy: 'day' }),
    ).rejects.toThrow('no column "day"');
    const many = { name: 'n', source: { sql: 'SELECT range AS n FROM range(10001)' } };
    const wanted = made.run({ wanted: [many], partitionBy: 'n' });
    await expect(wanted).rejects.toThrow('The column n has 10001 values');
  });
});

describe('a stream', () => {
  async function streamed(one: ExportOne, format: 'arrow' | 'csv' | 'parquet'): Promise<Buffer> {
    const stream = new PassThrough();
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    const [exported] = await made.run({ wanted: [{ ...one, stream }], format });
    expect(exported).toMatchObject({ file: '-', sha256: null });
    expect(stream.writableEnded).toBe(false);
    return Buffer.concat(parts);
  }

  test('gets the bytes of a file, and no file stays', async () => {
    expect((await streamed(VIEW, 'csv')).toString()).toMatch(/^height,hash/);
    expect((await streamed(VIEW, 'parquet')).subarray(0, 4).toString()).toBe('PAR1');
    const left = await readdir(join(made.root, 'exports'));
    expect(left.filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('gets Arrow in one attempt, sums of more than 38 digits as text', async () => {
    const sql = `SELECT * FROM (VALUES (1::HUGEINT), (170141183460469231731687303715884105727)) AS t(n)`;
    const table = tableFromIPC(await streamed({ name: 'n', source: { sql } }, 'arrow'));
    expect([...table].map((row) => String(row['n']))).toEqual([
      '1',
      '170141183460469231731687303715884105727',
    ]);
    expect(tableFromIPC(await streamed(VIEW, 'arrow')).numRows).toBe(9);
  });
});
