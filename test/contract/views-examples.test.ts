import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SqlFile, sqlFiles } from '../../src/load/sql-files.ts';
import {
  CROSS_CHAIN,
  crossing,
  INTERNAL,
  INTERNAL_BY_HASH,
  internal,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
  withdrawal,
} from '../unit/load-lake.ts';

/** Goal: the questions of sql/examples have the answers that their heads promise. */

let small: SmallLake;
let examples: SqlFile[];

beforeAll(async () => {
  small = await SmallLake.open();
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
  await small.publish();
});

afterAll(() => small.close());

const answers: Record<string, unknown[][]> = {
  cross_chain_latency: [
    ['Deposit', 'MainToZone', 1, 1, 5, 5, 5, 0],
    ['Withdraw', 'ZoneToMain', 1, 1, -5, -5, -5, 0],
  ],
  fees_by_sender_and_day: [['2023-11-14', '0xa', 2, 1, '0.000042', true]],
  largest_counterparties: [['0xa', '0xb', '0.500000000000000000', '2.000000000000000000', 2, 1, 1]],
  token_net_flow: [
    ['0x70', 'TOK', 'token_20', '25', `1${'0'.repeat(50)}`, `-${'9'.repeat(48)}75`, 2],
  ],
  where_data_is_incomplete: [
    ['token_transfers', 'token_standard=token_20', '0xa', 'truncated', 'too many', 50, 99, 50],
  ],
};

test('every example has its test here', () => {
  expect(examples.map(({ name }) => name)).toEqual(Object.keys(answers));
});

test.each(Object.keys(answers))('%s', async (name) => {
  const example = examples.find((each) => each.name === name);
  const answer = await small.ask(example?.sql ?? '');
  expect(answer.columns.map((column) => column.name)).toEqual([...(example?.columns.keys() ?? [])]);
  expect(answer.rows.map((row) => Object.values(row))).toEqual(answers[name]);
});
