import { beforeAll, expect, test } from 'vitest';
import { type SqlFile, sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { keepNames } from '../../src/land/names.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import {
  inBlock,
  LIST,
  NORMAL,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
} from '../fixtures/load-lake.ts';
import { lengthened } from '../fixtures/short-addresses.ts';

/**
 * Goal: the questions of sql/examples have the answers that their heads promise, also where no chain
 * has such amounts or such coverage. test/e2e/answers.test.ts compares all of them with a chain.
 */

const small = freshLake(beforeAll);
let examples: SqlFile[];

beforeAll(async () => {
  examples = await sqlFiles('examples');
  const large = `1${'0'.repeat(50)}`;
  await small.land(LIST.tokens, {
    keys: ['0xa'],
    params: TOKEN_20,
    to: 49,
    records: [transfer({ amount: large }), transfer({ from: '0xb', to: '0xa' })],
  });
  const late = { from: 50, status: 'truncated' as const, reason: 'too many' };
  await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, ...late });
  await localDisk.makeFolder(small.lake.layout.state);
  await keepNames(small.lake, { labels: new Map([[lengthened('0xa'), 'mine']]) });
  await small.publish();
});

const answers: Record<string, unknown[][]> = {
  token_net_flow: [
    ['0x70', 'TOK', 'token_20', '25', `1${'0'.repeat(50)}`, `-${'9'.repeat(48)}75`, 2],
  ],
  token_totals: [['0x70', 'token_20', 2, `1${'0'.repeat(48)}25`, 1e50]],
  trusted_ranges: [['0xa', 'mine', 'primary', 0, 49, 0, 99]],
  where_data_is_incomplete: [
    ['token_transfers', 'token_standard=token_20', '0xa', 'truncated', 'too many', 50, 99, 50],
  ],
};

test('every example runs, and names its columns', async () => {
  expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(answers)));
  for (const { name, sql, columns } of examples) {
    const answer = await small.ask(sql);
    expect([...columns.keys()], name).toEqual(answer.columns.map((column) => column.name));
  }
});

test.each(Object.keys(answers))('%s', async (name) => {
  const example = examples.find((entry) => entry.name === name);
  const answer = await small.ask(example?.sql ?? '');
  expect(answer.rows.map((row) => Object.values(row))).toEqual(answers[name]);
});

test('amounts of which the shares are unknown are in no sum', async () => {
  const shared = await SmallLake.open();
  const paid = transaction({ from: '0xa,0xc', txFee: '0.000021' });
  const got = transfer({ from: '0xb', to: '0xa,0xc' });
  await shared.land(LIST.transactions, { keys: ['0xa', '0xc'], records: [paid] });
  await shared.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [got] });
  await shared.land(LIST.tokens, { keys: ['0xc'], params: TOKEN_20, records: [got] });
  await shared.publish();
  const answersOf = async (name: string): Promise<unknown[][]> => {
    return shared.rows(examples.find((entry) => entry.name === name)?.sql ?? '');
  };
  expect(await answersOf('fees_by_sender_and_day')).toEqual([
    ['2023-11-14', '0xa', 1, 0, null, true],
    ['2023-11-14', '0xc', 1, 0, null, true],
  ]);
  expect(await answersOf('token_net_flow')).toEqual([
    ['0x70', 'TOK', 'token_20', '0', '0', '0', 2],
  ]);
  await shared.close();
});

test('gas is no sum of a part of the transactions', async () => {
  const some = await SmallLake.open();
  const other = inBlock({ txid: '0x02', height: '11' });
  await some.land(LIST.transactions, { keys: ['0xa'], to: 10, records: [transaction()] });
  await some.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 11, to: 11, records: [other] });
  await some.publish();
  const fees = 'SELECT transactions, gas_used, fees_text FROM fees_daily';
  expect(await some.rows(fees)).toEqual([[2, null, '0.000042']]);
  const example = examples.find(({ name }) => name === 'gas_by_followed_address_and_day');
  expect(await some.rows(example?.sql ?? '')).toEqual([
    ['2023-11-14', 1, 2, null, '0.000042', 0.000042],
  ]);
  await some.close();
});

test('fees are no sum of a part of the transactions', async () => {
  const some = await SmallLake.open();
  const records = [transaction(), transaction({ txId: '0x02', txFee: '' })];
  await some.land(LIST.transactions, { keys: ['0xa'], records });
  await some.publish();
  const fees = 'SELECT transactions, gas_used, fees_text, fees_double FROM fees_daily';
  expect(await some.rows(fees)).toEqual([[2, 42_000, null, null]]);
  const example = examples.find(({ name }) => name === 'gas_by_followed_address_and_day');
  expect(await some.rows(example?.sql ?? '')).toEqual([['2023-11-14', 1, 2, 42_000, null, null]]);
  await some.close();
});
