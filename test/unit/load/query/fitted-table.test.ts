import { expect, test } from 'vitest';
import {
  fittedTable,
  markdownTable,
  verticalText,
} from '../../../../src/load/query/fitted-table.ts';
import { MARKUP } from '../../../fixtures/injections.ts';

/** Goal: an answer fits the terminal without a number that is cut. */

const HASH = `0x${'ab'.repeat(30)}cdef`;
const columns = [
  { name: 'block_number', type: 'BIGINT' },
  { name: 'tx_hash', type: 'VARCHAR' },
  { name: 'amount', type: 'DECIMAL(38,18)' },
  { name: 'note', type: 'VARCHAR' },
];
const rows = [
  { block_number: 1, tx_hash: HASH, amount: '20.143930591326141849', note: 'a '.repeat(80) },
];

const widest = (text: string): number =>
  Math.max(
    ...text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.length),
  );

test.each([300, 200, 150, 120, 100, 80, 60, 50])('fits %i columns', (width) => {
  const { text, hidden } = fittedTable(columns, rows, width);
  expect(widest(text)).toBeLessThanOrEqual(width);
  if (!hidden.includes('amount')) expect(text).toContain('20.143930591326141849');
  expect(hidden.length > 0).toBe(text.includes('  …  '));
});

test('hashes are cut in the middle, texts at their end, and columns give way last', () => {
  expect(fittedTable(columns, rows, 90).text).toMatch(/0x(ab)+a?…\w*cdef/);
  const { hidden } = fittedTable(columns, rows, 40);
  expect(hidden).toEqual(['tx_hash', 'amount']);
  expect(fittedTable(columns, rows, 10).hidden).toHaveLength(3);
});

test('vertical text shows every value whole, on one line', () => {
  const text = verticalText(columns, [{ ...rows[0], note: 'a\nb\u001b[2J' }]);
  expect(text.split('\n')).toEqual([
    '-- row 1 --',
    'block_number: 1',
    `     tx_hash: ${HASH}`,
    '      amount: 20.143930591326141849',
    '        note: a\\nb\\u{1b}[2J',
    '(1 row)',
  ]);
});

test('Markdown aligns numbers', () => {
  const two = columns.slice(0, 2);
  expect(markdownTable(two, [{ block_number: 1, tx_hash: null }])).toBe(
    '| block_number | tx_hash |\n| ---: | --- |\n| 1 | NULL |',
  );
});

test.each([...MARKUP, '[a](http://x)', '![a](b)', '**a**', '`a`', 'a|b', 'https://x.y', 'www.x.y'])(
  'in Markdown, %j starts neither markup nor a link',
  (text) => {
    const [, , row = ''] = markdownTable([{ name: 'n', type: 'VARCHAR' }], [{ n: text }]).split(
      '\n',
    );
    expect(row.split('\n')).toHaveLength(1);
    const cell = row.slice(2, -2);
    expect(cell.replaceAll(/\\[^\w\s]/g, '')).not.toMatch(/[<>`*[\]|&!]|:\/\/|www\./);
  },
);
