import { beforeEach, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { internal, LIST, TOKEN_20, transaction, transfer } from '../../fixtures/load-lake.ts';

/** Goal: every rule of what a leg of the primary chain moved has a row that shows it. */

const small = freshLake(beforeEach);

/** The ledger, as arrays of these columns. */
const ledger = (columns: string) =>
  small.published(`SELECT ${columns} FROM address_activity ORDER BY ALL`);

describe('signed_amount', () => {
  const byHash = (record: WireRecord) => ({ keys: ['0x01'], records: [record] });

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
    await small.land(LIST.transactionsByHash, byHash(transaction({ ...more, state: 'success' })));
    const calls = records.map((record) => ({ ...record, state: 'success' }));
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: calls });
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction(more)] });
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
    await small.land(LIST.tokens, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer({ amount })],
    });
    expect(await ledger('amount_text, signed_amount')).toEqual([[amount, null]]);
  });
});
