import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { datasets, recordColumns } from '../../src/catalogue/index.ts';
import { CURATED_TABLES } from '../../src/curate/curated-tables.ts';
import { ruleSql } from '../../src/curate/rule/rule-sql.ts';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import {
  INTERNAL,
  internal,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  transaction,
  transfer,
} from '../fixtures/load-lake.ts';

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

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

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

describe('transactions', () => {
  test('a transaction that two lists hold is one row: as the complete list has it', async () => {
    const old = { readAtMs: 1_600_000_000_000 };
    await small.land(
      TRANSACTIONS,
      { keys: ['0xa'], ...old, records: [transaction({ symbol: 'OLD', methodId: '' })] },
      {
        keys: ['0xa'],
        params: { isFromOrTo: 'from' },
        status: 'truncated',
        records: [transaction({ symbol: 'NEW', methodId: '0xaa' })],
      },
    );
    await small.publish();
    expect(
      await small.rows('SELECT tx_hash, symbol, method_id, coverage_status FROM transactions'),
    ).toEqual([['0x01', 'OLD', '0xaa', 'complete']]);
  });

  test('of two complete lists the one read last says what may have changed', async () => {
    await small.land(
      TRANSACTIONS,
      { keys: ['0xa'], readAtMs: 1_000, records: [transaction({ symbol: 'OLD' })] },
      {
        keys: ['0xa'],
        params: { isFromOrTo: 'from' },
        readAtMs: 2_000,
        records: [transaction({ symbol: 'NEW' })],
      },
    );
    await small.publish();
    expect(await small.rows('SELECT symbol FROM transactions')).toEqual([['NEW']]);
  });

  test('the status is NULL text where no endpoint that serves one was asked', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
    await small.publish();
    expect(await small.rows('SELECT tx_status, typeof(tx_status) FROM transactions')).toEqual([
      [null, 'VARCHAR'],
    ]);
  });
});

describe('records without a key', () => {
  test('equal internal transactions are all there', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal(), internal(), internal()] });
    await small.publish();
    expect(
      await small.rows('SELECT count(*), list_sort(list(occurrence)) FROM internal_transactions'),
    ).toEqual([[3, [1, 2, 3]]]);
  });

  test('equal token transfers are all there, once where two lists hold them', async () => {
    await small.land(
      TOKENS,
      { keys: ['0xa'], params: TOKEN_20, records: [transfer(), transfer()] },
      {
        keys: ['0xa'],
        params: { ...TOKEN_20, tokenContractAddress: '0x70' },
        records: [transfer(), transfer()],
      },
    );
    await small.publish();
    expect(
      await small.rows(
        'SELECT count(*), list(occurrence ORDER BY occurrence) FROM token_transfers',
      ),
    ).toEqual([[2, [1, 2]]]);
  });
});

/** Status of the only row after one walk over it, per view and dataset. */
describe.each([
  ['transactions', TRANSACTIONS, {}, transaction],
  ['internal_transactions', INTERNAL, {}, internal],
  ['token_transfers', TOKENS, TOKEN_20, transfer],
] as const)('coverage_status of %s', (view, endpoint, params, record) => {
  const status = async (): Promise<unknown> => {
    await small.publish();
    return (await small.rows(`SELECT coverage_status FROM ${view}`)).flat();
  };

  test('is complete where the list is, for the sender or the recipient', async () => {
    const received = record({ txId: '0x02', height: '20', from: '0xc', to: '0xa' });
    const records = [record({ height: '10' }), received];
    await small.land(endpoint, { keys: ['0xa'], params, records });
    await small.publish();
    const rows = await small.rows(
      `SELECT block_number, coverage_status FROM ${view} WHERE from_address = '0xa'
       UNION ALL
       SELECT block_number, coverage_status FROM ${view} WHERE to_address = '0xa' ORDER BY ALL`,
    );
    expect(new Set(rows.map(([, each]) => each))).toEqual(new Set(['complete']));
  });

  test('is that of the coverage where it is not complete', async () => {
    await small.land(endpoint, { keys: ['0xa'], params, status: 'truncated', records: [record()] });
    expect(await status()).toEqual(['truncated']);
  });

  test('is complete where one of the two parties is complete', async () => {
    const walk = { params, records: [record()] };
    await small.land(endpoint, { ...walk, keys: ['0xa'], status: 'provisional' });
    await small.land(endpoint, { ...walk, keys: ['0xb'] });
    expect(await status()).toEqual(['complete']);
  });

  test('looks at the heights: coverage elsewhere does not count', async () => {
    const records = [record({ height: '10' })];
    await small.land(endpoint, {
      keys: ['0xa'],
      params,
      from: 0,
      to: 10,
      status: 'failed',
      records,
    });
    await small.land(endpoint, { keys: ['0xa'], params, from: 11, to: 99 });
    expect(await status()).toEqual(['failed']);
  });

  test('is found for records that name several addresses', async () => {
    const records = [record({ from: '0xd,0xa', to: '0xe,0xf' })];
    await small.land(endpoint, { keys: ['0xa'], params, records });
    expect(await status()).toEqual(['complete']);
  });

  test('is that of its own dataset', async () => {
    const records = [record(), record({ txId: '0x02', from: '0xd,0xa' })];
    await small.land(endpoint, { keys: ['0xee'], params, records });
    for (const other of [TRANSACTIONS, INTERNAL, TOKENS]) {
      if (other !== endpoint) await small.land(other, { keys: ['0xa'], params });
    }
    expect(await status()).toEqual(['none', 'none']);
  });

  test('is none for a row that no coverage names', async () => {
    await small.land(endpoint, { keys: ['0xee'], params, records: [record()] });
    expect(await status()).toEqual(['none']);
  });
});

test('a list of what an address sent proves nothing about what it received', async () => {
  const params = { ...TOKEN_20, isFromOrTo: 'from' };
  await small.land(TOKENS, { keys: ['0xb'], params, records: [transfer()] });
  await small.publish();
  expect(await small.rows('SELECT coverage_status FROM token_transfers')).toEqual([['none']]);
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
    await small.land(INTERNAL, { keys: ['0xa'], from, to: from + 9, status });
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
