import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { keepNames } from '../../src/land/names.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import { LIST, TOKEN_20, transaction, transfer } from '../fixtures/load-lake.ts';
import { lengthened } from '../fixtures/short-addresses.ts';

/** Goal: names of tokens and methods from CSV are in the views, and move no exact amount. */

const small = freshLake(beforeEach);

beforeEach(async () => {
  await localDisk.makeFolder(small.lake.layout.state);
});

const token = (symbol: string, decimals: number | null, amounts: 'whole' | 'raw' = 'whole') => {
  return { symbol, decimals, amounts };
};

describe('tokens', () => {
  const records = ['0x70', '0x71', '0x72', '0x73'].map((tokenContractAddress, i) =>
    transfer({ txId: `0x0${i}`, tokenContractAddress, amount: '1500000.25' }),
  );

  test('have symbols and both kinds of amounts, exact', async () => {
    const tokens = new Map([
      [lengthened('0x70'), token('ONE', 6)],
      [lengthened('0x71'), token('TWO', 2, 'raw')],
      [lengthened('0x72'), token('', null)],
    ]);
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
    await keepNames(small.lake, { tokens });
    await small.publish();
    const columns = 'token_address, symbol, decimals, amount_text, whole_text, raw_text';
    expect(await small.rows(`SELECT ${columns} FROM token_transfers ORDER BY ALL`)).toEqual([
      ['0x70', 'ONE', 6, '1500000.25', '1500000.25', '1500000250000'],
      ['0x71', 'TWO', 2, '1500000.25', '15000.0025', '1500000.25'],
      ['0x72', 'TOK', null, '1500000.25', null, null],
      ['0x73', 'TOK', null, '1500000.25', null, null],
    ]);
    const symbols = 'SELECT symbol, decimals FROM';
    expect(await small.rows(`${symbols} token_balances ORDER BY token_address`)).toEqual([
      ['ONE', 6],
      ['TWO', 2],
      ['TOK', null],
      ['TOK', null],
    ]);
    expect(await small.rows(`${symbols} address_activity ORDER BY token_address LIMIT 1`)).toEqual([
      ['ONE', 6],
    ]);
    expect(await small.rows('FROM tokens ORDER BY ALL')).toEqual([
      ['0x70', 'ONE', 6, 'whole'],
      ['0x71', 'TWO', 2, 'raw'],
    ]);
  });

  test('are replaced by new ones, and taken away by lines without names', async () => {
    const first = new Map([
      [lengthened('0x70'), token('ONE', 6)],
      [lengthened('0x71'), token('TWO', 2)],
    ]);
    await keepNames(small.lake, { tokens: first });
    const second = new Map([
      [lengthened('0x70'), token('', null)],
      [lengthened('0x71'), token('NEW', 0)],
    ]);
    await keepNames(small.lake, { tokens: second });
    await small.publish();
    expect(await small.rows('FROM tokens')).toEqual([['0x71', 'NEW', 0, 'whole']]);
  });
});

test('views join names in lakes that have some, and otherwise read their rows alone', async () => {
  const plan = async (): Promise<string> =>
    String((await small.rows('EXPLAIN SELECT count(*) FROM transactions'))[0]?.[1]);
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
  expect(await plan()).not.toContain('JOIN');
  await keepNames(small.lake, { labels: new Map([[lengthened('0xa'), 'mine']]) });
  await small.publish();
  expect(await plan()).toContain('HASH_JOIN');
  expect(await small.rows('SELECT from_label FROM transactions')).toEqual([['mine']]);
});

test('equal names make no commit, and a damaged table is written again from new ones', async () => {
  const table = small.lake.names.get('labels');
  const labels = new Map([
    [lengthened('0xa'), 'mine'],
    [lengthened('0xb'), 'yours'],
  ]);
  const files = async () => {
    const { version, files: results } = (await table?.stored.snapshot()) ?? {};
    return { version, paths: [...(results?.keys() ?? [])] };
  };
  await keepNames(small.lake, { labels });
  const before = await files();
  await keepNames(small.lake, { labels: new Map([[lengthened('0xb'), 'yours']]) });
  expect(await files()).toEqual(before);
  await small.publish();
  await localDisk.put(join(table?.stored.folder ?? '', before.paths[0] ?? ''), 'damaged');
  await keepNames(small.lake, { labels: new Map([[lengthened('0xb'), 'yours']]) });
  await small.publish();
  expect(await small.rows('FROM labels')).toEqual([['0xb', 'yours']]);
  await localDisk.remove(join(table?.stored.folder ?? '', (await files()).paths[0] ?? ''));
  await small.curate(true);
  const aside = join(small.root, 'damaged', 'test', 'curated', '_names');
  expect(await localDisk.list(aside)).toEqual(['labels']);
});

test('every view with the time of a block has its day', async () => {
  await small.publish();
  const rows = await small.rows(
    `SELECT table_name, list(column_name) FROM duckdb_columns()
     WHERE schema_name IN ('main', 'curated') AND NOT internal GROUP BY ALL`,
  );
  const timed = rows.filter(([, columns]) => String(columns).split(',').includes('block_time'));
  expect(timed.length).toBeGreaterThan(8);
  expect(timed.filter(([, columns]) => !String(columns).includes('block_date'))).toEqual([]);
});

test('points of exact amounts move by any number of places', async () => {
  await small.publish();
  const [row] = await small.rows(
    `SELECT moved_point('1.5', 6), moved_point('1500000', -6), moved_point('0', 18),
       moved_point('1', -77), moved_point('${'9'.repeat(78)}', 0), moved_point('1.5', NULL),
       moved_point('1.5', -78), exact_difference('1', '0.1'), exact_difference('0.1', '1'),
       exact_difference('5', '5'), exact_difference('1', NULL)`,
  );
  const tiny = `0.${'0'.repeat(76)}1`;
  const large = '9'.repeat(78);
  expect(row).toEqual(['1500000', '1.5', '0', tiny, large, null, null, '0.9', '-0.9', '0', null]);
});

test('amounts in wei and in the smallest unit are exact', async () => {
  await small.publish();
  const most = '99999999999999999999.999999999999999999';
  const [row] = await small.rows(
    `SELECT wei_of(1.5), wei_of(NULL), CAST(wei_of('${most}'::DECIMAL(38, 18)) AS VARCHAR),
       raw_amount('1.5', 6, 'whole'), raw_amount('15', 6, 'raw'), raw_amount('15', NULL, 'raw'),
       raw_amount('15', NULL, NULL), whole_number('007'), whole_number('1.9'),
       whole_number('1${'0'.repeat(40)}'), trace_type_of('CREATE2'), trace_type_of('staticcall'),
       trace_type_of('selfdestruct'), trace_type_of(NULL)`,
  );
  const wei = ['1500000000000000000', null, '9'.repeat(38)];
  const raw = ['1500000', '15', null, null];
  expect(row).toEqual([...wei, ...raw, 7, null, null, 'create', 'call', 'suicide', null]);
});
