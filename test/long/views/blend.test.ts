import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  BLOCK_DETAILS,
  BLOCKS,
  block,
  HOLDERS,
  IN_BLOCK,
  INTERNAL,
  INTERNAL_BY_HASH,
  INTERNALS,
  inBlock,
  internal,
  NORMAL,
  OWN_TRANSACTIONS,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TOKENS_BY_HASH,
  TOKENS_OF_CONTRACT,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

/** Goal: every record is shown once, as the endpoint that says most of it has it. */

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

async function ask(sql: string): Promise<unknown[][]> {
  await small.publish();
  return small.rows(sql);
}

describe('transactions', () => {
  test('every field is of the first endpoint that has it, by hash, address, block', async () => {
    const record = (symbol: string, more = {}) => ({ ...transaction({ symbol }), ...more });
    await small.land(IN_BLOCK, {
      keys: [''],
      params: NORMAL,
      records: [inBlock({ transactionSymbol: 'BLOCK', state: 'fail', methodId: '0xbb' })],
    });
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [record('MULTI')] });
    await small.land(OWN_TRANSACTIONS, {
      keys: ['0xa'],
      records: [record('OWN', { state: '', nonce: '' })],
    });
    const said = 'SELECT symbol, tx_status, method_id, nonce FROM transactions';
    expect(await ask(said)).toEqual([['OWN', 'fail', '0xbb', 7]]);
    await small.land(TRANSACTIONS_BY_HASH, {
      keys: ['0x01'],
      records: [record('HASH', { state: 'success' })],
    });
    expect(await ask(said)).toEqual([['HASH', 'success', '0xbb', 7]]);
    expect(await ask('SELECT sources, coverage_status FROM transactions')).toEqual([
      [[IN_BLOCK, OWN_TRANSACTIONS, TRANSACTIONS, TRANSACTIONS_BY_HASH].sort(), 'complete'],
    ]);
  });

  test('pending gives way to what any other endpoint knows', async () => {
    await small.land(TRANSACTIONS_BY_HASH, {
      keys: ['0x01'],
      records: [{ ...transaction(), state: 'pending' }],
    });
    expect(await ask('SELECT tx_status FROM transactions')).toEqual([['pending']]);
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records: [inBlock()] });
    expect(await ask('SELECT tx_status FROM transactions')).toEqual([['success']]);
  });

  test('a look-up and a list of a block make a row complete as well', async () => {
    await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x01'], records: [transaction()] });
    await small.land(IN_BLOCK, {
      keys: [''],
      params: NORMAL,
      records: [inBlock({ txid: '0x02', from: '0xc,0xd' })],
    });
    await small.land(IN_BLOCK, {
      keys: [''],
      params: NORMAL,
      from: 2000,
      to: 2001,
      status: 'provisional',
      records: [inBlock({ txid: '0x03', height: '2001' })],
    });
    expect(await ask('SELECT tx_hash, coverage_status FROM transactions ORDER BY ALL')).toEqual([
      ['0x01', 'complete'],
      ['0x02', 'complete'],
      ['0x03', 'provisional'],
    ]);
  });
});

describe('internal_transactions', () => {
  const calls = 'SELECT tx_hash, from_address, operation, tx_status FROM internal_transactions';

  test('a complete look-up is all there is of a transaction', async () => {
    await small.land(INTERNAL, {
      keys: ['0xa'],
      records: [internal(), internal({ from: '0xa,0xb' }), internal({ txId: '0x02' })],
    });
    await small.land(INTERNAL_BY_HASH, {
      keys: ['0x01'],
      records: [{ ...internal({ operation: 'create' }), state: 'fail' }],
    });
    expect(await ask(`${calls} ORDER BY ALL`)).toEqual([
      ['0x01', '0xa', 'create', 'fail'],
      ['0x02', '0xa', 'call', null],
    ]);
  });

  test('a look-up that is not complete gives way to a complete list, record by record', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal(), internal()] });
    await small.land(INTERNAL_BY_HASH, {
      keys: ['0x01'],
      status: 'truncated',
      records: [internal({ operation: 'create' }), internal({ from: '0xc', to: '0xd' })],
    });
    expect(await ask(`${calls} ORDER BY ALL`)).toEqual([
      ['0x01', '0xa', 'call', null],
      ['0x01', '0xa', 'call', null],
      ['0x01', '0xc', 'call', null],
    ]);
  });

  test('lists of blocks add records and fields that no other list has, with every copy', async () => {
    await small.land(INTERNAL, {
      keys: ['0xa'],
      records: [internal(), internal({ operation: 'delegatecall' })],
    });
    const records = [
      inBlock({ amount: '2' }),
      inBlock({ amount: '2' }),
      inBlock({ amount: '2', from: '0xc', to: '0xd' }),
      inBlock({ amount: '2', from: '0xc', to: '0xd' }),
    ];
    await small.land(IN_BLOCK, { keys: [''], params: INTERNALS, records });
    expect(await ask(`${calls} ORDER BY ALL`)).toEqual([
      ['0x01', '0xa', 'call', 'success'],
      ['0x01', '0xa', 'delegatecall', 'success'],
      ['0x01', '0xc', null, 'success'],
      ['0x01', '0xc', null, 'success'],
    ]);
  });
});

describe('token_transfers', () => {
  const moved = 'SELECT tx_hash, token_standard, amount_text, sources FROM token_transfers';
  const other = { protocolType: 'token_721' };

  test('a complete look-up is all there is of a transaction, for what it asked', async () => {
    await small.land(
      TOKENS,
      { keys: ['0xa'], params: TOKEN_20, records: [transfer({ amount: '25.0' }), transfer()] },
      { keys: ['0xa'], params: other, records: [transfer({ amount: '1', tokenId: '9' })] },
    );
    await small.land(TOKENS_BY_HASH, {
      keys: ['0x01'],
      params: TOKEN_20,
      records: [transfer(), transfer()],
    });
    expect(await ask(`${moved} ORDER BY ALL`)).toEqual([
      ['0x01', 'token_20', '25', [TOKENS, TOKENS_BY_HASH]],
      ['0x01', 'token_20', '25', [TOKENS, TOKENS_BY_HASH]],
      ['0x01', 'token_721', '1', [TOKENS]],
    ]);
  });

  test('a look-up of all standards takes the standard that the token has elsewhere', async () => {
    await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    const records = [transfer(), transfer({ txId: '0x02', tokenContractAddress: '0x71' })];
    await small.land(TOKENS_BY_HASH, { keys: ['0x01', '0x02'], records });
    expect(await ask(`${moved} ORDER BY ALL`)).toEqual([
      ['0x01', 'token_20', '25', [TOKENS, TOKENS_BY_HASH]],
      ['0x02', null, '25', [TOKENS_BY_HASH]],
    ]);
  });

  test('lists of addresses, of tokens and of blocks show each transfer once', async () => {
    const ofContract = (more = {}) => {
      const { txId, symbol, ...rest } = transfer();
      return { ...rest, txid: txId, transactionSymbol: symbol, protocolType: 'token_20', ...more };
    };
    const ofBlock = (more = {}) => inBlock({ amount: '25', tokenContractAddress: '0x70', ...more });
    await small.land(TOKENS, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer(), transfer()],
    });
    await small.land(TOKENS_OF_CONTRACT, {
      keys: ['0x70'],
      records: [ofContract(), ofContract(), ofContract({ txid: '0x02', from: '0xc' })],
    });
    await small.land(IN_BLOCK, {
      keys: [''],
      params: TOKEN_20,
      records: [
        ofBlock(),
        ofBlock(),
        ofBlock({ txid: '0x02', from: '0xc' }),
        ofBlock({ txid: '0x03', tokenContractAddress: '0x71', from: '0xd' }),
      ],
    });
    expect(await ask(`${moved} ORDER BY ALL`)).toEqual([
      ['0x01', 'token_20', '25', [TOKENS, IN_BLOCK, TOKENS_OF_CONTRACT]],
      ['0x01', 'token_20', '25', [TOKENS, IN_BLOCK, TOKENS_OF_CONTRACT]],
      ['0x02', 'token_20', '25', [IN_BLOCK, TOKENS_OF_CONTRACT]],
      ['0x03', 'token_20', '25', [IN_BLOCK]],
    ]);
    expect(await ask('SELECT DISTINCT coverage_status FROM token_transfers')).toEqual([
      ['complete'],
    ]);
  });
});

test('blocks are one a hash: details over the list', async () => {
  await small.land(BLOCKS, {
    keys: [''],
    records: [
      block({ avgFee: '5', txnInternal: '', miner: '' }),
      block({ hash: '0xb0', height: '9' }),
    ],
  });
  await small.land(BLOCK_DETAILS, { keys: [''], from: 10, to: 10, records: [block()] });
  expect(
    await ask(
      'SELECT block_hash, txn_internal, avg_fee_text, len(sources) FROM blocks ORDER BY ALL',
    ),
  ).toEqual([
    ['0xb0', null, null, 1],
    ['0xb10c', 1, '5', 2],
  ]);
});

test('holders are those of the newest ranking that was read to its end', async () => {
  const ranking = (at: number, holder: string, status: 'complete' | 'truncated') =>
    small.land(HOLDERS, {
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
  await small.land(TOKENS, {
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
  await small.land(BLOCKS, { keys: [''], records: [block({ txnInternal: '' })] });
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  const compared = `SELECT declared_transactions, landed_transactions, transactions_status,
    declared_internal, internal_status, agrees FROM blocks_reconciled`;
  expect(await ask(compared)).toEqual([[1, 1, 'none', null, 'none', null]]);
  await small.land(IN_BLOCK, {
    keys: [''],
    params: NORMAL,
    records: [inBlock(), inBlock({ txid: '0x02' })],
  });
  expect(await ask(compared)).toEqual([[1, 2, 'complete', null, 'none', false]]);
});
