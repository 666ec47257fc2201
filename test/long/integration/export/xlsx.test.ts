import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ExportRoot } from '../../../fixtures/export-setup.ts';
import { CELLS, FORMULAS, MARKUP, SHEETS } from '../../../fixtures/injections.ts';
import { sheetRows } from '../../../fixtures/sheet-rows.ts';

/** Goal: a workbook shows every value whole, and runs none of them. */

const made = await ExportRoot.make();

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function rowsOf(sql: string): Promise<unknown[][]> {
  return sheetRows(await readFile((await made.sql(sql, 'xlsx')).file));
}

/** XML turns every line end into a line feed. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

test('numbers, times and texts are cells of their kind', async () => {
  const sql = `SELECT 7::BIGINT AS height, 1.5::DECIMAL(38,18) AS amount, 'ETH' AS symbol, true AS ok,
    TIMESTAMPTZ '2024-01-02 03:04:05.678+00' AS at, DATE '2024-01-02' AS day, 0.25::DOUBLE AS x,
    ['a'] AS sources`;
  expect(await rowsOf(sql)).toEqual([
    ['height', 'amount', 'symbol', 'ok', 'at', 'day', 'x', 'sources'],
    [
      7,
      1.5,
      'ETH',
      true,
      new Date('2024-01-02T03:04:05.678Z'),
      new Date('2024-01-02T00:00:00Z'),
      0.25,
      '["a"]',
    ],
  ]);
});

test('a column in which a number would lose digits is text as a whole', async () => {
  const sql = `SELECT * FROM (VALUES (1::HUGEINT, '1'), (123456789012345678, '00012')) AS t(a, b)`;
  expect((await rowsOf(sql)).slice(1)).toEqual([
    ['1', '1'],
    ['123456789012345678', '00012'],
  ]);
  expect((await made.sql(sql, 'xlsx')).notes).toHaveLength(2);
});

test.each([...FORMULAS, ...MARKUP, '_x003D_1', 'a_x0041_b'])(
  '%j is a cell of text',
  async (text) => {
    const [, [cell] = []] = await rowsOf(`SELECT ${quoted(text)} AS symbol`);
    const escaped = text.replaceAll(/_(?=x[0-9A-F]{4}_)/g, '_x005F_');
    expect(cell).toBe(plain(escaped));
  },
);

test('characters that XML forbids are replaced, and long texts cut', async () => {
  const [, [low, long] = []] = await rowsOf(
    `SELECT 'a' || chr(1) || 'b' AS low, repeat('x', 40000) AS long`,
  );
  expect(low).toBe('a\ufffdb');
  expect(String(long)).toHaveLength(32_767);
});

test('texts that break XML or are long are cells of text, each in its place', async () => {
  const texts = [...SHEETS, ...CELLS];
  const values = texts.map((text, i) => `(${i}, ${quoted(text)})`).join(', ');
  const [, ...rows] = await rowsOf(
    `SELECT text AS a, i, text AS b FROM (VALUES ${values}) AS t(i, text) ORDER BY i`,
  );
  expect(rows).toHaveLength(texts.length);
  for (const [i, [first, number, second]] of rows.entries()) {
    expect(number).toBe(i);
    expect([typeof first, second], texts[i]).toEqual(['string', first]);
    expect(first).not.toMatch(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Cs}/u);
  }
});

test('more rows than a sheet has are refused before anything is written', async () => {
  const sql = 'SELECT range AS n FROM range(1048576)';
  await expect(made.sql(sql, 'xlsx')).rejects.toMatchObject({
    message: 'A sheet has at most 1048575 rows of data, not 1048576.',
    advice: expect.stringContaining('--where'),
  });
  const wide = `SELECT ${Array.from({ length: 16_385 }, (_, i) => `1 AS c${i}`).join(', ')}`;
  await expect(made.sql(wide, 'xlsx')).rejects.toThrow('at most 16384 columns');
});
