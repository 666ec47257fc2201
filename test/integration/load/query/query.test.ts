import { access, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { layout } from '../../../../src/land/storage/layout.ts';
import { query } from '../../../../src/load/query/query.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../../fixtures/load-lake.ts';
import { shortened } from '../../../fixtures/short-addresses.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const small = freshLake(beforeAll);

beforeAll(async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
});

const refusal = (message: string) =>
  expect.objectContaining({
    name: 'Fault',
    kind: 'query',
    message: expect.stringContaining(message),
  });

describe('statements that are answered', () => {
  test.each([
    'SELECT 1 AS one',
    'FROM transactions',
    'WITH t AS (SELECT 1) SELECT * FROM t;',
    'VALUES (1)',
    'DESCRIBE transactions',
    'SHOW ALL TABLES',
    'SUMMARIZE lake.coverage',
    '-- a comment\nSELECT 1',
    'SELECT unnest([1, 2])',
    'SELECT * FROM range(3)',
    "SELECT * FROM duckdb_columns() WHERE table_name = 'transactions'",
    'PIVOT (SELECT 1 AS a, 2 AS b) ON a IN (1) USING sum(b)',
    'EXPLAIN SELECT 1',
    'explain analyze FROM transactions',
  ])('%s', async (sql) => {
    await expect(small.ask(sql)).resolves.toBeDefined();
  });
});

describe('statements that are refused', () => {
  test.each([
    ['', 'not 0'],
    ['-- nothing', 'not 0'],
    ['SELECT 1; SELECT 2', 'not 2'],
    ['CREATE TABLE t (a INTEGER)', 'Only SELECT'],
    ['CREATE TEMP TABLE t (a INTEGER)', 'Only SELECT'],
    ['INSERT INTO lake.tables VALUES (1)', 'Only SELECT'],
    ['SET threads = 1', 'Only SELECT'],
    ['PRAGMA version', 'Only SELECT'],
    ["ATTACH ':memory:' AS other", 'Only SELECT'],
    ["COPY (SELECT 1) TO 'x.csv'", 'Only SELECT'],
    ["EXPLAIN ANALYZE COPY (SELECT 1) TO 'x.csv'", 'Only SELECT'],
    ['INSTALL httpfs', 'Only SELECT'],
    ['PIVOT (SELECT 1 AS a, 2 AS b) ON a USING sum(b)', 'Only SELECT'],
    ["SELECT * FROM query('SELECT 1')", 'table function "query"'],
    ['SELECT * FROM enable_logging()', 'table function "enable_logging"'],
    ['SELECT (SELECT count(*) FROM Enable_Logging())', 'table function "enable_logging"'],
    ['WITH t AS (FROM checkpoint()) FROM t', 'table function "checkpoint"'],
    ['SELECT 1 UNION ALL SELECT 1 FROM duckdb_secrets()', 'table function "duckdb_secrets"'],
    ['SELEC 1', 'syntax error'],
    ['SELECT * FROM lake.nothing', 'nothing does not exist'],
    ['SELECT $1', ''],
  ])('%s', async (sql, message) => {
    await expect(small.ask(sql)).rejects.toEqual(refusal(message));
  });

  test('a refusal says what to do', async () => {
    await expect(small.ask('DROP TABLE lake.tables')).rejects.toMatchObject({
      advice: expect.stringContaining('Give one SELECT'),
    });
  });
});

const absent = ['SELECT value FROM labels', 'SELECT t.value FROM labels t'];
test.each(absent)('%s is told the columns that there are', async (sql) => {
  const advice = expect.stringMatching(/^labels has address, label\. windrow describe/);
  await expect(small.ask(sql)).rejects.toMatchObject({ advice });
});

describe('what SQL can reach', () => {
  test('files outside the data root are out of reach, also beside it and through ..', async () => {
    const sibling = `${small.root}-sibling`;
    await mkdir(sibling);
    await writeFile(join(sibling, 'secret.csv'), 'a\n1\n');
    try {
      for (const path of [
        '/etc/passwd',
        `${sibling}/secret.csv`,
        `${small.root}/../${sibling.split('/').at(-1)}/secret.csv`,
      ]) {
        const sql = `SELECT * FROM read_text('${path}')`;
        await expect(small.ask(sql)).rejects.toEqual(refusal('disabled by configuration'));
      }
      await expect(small.ask(`FROM '${sibling}/secret.csv'`)).rejects.toEqual(refusal(''));
    } finally {
      await rm(sibling, { recursive: true });
    }
  });

  test('addresses of other machines are out of reach', async () => {
    await expect(small.ask("FROM read_parquet('http://127.0.0.1:9/a.parquet')")).rejects.toEqual(
      refusal(''),
    );
  });

  test('files of the data root can be read', async () => {
    await writeFile(join(small.root, 'labels.csv'), 'address,label\n0xa,mine\n');
    expect(await small.rows(`SELECT label FROM '${small.root}/labels.csv'`)).toEqual([['mine']]);
  });

  test('nothing is written to the data root', async () => {
    const before = await readdir(small.root, { recursive: true });
    const logs = `'file', storage_config = {'path': '${small.root}/logs'}`;
    for (const sql of [
      `SELECT * FROM enable_logging('QueryLog', storage = ${logs})`,
      `EXPLAIN ANALYZE COPY (SELECT 1) TO '${small.root}/x.csv'`,
    ]) {
      await expect(small.ask(sql)).rejects.toEqual(refusal(''));
    }
    expect(await readdir(small.root, { recursive: true })).toEqual(before);
  });

  test('the warehouse is opened read-only, and by several at once', async () => {
    const sql = "SELECT readonly FROM duckdb_databases() WHERE database_name = 'warehouse'";
    const answers = await Promise.all(Array.from({ length: 4 }, () => small.rows(sql)));
    expect(answers).toEqual(Array.from({ length: 4 }, () => [[true]]));
  });

  test('a data root that is reached through a link is still the data root', async () => {
    const folder = await freshFolder();
    await symlink(small.root, join(folder, 'data'));
    const { warehouse } = layout(join(folder, 'data'));
    const { rows } = await query(warehouse, 'SELECT tx_hash FROM transactions');
    expect(shortened(rows)).toEqual([{ tx_hash: '0x01' }]);
  });
});

describe('what JSON gets', () => {
  test.each([
    ['NULL', null],
    ['true', true],
    ['1::TINYINT', 1],
    ['9007199254740991::BIGINT', 9007199254740991],
    ['9007199254740992::BIGINT', '9007199254740992'],
    ['-9007199254740992::HUGEINT', '-9007199254740992'],
    ['sum(1::BIGINT)', 1],
    [
      "'115792089237316195423570985008687907853269984665640564039457584007913129639935'::BIGNUM",
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    ],
    ['1.50::DECIMAL(38,18)', '1.500000000000000000'],
    ['-0.1::DECIMAL(4,1)', '-0.1'],
    ['0.5::DOUBLE', 0.5],
    ["'nan'::DOUBLE", 'NaN'],
    ["TIMESTAMPTZ '2024-01-02 03:04:05.678+02'", '2024-01-02T01:04:05.678Z'],
    ["TIMESTAMP '1969-12-31 23:59:59.999999'", '1969-12-31T23:59:59.999999Z'],
    ["TIMESTAMP 'infinity'", 'infinity'],
    ["DATE '2024-01-02'", '2024-01-02'],
    ["INTERVAL '1 day'", '1 day'],
    ["['a', NULL]", ['a', null]],
    ["{'a': 1, 'b': [2::DECIMAL(3,1)]}", { a: 1, b: ['2.0'] }],
    ["MAP {'k': 1}", [{ key: 'k', value: 1 }]],
  ])('%s', async (sql, value) => {
    const { rows } = await small.ask(`SELECT ${sql} AS v`);
    expect(rows).toEqual([{ v: value }]);
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  });

  test('columns of one name are told apart, and types are named', async () => {
    const { columns, rows } = await small.ask(
      "SELECT 1 AS a, 'x' AS a, block_time FROM transactions",
    );
    expect(columns).toEqual([
      { name: 'a', type: 'INTEGER' },
      { name: 'a:1', type: 'VARCHAR' },
      { name: 'block_time', type: 'TIMESTAMP WITH TIME ZONE' },
    ]);
    expect(rows).toEqual([{ a: 1, 'a:1': 'x', block_time: '2023-11-14T22:13:20.123Z' }]);
  });

  test('a column called __proto__ is a column', async () => {
    const { rows } = await small.ask('SELECT 1 AS "__proto__"');
    expect(Object.keys(rows[0] ?? {})).toEqual(['__proto__']);
  });
});

describe('limits', () => {
  test('rows beyond the limit are cut off, and the answer says so', async () => {
    const answer = await small.ask('FROM range(100000)', { maxRows: 3 });
    expect(answer.rows.map((row) => row['range'])).toEqual([0, 1, 2]);
    expect(answer.truncated).toBe(true);
  });

  test('exactly as many rows as the limit are not cut off', async () => {
    for (const rows of [1, 2048, 5000]) {
      const answer = await small.ask(`FROM range(${rows})`, { maxRows: rows });
      expect(answer.rows).toHaveLength(rows);
      expect(answer.truncated).toBe(false);
    }
  });

  test('an answer that was cut short by its time is no answer', async () => {
    const wide = "SELECT range, repeat('x', 1000) AS text FROM range(1000000000)";
    const answer = small.ask(wide, { timeoutMs: 400, maxRows: 10_000_000 });
    await expect(answer).rejects.toEqual(refusal('longer than 0.4 s'));
  });

  test.each([0, 1, 20])('a query that takes longer than %d ms is stopped', async (timeoutMs) => {
    const endless = 'SELECT count(*) FROM range(1e9::BIGINT) a, range(1e9::BIGINT) b';
    await expect(
      small.ask(`${endless} WHERE a.range % 7 = b.range % 11`, { timeoutMs }),
    ).rejects.toEqual(refusal(`longer than ${timeoutMs / 1000} s`));
    expect(await small.rows('SELECT 1')).toEqual([[1]]);
  });
});

test('without a warehouse the answer is to run a pipeline first, and none is made', async () => {
  const folder = await freshFolder();
  const { warehouse } = layout(folder);
  await expect(query(warehouse, 'SELECT 1')).rejects.toMatchObject({
    kind: 'query',
    where: warehouse,
    advice: expect.stringContaining('Run a pipeline'),
  });
  await expect(access(warehouse)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file that is no warehouse is refused with the reason', async () => {
  const folder = await freshFolder();
  await writeFile(layout(folder).warehouse, 'not a database at all');
  await expect(query(layout(folder).warehouse, 'SELECT 1')).rejects.toEqual(
    refusal('not a valid DuckDB database'),
  );
});
