import { describe, expect, test } from 'vitest';
import { inOrderOfUse, sqlFile, sqlFiles } from '../../../../src/curate/rule/sql-files.ts';

const HEAD = `-- One row per thing,
-- and no more.
--
-- Second paragraph.
--
-- severity: note
-- column: a | What a is [wei]
-- column: b | What b is, at
--   some length | lake.coverage
CREATE VIEW things AS
-- column: c | not in the head
SELECT 1 AS a, 2 AS b;
`;

test('the head of a file is its meaning, its severity and the comments of its columns', () => {
  const { name, meaning, severity, columns, sql } = sqlFile('things', HEAD);
  expect(name).toBe('things');
  expect(meaning).toBe('One row per thing, and no more. Second paragraph.');
  expect(severity).toBe('note');
  expect([...columns]).toEqual([
    ['a', 'What a is [wei]'],
    ['b', 'What b is, at some length (from lake.coverage)'],
  ]);
  expect(sql).toBe(HEAD);
});

test('a column without a meaning is refused', () => {
  expect(() => sqlFile('things', '-- column: a\nSELECT 1;')).toThrow('without a meaning');
  expect(() => sqlFile('things', '-- column: | b\nSELECT 1;')).toThrow('without a meaning');
});

describe.each(['views', 'macros', 'checks', 'examples'] as const)('sql/%s', (folder) => {
  test('every file says what it means and fits 100 columns', async () => {
    const files = await sqlFiles(folder);
    expect(files.length).toBeGreaterThan(1);
    for (const { name, meaning, sql } of files) {
      expect(meaning.length, name).toBeGreaterThan(40);
      const overlong = sql.split('\n').filter((line) => line.length > 100);
      expect(overlong, name).toEqual([]);
    }
  });
});

test('a view or macro is called as its file', async () => {
  for (const folder of ['views', 'macros'] as const) {
    for (const { name, sql } of await sqlFiles(folder)) {
      const kind = folder === 'views' ? 'VIEW' : 'MACRO';
      expect(sql).toMatch(new RegExp(`^CREATE ${kind} ${name}\\b`, 'm'));
    }
  }
});

test('no view has UNNEST between a LIMIT and its rows, where DuckDB 1.5 crashes', async () => {
  const files = [...(await sqlFiles('views')), ...(await sqlFiles('macros'))];
  const unnesting = files.filter(({ sql }) => /\bunnest\(/i.test(sql.replace(/--.*$/gm, '')));
  expect(unnesting.map(({ name }) => name)).toEqual([]);
});

test('files come after those they read from or call, whatever they are called', () => {
  const files = [
    sqlFile('a', 'CREATE VIEW a AS FROM b; -- FROM d'),
    sqlFile('b', 'CREATE VIEW b AS SELECT 1 FROM x JOIN c ON true'),
    sqlFile('c', 'CREATE VIEW c AS SELECT d(1) FROM lake.a'),
    sqlFile('d', 'CREATE MACRO d(x) AS x + known.a(x)'),
  ];
  expect(inOrderOfUse(files).map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
  expect(() => inOrderOfUse([...files.slice(0, 3), sqlFile('d', 'FROM a')])).toThrow('each other');
});
