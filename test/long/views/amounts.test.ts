import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import {
  IN_BLOCK,
  INTERNAL,
  INTERNAL_BY_HASH,
  INTERNALS,
  inBlock,
  internal,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

/** Goal: every rule of what a leg of the primary chain moved has a row that shows it. */

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

describe('signed_amount', () => {
  test('is NULL where the status is unknown', async () => {
    await small.land(INTERNAL, { keys: ['0xa', '0xb'], records: [internal()] });
    expect(await ledger('amount_text, signed_amount, tx_status')).toEqual([
      ['2', null, null],
      ['2', null, null],
    ]);
  });

  test.each(['delegatecall', 'staticcall', 'callcode', 'DELEGATECALL'])(
    'is 0 for a %s',
    async (operation) => {
      await small.land(INTERNAL, { keys: ['0xa'], records: [internal({ operation })] });
      expect(await ledger('amount_text, signed_amount')).toEqual([['2', '0.000000000000000000']]);
    },
  );

  const success = { state: 'success' };
  const byHash = (record: WireRecord) => ({ keys: ['0x01'], records: [record] });

  test('of value is that of the status: moved, nothing, or unknown', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
    const value = "leg = 'value' AND address = '0xa'";
    for (const [state, amount, fee] of [
      ['success', '-1.500000000000000000', '-0.000021000000000000'],
      ['fail', '0.000000000000000000', '-0.000021000000000000'],
      ['pending', null, null],
      ['', null, '-0.000021000000000000'],
    ] as const) {
      await small.land(TRANSACTIONS_BY_HASH, byHash(transaction({ state })));
      await small.publish();
      const of = (leg: string) =>
        small.rows(`SELECT signed_amount, tx_status FROM address_activity WHERE ${leg}`);
      expect(await of(value), state).toEqual([[amount, state === '' ? null : state]]);
      expect(await of("leg = 'fee'"), state).toEqual([[fee, state === '' ? null : state]]);
    }
  });

  test('of a looked-up call is that of its status', async () => {
    for (const [state, amount] of [
      ['success', '-2.000000000000000000'],
      ['fail', '0.000000000000000000'],
      ['', null],
    ] as const) {
      await small.land(INTERNAL, { keys: ['0xa'], records: [internal()] });
      await small.land(INTERNAL_BY_HASH, byHash({ ...internal(), state }));
      expect(await ledger('amount_text, signed_amount'), state).toEqual([['2', amount]]);
    }
  });

  test('of a call is 0 in a failed transaction, and unknown in a successful one', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal()] });
    await small.land(TRANSACTIONS_BY_HASH, byHash(transaction({ state: 'fail' })));
    const internals =
      "SELECT signed_amount, tx_status FROM address_activity WHERE leg = 'internal'";
    await small.publish();
    expect(await small.rows(internals)).toEqual([['0.000000000000000000', 'fail']]);
    await small.land(TRANSACTIONS_BY_HASH, byHash(transaction(success)));
    await small.publish();
    expect(await small.rows(internals)).toEqual([[null, null]]);
  });

  test('of a record without an operation is unknown, though it says success', async () => {
    const records = [inBlock({ amount: '2' })];
    await small.land(IN_BLOCK, { keys: [''], params: INTERNALS, records });
    expect(await ledger('address, amount_text, signed_amount, tx_status')).toEqual([
      ['0xa', '2', null, 'success'],
      ['0xb', '2', null, 'success'],
    ]);
  });

  test.each([
    ['fail', '0.000000000000000000'],
    ['pending', null],
    ['success', '-25.000000000000000000'],
  ])('of a token transfer in a transaction known as %s is %s', async (state, amount) => {
    await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    await small.land(TRANSACTIONS_BY_HASH, byHash(transaction({ state })));
    await small.publish();
    expect(
      await small.rows("SELECT signed_amount FROM address_activity WHERE leg = 'token'"),
    ).toEqual([[amount]]);
  });

  test('is 0 for an amount of zero, whatever the status', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], records: [internal({ amount: '0' })] });
    expect(await ledger('amount_text, signed_amount')).toEqual([['0', '0.000000000000000000']]);
  });

  test.each([
    ['a call', { to: '0xb' }, { to: '0xb' }],
    ['a creation', { to: '' }, { to: '0xc0', operation: 'create' }],
    ['a creation that names its contract', { to: '0xc0' }, { to: '0xc0', operation: 'create' }],
  ])('counts %s once where a list has it as its own first call', async (_, more, first) => {
    const sender = { isFromContract: false, amount: '1.5' };
    const records = [
      internal({ ...sender, ...first }),
      internal({ from: '0xb', to: '0xa', amount: '1.5', operation: 'call' }),
      internal({ from: '0xb', to: '0xa', amount: '0.25', isFromContract: false }),
    ];
    await small.land(TRANSACTIONS_BY_HASH, byHash(transaction({ ...more, state: 'success' })));
    const calls = records.map((each) => ({ ...each, state: 'success' }));
    await small.land(INTERNAL_BY_HASH, { keys: ['0x01'], records: calls });
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction(more)] });
    await small.publish();
    const rows = await small.rows(
      `SELECT leg, CAST(sum(signed_amount) AS DECIMAL(38, 18)) FROM address_activity
       WHERE address = '0xa' GROUP BY leg ORDER BY leg`,
    );
    expect(rows).toEqual([
      ['fee', '-0.000021000000000000'],
      ['internal', '1.750000000000000000'],
      ['value', '-1.500000000000000000'],
    ]);
  });

  test('is NULL where the amount does not fit, and the exact text stays', async () => {
    const amount = '9'.repeat(78);
    await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer({ amount })] });
    expect(await ledger('amount_text, signed_amount')).toEqual([[amount, null]]);
  });

  test('is NULL where a record names several addresses: each has a row, none a share', async () => {
    const records = [transfer({ from: '0xa,0xc', to: '0xb, 0xb' })];
    await small.land(TOKENS, { keys: ['0xa', '0xb', '0xc'], params: TOKEN_20, records });
    expect(await ledger(MOVES)).toEqual([
      ['0xa', 'token', 'out', '0xb,0xb', '25', null],
      ['0xb', 'token', 'in', '0xa,0xc', '25', null],
      ['0xc', 'token', 'out', '0xb,0xb', '25', null],
    ]);
  });

  test('a fee of several senders is nobody s share either', async () => {
    await small.land(TRANSACTIONS, {
      keys: ['0xa'],
      records: [transaction({ from: '0xa,0xc' })],
    });
    expect(await ledger('leg, amount_text, signed_amount')).toEqual([
      ['fee', '0.000021', null],
      ['value', '1.5', null],
    ]);
  });
});
