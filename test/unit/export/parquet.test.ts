import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { ExportRoot, readBack } from '../../fixtures/export-setup.ts';

const LARGEST_38 = '9'.repeat(38);
const UINT256 = '115792089237316195423570985008687907853269984665640564039457584007913129639935';

const made = await ExportRoot.make();

/** Types by column, and the rows, as DuckDB finds them in the file. */
async function exported(sql: string) {
  const { file, notes } = await made.sql(sql, 'parquet');
  const described = await readBack(`DESCRIBE FROM '${file}'`);
  const types = Object.fromEntries(
    described.map((column) => [String(column['column_name']), column['column_type']]),
  );
  return { file, notes, types, rows: await readBack(`FROM '${file}'`) };
}

describe('sums', () => {
  test('beyond 2^63 are decimals of 38 digits, never DOUBLE', async () => {
    const { types, rows, notes } = await exported(
      'SELECT sum(x) AS total FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(x)',
    );
    expect(types).toEqual({ total: 'DECIMAL(38,0)' });
    expect(rows).toEqual([{ total: '18446744073709551614' }]);
    expect(notes).toEqual([]);
  });

  test('of 38 digits still fit', async () => {
    const sql = `SELECT '${LARGEST_38}'::HUGEINT AS a, '-${LARGEST_38}'::HUGEINT AS b`;
    const { types, rows } = await exported(sql);
    expect(types).toEqual({ a: 'DECIMAL(38,0)', b: 'DECIMAL(38,0)' });
    expect(rows).toEqual([{ a: LARGEST_38, b: `-${LARGEST_38}` }]);
  });

  test('of more digits are text, with a note, and only those', async () => {
    const { types, rows, notes } = await exported(
      `SELECT * FROM (VALUES ('170141183460469231731687303715884105727'::HUGEINT, 1::HUGEINT),
         (1, NULL)) AS t(a, b)`,
    );
    expect(types).toEqual({ a: 'VARCHAR', b: 'DECIMAL(38,0)' });
    expect(rows).toEqual([
      { a: '170141183460469231731687303715884105727', b: '1' },
      { a: '1', b: null },
    ]);
    expect(notes).toEqual([expect.stringContaining('a is text')]);
  });

  test('within lists and structs are exact too', async () => {
    const { types, rows } = await exported(
      `SELECT [18446744073709551614::HUGEINT] AS l, {'s': 18446744073709551614::UHUGEINT} AS s`,
    );
    expect(types).toEqual({ l: 'DECIMAL(38,0)[]', s: 'STRUCT(s DECIMAL(38,0))' });
    expect(rows).toEqual([{ l: ['18446744073709551614'], s: { s: '18446744073709551614' } }]);
    const large = await exported(
      `SELECT ['170141183460469231731687303715884105727'::HUGEINT] AS l`,
    );
    expect(large.types).toEqual({ l: 'VARCHAR' });
    expect(large.rows).toEqual([{ l: '["170141183460469231731687303715884105727"]' }]);
  });

  test('of 256 bits are text, with a note', async () => {
    const { types, rows, notes } = await exported(`SELECT CAST('${UINT256}' AS BIGNUM) AS total`);
    expect(types).toEqual({ total: 'VARCHAR' });
    expect(rows).toEqual([{ total: UINT256 }]);
    expect(notes).toEqual([expect.stringContaining('BIGNUM')]);
  });

  test('a conversion that the question itself gets wrong is told as such', async () => {
    await expect(made.sql("SELECT 'x'::BIGINT AS a, 1::HUGEINT AS b", 'parquet')).rejects.toThrow(
      /Conversion Error/,
    );
  });
});

test('the types of the lake arrive as they are, with NULLs', async () => {
  const { types, rows } = await exported(
    `SELECT * FROM (VALUES
       (1::BIGINT, 1.5::DECIMAL(38,18), 'a', true, TIMESTAMPTZ '2024-01-02 03:04:05.678901+00', ['x']),
       (NULL, NULL, NULL, NULL, NULL, NULL)) AS t(height, amount, hash, flag, time, parties)`,
  );
  expect(types).toEqual({
    height: 'BIGINT',
    amount: 'DECIMAL(38,18)',
    hash: 'VARCHAR',
    flag: 'BOOLEAN',
    time: 'TIMESTAMP WITH TIME ZONE',
    parties: 'VARCHAR[]',
  });
  expect(rows[0]).toMatchObject({
    amount: '1.500000000000000000',
    time: '2024-01-02 03:04:05.678901+00',
  });
  expect(Object.values(rows[1] ?? {})).toEqual([null, null, null, null, null, null]);
});

test('what Parquet has no exact type for is text', async () => {
  const { types, notes } = await exported(
    `SELECT INTERVAL '1.000001 seconds' AS i, '101'::BIT AS b, 'x'::ENUM('x', 'y') AS e`,
  );
  expect(Object.values(types)).toEqual(['VARCHAR', 'VARCHAR', 'VARCHAR']);
  expect(notes.map((note) => note.split(' ')[0])).toEqual(['i', 'b']);
});

test('a reader that shares nothing with the writer finds the same', async () => {
  const { file } = await made.sql(
    `SELECT range AS height, 'h' || range AS hash, CASE WHEN range % 2 = 0 THEN ['a', 'b'] END AS l
     FROM range(3)`,
    'parquet',
  );
  const buffer = await asyncBufferFromFile(file);
  const { row_groups } = await parquetMetadataAsync(buffer);
  expect(row_groups[0]?.columns[0]?.meta_data?.codec).toBe('ZSTD');
  expect(await parquetReadObjects({ file: buffer, compressors })).toEqual([
    { height: 0n, hash: 'h0', l: ['a', 'b'] },
    { height: 1n, hash: 'h1', l: undefined },
    { height: 2n, hash: 'h2', l: ['a', 'b'] },
  ]);
});

test('an answer without rows is a file without rows', async () => {
  const { rows, types } = await exported(
    'SELECT 1::BIGINT AS a, sum(2) AS b WHERE false GROUP BY 1',
  );
  expect(rows).toEqual([]);
  expect(types).toEqual({ a: 'BIGINT', b: 'DECIMAL(38,0)' });
});

test('a full disk ends an export with the fault of all other work, and leaves no part', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  const disk = { ...localDisk, sync: () => Promise.reject(full) };
  const file = join(made.root, 'exports', 'q.parquet');
  await expect(made.sql('SELECT 1 AS a', 'parquet', { disk })).rejects.toMatchObject({
    kind: 'lake',
    message: 'The disk is full.',
    where: file,
  });
  expect((await readdir(dirname(file))).filter((name) => name.startsWith('.'))).toEqual([]);
});
