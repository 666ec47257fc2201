import { beforeAll, expect, test } from 'vitest';
import { type SqlFile, sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { keepNames } from '../../src/land/names.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import {
  CROSS_CHAIN,
  crossing,
  IN_BLOCK,
  INTERNAL,
  INTERNAL_BY_HASH,
  inBlock,
  internal,
  NORMAL,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
  withdrawal,
} from '../fixtures/load-lake.ts';
import { lengthened } from '../fixtures/short-addresses.ts';

/**
 * Goal: the questions of sql/examples have the answers that their heads promise.
 * test/e2e/answers.test.ts compares all of them with a chain.
 */

const small = freshLake(beforeAll);
let examples: SqlFile[];

beforeAll(async () => {
  examples = await sqlFiles('examples');
  const sent = transaction({ amount: '2', state: 'success' });
  const failed = transaction({ txId: '0x02', state: 'fail' });
  const walk = { keys: ['0xa'], records: [transaction({ amount: '2' }), failed] };
  await small.land(TRANSACTIONS, walk);
  await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x01', '0x02'], records: [sent, failed] });
  const back = { ...internal({ from: '0xb', to: '0xa', amount: '0.5' }), state: 'success' };
  await small.land(INTERNAL, { keys: ['0xa'], records: [back, internal({ txId: '0x03' })] });
  await small.land(INTERNAL_BY_HASH, { keys: ['0x01'], records: [back] });
  const large = `1${'0'.repeat(50)}`;
  await small.land(TOKENS, {
    keys: ['0xa'],
    params: TOKEN_20,
    to: 49,
    records: [transfer({ amount: large }), transfer({ from: '0xb', to: '0xa' })],
  });
  const late = { from: 50, status: 'truncated' as const, reason: 'too many' };
  await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, ...late });
  await small.land(CROSS_CHAIN, {
    keys: [''],
    records: [crossing(), withdrawal(), crossing({ status: '0x0' })],
  });
  await localDisk.makeFolder(small.lake.layout.state);
  await keepNames(small.lake, { labels: new Map([[lengthened('0xa'), 'mine']]) });
  await small.publish();
});

const MINED = '2023-11-14T22:13:20.123Z';
const CROSSED = '2023-11-14T22:13:25.123Z';

const answers: Record<string, unknown[][]> = {
  activity_by_label: [
    ['mine', 'primary', 'fee', 1, 2, 1, MINED, MINED],
    ['mine', 'primary', 'internal', 1, 2, 0, MINED, MINED],
    ['mine', 'primary', 'token', 1, 2, 0, MINED, MINED],
    ['mine', 'primary', 'value', 1, 2, 1, MINED, MINED],
    ['mine', 'zone', 'cross_chain', 1, 1, 0, CROSSED, CROSSED],
  ],
  cross_chain_latency: [
    ['Deposit', 'MainToZone', 1, 1, 5, 5, 5, 0],
    ['Withdraw', 'ZoneToMain', 1, 1, -5, -5, -5, 0],
  ],
  fees_by_sender_and_day: [['2023-11-14', '0xa', 2, 1, '0.000042', true]],
  largest_counterparties: [['0xa', '0xb', '0.500000000000000000', '2.000000000000000000', 2, 1, 1]],
  token_net_flow: [
    ['0x70', 'TOK', 'token_20', '25', `1${'0'.repeat(50)}`, `-${'9'.repeat(48)}75`, 2],
  ],
  pending_agreement_by_kind: [],
  pending_values_that_changed: [],
  token_totals: [['0x70', 'token_20', 2, `1${'0'.repeat(48)}25`, 1e50]],
  transfers_by_status: [['token_20', 'success', 2, 1]],
  trusted_ranges: [
    ['0xa', 'mine', 'primary', 0, 49, 0, 99],
    ['0xa', 'mine', 'zone', 0, 99, 0, 99],
  ],
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
  const example = examples.find((each) => each.name === name);
  const answer = await small.ask(example?.sql ?? '');
  expect(answer.rows.map((row) => Object.values(row))).toEqual(answers[name]);
});

test('amounts of which the shares are unknown are in no sum', async () => {
  const shared = await SmallLake.open();
  const paid = transaction({ from: '0xa,0xc', txFee: '0.000021' });
  const got = transfer({ from: '0xb', to: '0xa,0xc' });
  await shared.land(TRANSACTIONS, { keys: ['0xa', '0xc'], records: [paid] });
  await shared.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [got] });
  await shared.land(TOKENS, { keys: ['0xc'], params: TOKEN_20, records: [got] });
  await shared.publish();
  const answersOf = async (name: string): Promise<unknown[][]> => {
    return shared.rows(examples.find((each) => each.name === name)?.sql ?? '');
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
  await some.land(TRANSACTIONS, { keys: ['0xa'], to: 10, records: [transaction()] });
  await some.land(IN_BLOCK, { keys: [''], params: NORMAL, from: 11, to: 11, records: [other] });
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
  await some.land(TRANSACTIONS, { keys: ['0xa'], records });
  await some.publish();
  const fees = 'SELECT transactions, gas_used, fees_text, fees_double FROM fees_daily';
  expect(await some.rows(fees)).toEqual([[2, 42_000, null, null]]);
  const example = examples.find(({ name }) => name === 'gas_by_followed_address_and_day');
  expect(await some.rows(example?.sql ?? '')).toEqual([['2023-11-14', 1, 2, 42_000, null, null]]);
  await some.close();
});
