import { beforeEach, expect, test } from 'vitest';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  block,
  inBlock,
  LIST,
  NORMAL,
  TOKEN_20,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

/** Goal: every record is shown once, as the endpoint that says most of it has it. */

const small = freshLake(beforeEach);

const ask = (sql: string) => small.published(sql);

test('holders are those of the newest ranking that was read to its end', async () => {
  const ranking = (at: number, holder: string, status: 'complete' | 'truncated') =>
    small.land(LIST.holders, {
      keys: [''],
      from: at,
      to: at,
      status,
      records: [{ rank: '1', holderAddress: holder, amount: '5' }],
    });
  await ranking(5, '0xa', 'complete');
  await ranking(7, '0xb', 'complete');
  await ranking(9, '0xc', 'truncated');
  expect(await ask('SELECT as_of_block, holder_address FROM native_holders')).toEqual([[7, '0xb']]);
  expect(
    await ask('SELECT as_of_block, coverage_status FROM native_holders_history ORDER BY ALL'),
  ).toEqual([
    [5, 'complete'],
    [7, 'complete'],
    [9, 'truncated'],
  ]);
});

test('token_flows add exactly what went between two addresses in a day', async () => {
  const large = '9'.repeat(60);
  await small.land(LIST.tokens, {
    keys: ['0xa'],
    params: TOKEN_20,
    records: [
      transfer({ amount: large }),
      transfer({ amount: '1.5' }),
      transfer({ amount: '', from: '0xc', to: '0xa' }),
      transfer({ transactionTime: '1700090000000', height: '20', txId: '0x02' }),
    ],
  });
  expect(
    await ask(
      `SELECT day, from_address, transfers, amount_text, first_block, last_block, coverage_status
       FROM token_flows ORDER BY ALL`,
    ),
  ).toEqual([
    ['2023-11-14', '0xa', 2, `1${'0'.repeat(60)}.5`, 10, 10, 'complete'],
    ['2023-11-14', '0xc', 1, null, 10, 10, 'complete'],
    ['2023-11-15', '0xa', 1, '25', 20, 20, 'complete'],
  ]);
  expect(
    await ask(
      `SELECT day, transfers, amount_text, senders, recipients, coverage_status
       FROM token_flows_daily ORDER BY ALL`,
    ),
  ).toEqual([
    ['2023-11-14', 3, `1${'0'.repeat(60)}.5`, 2, 2, 'complete'],
    ['2023-11-15', 1, '25', 1, 1, 'complete'],
  ]);
});

test('blocks_reconciled says what a block declares and what was landed of it', async () => {
  await small.land(LIST.blocks, { keys: [''], records: [block({ txnInternal: '' })] });
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const compared = `SELECT declared_transactions, landed_transactions, transactions_status,
    declared_internal, internal_status, agrees FROM blocks_reconciled`;
  expect(await ask(compared)).toEqual([[1, 1, 'none', null, 'none', null]]);
  await small.land(LIST.inBlock, {
    keys: [''],
    params: NORMAL,
    records: [inBlock(), inBlock({ txid: '0x02' })],
  });
  expect(await ask(compared)).toEqual([[1, 2, 'complete', null, 'none', false]]);
});
