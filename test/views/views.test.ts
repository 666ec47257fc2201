import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { datasets, recordColumns } from '../../src/catalogue/index.ts';
import { CURATED_TABLES } from '../../src/curate/curated-tables.ts';
import { ruleSql } from '../../src/curate/rule/rule-sql.ts';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import { LIST } from '../fixtures/load-lake.ts';

/** Macros that others are made of; only the last one of a file is for users. */
const HELPERS = [
  'exact_added',
  'exact_decimal',
  'exact_fraction',
  'exact_less',
  'exact_parts',
  'exact_units',
  'has_long_fraction',
]
  .map((name) => `'${name}'`)
  .join();

const small = freshLake(beforeEach);

describe('comments', () => {
  test('every view, table, macro and column of the warehouse has one', async () => {
    const { views } = await small.publish();
    expect(views.length).toBeGreaterThan(datasets.length);
    const columns = await small.rows(
      'SELECT schema_name, table_name, column_name, comment FROM duckdb_columns() ' +
        "WHERE NOT internal AND schema_name NOT IN ('files', 'curated_files')",
    );
    expect(columns.length).toBeGreaterThan(100);
    expect(columns.filter(([, , , comment]) => !comment)).toEqual([]);
    const relations = await small.rows(
      `SELECT view_name, comment FROM duckdb_views()
         WHERE NOT internal AND schema_name <> 'curated_files'
       UNION ALL SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal
       UNION ALL SELECT function_name, comment FROM duckdb_functions()
         WHERE NOT internal AND function_name NOT IN (${HELPERS})`,
    );
    expect(relations.map(([name]) => name)).toEqual(
      expect.arrayContaining(['transactions', 'coverage', 'tables', 'exact_sum', 'complete_until']),
    );
    expect(relations.filter(([, comment]) => !comment)).toEqual([]);
  });

  test('those of the lake are what the catalogue says', async () => {
    await small.publish();
    for (const { name, summary } of datasets) {
      const source = `schema_name = 'lake' AND`;
      expect(
        await small.rows(
          `SELECT column_name, comment FROM duckdb_columns()
           WHERE ${source} table_name = '${name}' ORDER BY column_index`,
        ),
      ).toEqual(tableColumns(name).map((column) => [column.name, column.comment]));
      expect(
        await small.rows(
          `SELECT comment FROM duckdb_views() WHERE ${source} view_name = '${name}'`,
        ),
      ).toEqual([[summary]]);
    }
  });

  test('a head names exactly the columns of its view, in their order', async () => {
    await small.publish();
    for (const { name, columns } of await sqlFiles('views')) {
      const answer = await small.ask(`FROM ${name}`);
      expect([...columns.keys()], name).toEqual(answer.columns.map((column) => column.name));
    }
    const { queries } = await ruleSql();
    for (const { name, file } of CURATED_TABLES) {
      const { columns } = await small.ask(`FROM curated.${name}`);
      const described = [...(queries.get(file)?.columns.keys() ?? [])];
      expect(described, name).toEqual(columns.map((column) => column.name));
    }
  });

  // DuckDB stores several excluded names in any order, and `windrow verify` compares the texts.
  test('no view excludes several columns by name', async () => {
    const files = [...(await sqlFiles('views')), ...(await sqlFiles('familiar'))];
    const several = files.filter(({ sql }) => /\bEXCLUDE \([^)]*,/.test(sql));
    expect(several.map(({ name }) => name)).toEqual([]);
  });

  test('every content column of a dataset is in its view', async () => {
    const { views } = await small.publish();
    const names = datasets.map(({ name }) => name);
    expect(views).toEqual(expect.arrayContaining(names));
    for (const name of names) {
      const { columns } = await small.ask(`FROM ${name}`);
      const shown = columns.map((column) => column.name);
      // The lists are what the text of the parties says, once more.
      const wanted = recordColumns(name)
        .map((column) => column.name)
        .filter((column) => !column.endsWith('_addresses'));
      expect(shown, name).toEqual(expect.arrayContaining(wanted));
    }
  });
});

test('the view of coverage says every status in words', async () => {
  const statuses = [
    'complete',
    'provisional',
    'truncated',
    'depth_limited',
    'inconsistent',
  ] as const;
  let from = 0;
  for (const status of [...statuses, 'failed' as const]) {
    await small.land(LIST.internal, { keys: ['0xa'], from, to: from + 9, status });
    from += 10;
  }
  await small.publish();
  const rows = await small.rows('SELECT status, meaning FROM coverage ORDER BY from_block');
  expect(rows.map(([status]) => status)).toEqual([...statuses, 'failed']);
  expect(rows.filter(([status, meaning]) => !meaning || meaning === status)).toEqual([]);
});

test('no view of records without a key drops equal rows', async () => {
  const files = await sqlFiles('views');
  const keyless = datasets.filter(({ identity }) => identity.length === 0).map(({ name }) => name);
  expect(keyless).toHaveLength(3);
  for (const { name, sql } of files.filter((file) => keyless.includes(file.name))) {
    const body = sql.replace(/^--.*$/gm, '');
    expect(body, name).not.toMatch(/DISTINCT|GROUP BY|row_number|UNION(?! ALL)/i);
  }
});

test('sql is part of the package', async () => {
  const { files } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { files: string[] };
  expect(files).toContain('sql');
});
