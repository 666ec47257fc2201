import { expect, test } from 'vitest';
import { textTable } from '../../../../src/load/query/text-table.ts';

const text = { name: 'symbol', type: 'VARCHAR' };
const number = { name: 'rows', type: 'BIGINT' };

test('text stands to the left, numbers to the right, NULL and lists are spelled', () => {
  const columns = [text, number, { name: 'amount', type: 'DECIMAL(38,18)' }];
  const rows = [
    { symbol: 'ETH', rows: 7, amount: '1.50' },
    { symbol: ['a', null], rows: 1234, amount: null },
  ];
  expect(textTable(columns, rows).split('\n')).toEqual([
    'symbol      rows  amount',
    '----------  ----  ------',
    'ETH            7    1.50',
    '["a",null]  1234    NULL',
    '(2 rows)',
  ]);
});

test('without rows there are the columns and their number', () => {
  expect(textTable([text], [])).toBe('symbol\n------\n(0 rows)');
  expect(textTable([text], [{ symbol: 'A' }])).toMatch(/\(1 row\)$/);
});

test.each([
  ['moves the cursor', '\u001b[2J\u001b[H', '\\u{1b}[2J\\u{1b}[H'],
  ['starts a line', 'a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['is a control of eight bits', '\u009b31m', '\\u{9b}31m'],
  ['turns the direction of writing', 'abc\u202edef', 'abc\\u{202e}def'],
  ['cannot be seen', 'U\u200bSDC', 'U\\u{200b}SDC'],
  ['separates lines', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['is piled over the lines around', 'a\u0301\u0301', 'a\\u{301}\\u{301}'],
  ['is half a character', 'a\ud800', 'a\\u{d800}'],
])('a symbol that %s is spelled out', (_, symbol, shown) => {
  expect(textTable([text], [{ symbol }]).split('\n')[2]).toBe(shown);
});

test('a name of a column is as strange as a symbol', () => {
  const columns = [{ name: 'a\u001b[1m', type: 'VARCHAR' }];
  expect(textTable(columns, [])).toContain('a\\u{1b}[1m');
});

test('characters of two cells do not shift the columns behind them', () => {
  const lines = textTable(
    [text, number],
    [
      { symbol: '柴犬', rows: 1 },
      { symbol: '🐕', rows: 1 },
      { symbol: 'DOGE', rows: 1 },
    ],
  ).split('\n');
  expect(lines.slice(2, 5)).toEqual(['柴犬       1', '🐕         1', 'DOGE       1']);
});

test('hashes and the largest amounts are whole, endless text is cut where one can see it', () => {
  const hash = `0x${'f'.repeat(64)}`;
  const amount = String(2n ** 256n - 1n);
  const rows = [{ symbol: hash }, { symbol: amount }, { symbol: 'x'.repeat(101) }];
  const lines = textTable([text], rows).split('\n');
  expect(lines.slice(2, 5)).toEqual([hash, amount, `${'x'.repeat(99)}…`]);
});

test('a table may have more rows than a call can have arguments', () => {
  const rows = Array.from({ length: 150_000 }, (_, i) => ({ n: i }));
  const lines = textTable([{ name: 'n', type: 'BIGINT' }], rows).split('\n');
  expect(lines).toHaveLength(150_003);
  expect(lines.at(-2)).toBe('149999');
});
