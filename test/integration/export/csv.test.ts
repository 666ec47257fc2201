import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { ExportRoot, readBack } from '../../fixtures/export-setup.ts';
import { CELLS, CODE, FORMULAS, MARKUP, SHEETS } from '../../fixtures/injections.ts';

const made = await ExportRoot.make();

async function csv(sql: string, isRaw = false): Promise<string> {
  return readFile((await made.sql(sql, 'csv', { isRaw })).file, 'utf8');
}

/** The cells of the only column, as a strict reader of RFC 4180 sees them. */
async function cells(sql: string, isRaw = false): Promise<string[]> {
  const records: string[][] = parse(await csv(sql, isRaw), {
    from_line: 2,
    record_delimiter: '\r\n',
  });
  return records.map(([cell]) => cell ?? '');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

describe('text that a spreadsheet would run', () => {
  const hostile = [
    '=HYPERLINK("http://x","free")',
    '=1+1',
    '+1+1',
    '-1+1',
    '-',
    '--1',
    '-1.',
    "-1'",
    '@SUM(1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '-1\n=1',
    "'quoted",
    ...FORMULAS,
    '\uff1d1+1',
    '\uff0b1+1',
    '\uff0d1+1',
    '\uff20A1',
    '\ufeff=1+1',
    '\u0001=1+1',
    '\u001f=1+1',
  ];

  test.each(hostile)('%j gets a quote in front', async (text) => {
    expect(await cells(`SELECT ${quoted(text)} AS symbol`)).toEqual([`'${text}`]);
  });

  test('it stays as it is where raw text is asked for', async () => {
    for (const text of hostile) {
      expect(await cells(`SELECT ${quoted(text)} AS symbol`, true)).toEqual([text]);
    }
  });

  test('a header of that kind is guarded too', async () => {
    expect(await csv('SELECT 1 AS "=cmd()"')).toBe("'=cmd()\r\n1\r\n");
    expect(await csv('SELECT 1 AS "=cmd()"', true)).toBe('=cmd()\r\n1\r\n');
  });

  test.each(['=', '\uff1d', '\ufeff=', '\u0001='])(
    'a header that begins with %j, too',
    async (start) => {
      expect(await csv(`SELECT 1 AS "${start}x"`)).toMatch(new RegExp(`^"?'${start}x"?\r\n1\r\n$`));
    },
  );

  test('harmless text and negative amounts kept as text are left alone', async () => {
    for (const text of ['USDC', '-1.50', '-7', 'a=b', ' =1', '"', ',', 'ünïcode 🌾', '0x-']) {
      expect(await cells(`SELECT ${quoted(text)} AS symbol`)).toEqual([text]);
    }
  });

  test('texts of other types are guarded as well', async () => {
    expect(await cells("SELECT INTERVAL '-1 days' AS i")).toEqual(["'-1 day"]);
    expect(await cells("SELECT '=1'::ENUM('=1') AS e")).toEqual(["'=1"]);
    expect(await cells("SELECT '=1'::BLOB AS b")).toEqual(["'=1"]);
  });
});

test('numbers for programs stay exact numbers, negative ones too', async () => {
  const text = await csv(
    `SELECT -1::BIGINT AS a, -1.5::DECIMAL(38,18) AS b, '-170141183460469231731687303715884105728'::HUGEINT AS c,
       CAST('-115792089237316195423570985008687907853269984665640564039457584007913129639935' AS BIGNUM) AS d,
       -0.1::DOUBLE AS e, -127::TINYINT AS f, sum(x) AS g
     FROM (VALUES (9223372036854775807), (9223372036854775807)) AS t(x)`,
    true,
  );
  expect(text.split('\r\n')[1]).toBe(
    '-1,-1.500000000000000000,-170141183460469231731687303715884105728,' +
      '-115792089237316195423570985008687907853269984665640564039457584007913129639935,' +
      '-0.1,-127,18446744073709551614',
  );
});

test('times are in UTC, as spreadsheets read them or as programs do', async () => {
  const sql = `SELECT TIMESTAMPTZ '2024-01-02 03:04:05+02' AS a, TIMESTAMPTZ '2024-01-02 03:04:05.678901+00' AS b,
       TIMESTAMP '2024-01-02 03:04:05.6' AS c, DATE '2024-01-02' AS d, NULL::TIMESTAMPTZ AS e,
       TIMESTAMPTZ '1969-12-31 23:59:59.999999+00' AS f`;
  expect((await csv(sql)).split('\r\n')[1]).toBe(
    '2024-01-02 01:04:05,2024-01-02 03:04:05.678901,2024-01-02 03:04:05.600,2024-01-02,,' +
      '1969-12-31 23:59:59.999999',
  );
  expect((await csv(sql, true)).split('\r\n')[1]).toBe(
    '2024-01-02T01:04:05.000Z,2024-01-02T03:04:05.678901Z,2024-01-02T03:04:05.600Z,2024-01-02,,' +
      '1969-12-31T23:59:59.999999Z',
  );
});

test('records end with CR LF, quotes are doubled, NULL is empty and an empty text is quoted', async () => {
  const text = await csv(
    `SELECT * FROM (VALUES ('a"b', 'c,d', 1), (NULL, '', NULL), (E'e\\nf', E'g\\r', 2)) AS t(a, b, c)`,
  );
  expect(text).toBe('a,b,c\r\n"a""b","c,d",1\r\n,"",\r\n"e\nf","g\r",2\r\n');
});

test('a column in which spreadsheets would change a number is text as a whole', async () => {
  const sql = `SELECT * FROM (VALUES
    ('1', '7', 1::DECIMAL(38,18), 1::HUGEINT, '1', 5::BIGINT),
    ('12345678901234567890', 'USDC', 0.1234567890123456, 170141183460469231731687303715884105727,
     '007', 123456789012345),
    (NULL, '3', NULL, NULL, '-5e3', NULL)) AS t(long, short, amount, huge, odd, height)`;
  const records: string[][] = parse(await csv(sql), { from_line: 2, record_delimiter: '\r\n' });
  expect(records).toEqual([
    ["'1", '7', "'1.000000000000000000", "'1", "'1", '5'],
    [
      "'12345678901234567890",
      'USDC',
      "'0.123456789012345600",
      "'170141183460469231731687303715884105727",
      "'007",
      '123456789012345',
    ],
    ['', '3', '', '', "'-5e3", ''],
  ]);
  const { notes } = await made.sql(sql, 'csv');
  expect(notes.map((note) => note.split(' ')[0])).toEqual(['long', 'amount', 'huge', 'odd']);
});

test('without the quote in front, every text is the one that was written', async () => {
  const texts = [...FORMULAS, "'", "''x", '007', '1e5', '12345678901234567890', 'a"b,c'];
  const rows = texts.map((text, i) => `(${i}, ${quoted(text)})`).join(', ');
  const sql = `SELECT text FROM (VALUES ${rows}) AS t(i, text) ORDER BY i`;
  const read = (await cells(sql)).map((cell) => cell.replace(/^'/, ''));
  expect(read).toEqual(texts);
});

test.each([false, true])('no text leaves its cell (raw: %s)', async (isRaw) => {
  const texts = [...CELLS, ...MARKUP, ...FORMULAS, ...SHEETS, ...CODE].filter(
    (text) => !/\p{Cs}/u.test(text),
  );
  const rows = texts.map((text, i) => `(${i}, ${quoted(text)})`).join(', ');
  const sql = `SELECT text AS a, i, text AS b FROM (VALUES ${rows}) AS t(i, text) ORDER BY i`;
  const records: string[][] = parse(await csv(sql, isRaw), { record_delimiter: '\r\n' });
  expect(records.shift()).toEqual(['a', 'i', 'b']);
  const spelled = (cell = ''): string => (isRaw ? cell : cell.replace(/^'/, ''));
  expect(records.map(([a, i, b]) => [spelled(a), i, spelled(b)])).toEqual(
    texts.map((text, i) => [text, String(i), text]),
  );
  const isRun = ([cell = '']: string[]): boolean =>
    /^[\p{Cc}\ufeff]*[=+\-@]/u.test(cell.normalize('NFKC'));
  expect(records.some(isRun)).toBe(isRaw);
});

test('lists and structs are JSON, and NULL among them is empty', async () => {
  expect(
    await cells(
      `SELECT * FROM (VALUES (['0xa', 'b"c', NULL]), ([]::VARCHAR[]), (NULL)) AS t(parties)`,
    ),
  ).toEqual(['["0xa","b\\"c",null]', '[]', '']);
  expect(
    await cells(`SELECT {'amount': 1.50::DECIMAL(38,18), 'height': 7, 'huge': 1::HUGEINT} AS s`),
  ).toEqual(['{"amount":"1.500000000000000000","height":7,"huge":"1"}']);
});

test('an answer without rows is a header', async () => {
  const exported = await made.sql('SELECT 1 AS a, 2 AS b WHERE false', 'csv');
  expect(await readFile(exported.file, 'utf8')).toBe('a,b\r\n');
  expect(exported.rows).toBe(0);
});

test('another reader finds the same rows', async () => {
  const sql = `SELECT range AS height, '0x' || hex(range) AS hash, range * 1.5::DECIMAL(38,18) AS amount
               FROM range(10000)`;
  const { file, rows } = await made.sql(sql, 'csv');
  expect(rows).toBe(10_000);
  const [seen] = await readBack(
    `SELECT count(*)::INT AS n, sum(height)::BIGINT AS heights, sum(amount)::VARCHAR AS amounts
     FROM read_csv('${file}', types = {'amount': 'DECIMAL(38,18)'})`,
  );
  expect(seen).toEqual({ n: 10_000, heights: '49995000', amounts: '74992500.000000000000000000' });
});
