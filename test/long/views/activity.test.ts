import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  IN_BLOCK,
  INTERNAL,
  inBlock,
  internal,
  NORMAL,
  OWN_TRANSACTIONS,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

/** The ledger, as arrays of these columns. */
async function ledger(columns: string): Promise<unknown[][]> {
  await small.publish();
  return small.rows(`SELECT ${columns} FROM address_activity ORDER BY ALL`);
}

const MOVES = 'address, leg, direction, counterparty, amount_text, signed_amount';

describe('legs', () => {
  test('a transaction is a value leg of both sides and a fee leg of its sender', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa', '0xb'], records: [transaction()] });
    expect(await ledger(`${MOVES}, symbol, source`)).toEqual([
      ['0xa', 'fee', 'out', null, '0.000021', '-0.000021000000000000', 'ETH', 'transactions'],
      ['0xa', 'value', 'out', '0xb', '1.5', null, 'ETH', 'transactions'],
      ['0xb', 'value', 'in', '0xa', '1.5', null, 'ETH', 'transactions'],
    ]);
  });

  test('of a record that a complete list does not hold are no better than the record', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'] });
    const status = 'provisional' as const;
    await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x01'], status, records: [transaction()] });
    expect(await ledger('leg, coverage_status')).toEqual([
      ['fee', 'provisional'],
      ['value', 'provisional'],
    ]);
  });

  test('only addresses that were exported have a ledger', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xb'], records: [transaction()] });
    expect(await ledger('address, leg')).toEqual([['0xb', 'value']]);
  });

  test('a token transfer moves what it says: it is the record of an event', async () => {
    await small.land(TOKENS, { keys: ['0xa', '0xb'], params: TOKEN_20, records: [transfer()] });
    expect(await ledger(`${MOVES}, symbol, token_address, token_standard, tx_status`)).toEqual([
      [
        '0xa',
        'token',
        'out',
        '0xb',
        '25',
        '-25.000000000000000000',
        'TOK',
        '0x70',
        'token_20',
        null,
      ],
      ['0xb', 'token', 'in', '0xa', '25', '25.000000000000000000', 'TOK', '0x70', 'token_20', null],
    ]);
  });

  test('a creation has no recipient, so it is a row of the sender only', async () => {
    await small.land(INTERNAL, {
      keys: ['0xa'],
      records: [internal({ operation: 'create', to: '' })],
    });
    expect(await ledger('address, direction, counterparty')).toEqual([['0xa', 'out', null]]);
  });

  test('equal records are equal rows, as many as there are', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal(), internal(), internal()] });
    await small.land(TOKENS, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer(), transfer()],
    });
    await small.publish();
    expect(
      await small.rows('SELECT leg, count(*) FROM address_activity GROUP BY ALL ORDER BY ALL'),
    ).toEqual([
      ['internal', 3],
      ['token', 2],
    ]);
  });

  test('a transfer to itself is an out and an in row that cancel', async () => {
    await small.land(TOKENS, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer({ from: '0xA', to: '0xa' })],
    });
    expect(await ledger(MOVES)).toEqual([
      ['0xa', 'token', 'in', '0xa', '25', '25.000000000000000000'],
      ['0xa', 'token', 'out', '0xa', '25', '-25.000000000000000000'],
    ]);
  });
});

describe('coverage_status', () => {
  test('is that of the address of the row, not of its counterparty', async () => {
    const walk = { params: TOKEN_20, records: [transfer()] };
    await small.land(TOKENS, { ...walk, keys: ['0xb'], status: 'truncated' });
    await small.land(TOKENS, { ...walk, keys: ['0xa'] });
    expect(await ledger('address, coverage_status')).toEqual([
      ['0xa', 'complete'],
      ['0xb', 'truncated'],
    ]);
  });

  test('is that of the dataset: coverage of another one does not count', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa', '0xb'] });
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal()] });
    expect(await ledger('address, leg, coverage_status')).toEqual([
      ['0xa', 'internal', 'complete'],
      ['0xb', 'internal', 'none'],
    ]);
  });

  test('is that of the height', async () => {
    const records = [internal({ height: '10' }), internal({ height: '11', txId: '0x02' })];
    await small.land(
      INTERNAL,
      { keys: ['0xa'], from: 0, to: 10, records: records.slice(0, 1) },
      { keys: ['0xa'], from: 11, to: 99, status: 'provisional', records: records.slice(1) },
    );
    expect(await ledger('block_number, coverage_status')).toEqual([
      [10, 'complete'],
      [11, 'provisional'],
    ]);
  });

  test('of a list of one side is none on the other side', async () => {
    const params = { ...TOKEN_20, isFromOrTo: 'from' };
    await small.land(TOKENS, { keys: ['0xa', '0xb'], params, records: [transfer()] });
    expect(await ledger('address, direction, coverage_status')).toEqual([
      ['0xa', 'out', 'complete'],
      ['0xb', 'in', 'none'],
    ]);
  });
});

describe('coverage_status, where lists stand in for each other', () => {
  test('is complete where any list of the same records is', async () => {
    const records = [transaction()];
    const limited = { status: 'depth_limited' as const };
    await small.land(OWN_TRANSACTIONS, { keys: ['0xa', '0xb'], records, ...limited });
    await small.land(TRANSACTIONS, { keys: ['0xa'], records });
    expect(await ledger('address, leg, coverage_status')).toEqual([
      ['0xa', 'fee', 'complete'],
      ['0xa', 'value', 'complete'],
      ['0xb', 'value', 'depth_limited'],
    ]);
  });

  test('is complete for every address in whole blocks, and these have a ledger', async () => {
    await small.land(TOKENS, {
      keys: ['0xa'],
      params: TOKEN_20,
      status: 'truncated',
      records: [transfer(), transfer({ height: '60', txId: '0x02' })],
    });
    const records = [inBlock({ amount: '25', tokenContractAddress: '0x70' })];
    await small.land(IN_BLOCK, { keys: [''], params: TOKEN_20, to: 50, records });
    expect(await ledger('block_number, address, coverage_status')).toEqual([
      [10, '0xa', 'complete'],
      [10, '0xb', 'complete'],
      [60, '0xa', 'truncated'],
    ]);
  });

  test('of whole blocks that could not be read gives nobody a ledger', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, status: 'failed' });
    expect(await ledger('DISTINCT address')).toEqual([['0xa']]);
  });
});

describe('records that several lists hold', () => {
  const all = { keys: ['0xa', '0xb'], params: TOKEN_20, records: [transfer(), transfer()] };

  test('count once, with every copy', async () => {
    const params = { ...TOKEN_20, tokenContractAddress: '0x70' };
    await small.land(TOKENS, all, { ...all, params });
    await small.publish();
    expect(
      await small.rows(
        'SELECT address, count(*), sum(signed_amount) FROM address_activity GROUP BY ALL ORDER BY ALL',
      ),
    ).toEqual([
      ['0xa', 2, '-50.000000000000000000'],
      ['0xb', 2, '50.000000000000000000'],
    ]);
  });

  test('count in the list that is complete for the address', async () => {
    const params = { ...TOKEN_20, tokenContractAddress: '0x70' };
    await small.land(TOKENS, { ...all, status: 'truncated', records: [transfer()] });
    await small.land(TOKENS, { ...all, params });
    // A list of one token stands in for the wider one where that token is concerned.
    expect(await ledger('address, coverage_status')).toEqual([
      ['0xa', 'complete'],
      ['0xa', 'complete'],
      ['0xb', 'complete'],
      ['0xb', 'complete'],
    ]);
  });

  test('of what was sent and of what was received count once each', async () => {
    const sent = { ...TOKEN_20, isFromOrTo: 'from' };
    const received = { ...TOKEN_20, isFromOrTo: 'to' };
    await small.land(
      TOKENS,
      { keys: ['0xa'], params: sent, records: [transfer()] },
      { keys: ['0xb'], params: received, records: [transfer()] },
    );
    expect(await ledger('address, direction, coverage_status')).toEqual([
      ['0xa', 'out', 'complete'],
      ['0xb', 'in', 'complete'],
    ]);
  });

  test('tokens of different standards are different records', async () => {
    const standards = ['token_20', 'token_721'].flatMap((protocolType) => [
      { ...all, params: { protocolType } },
      { ...all, params: { protocolType, tokenContractAddress: '0x70' } },
    ]);
    await small.land(TOKENS, ...standards);
    await small.publish();
    expect(
      await small.rows(
        `SELECT token_standard, count(*) FROM address_activity WHERE address = '0xa'
         GROUP BY ALL ORDER BY ALL`,
      ),
    ).toEqual([
      ['token_20', 2],
      ['token_721', 2],
    ]);
  });
});
