import { beforeEach, expect, test } from 'vitest';
import { freshLake } from '../fixtures/fresh-lake.ts';
import { internal, LIST, TOKEN_20, transaction, transfer } from '../fixtures/load-lake.ts';

/** Goal: contracts_seen has every address that a record calls a contract, and no other. */

const small = freshLake(beforeEach);

function seen(): Promise<unknown[][]> {
  return small.published(`SELECT address, transactions_to, calls_to, calls_from, token_transfers
    FROM contracts_seen ORDER BY address`);
}

test('contracts that sent or received tokens, or sent a transaction, are there', async () => {
  const paid = transaction({ from: '0xc1', to: '0xa', isFromContract: true });
  await small.land(LIST.transactions, { keys: ['0xa'], records: [paid] });
  const sent = transfer({ to: '0xc2', isToContract: true });
  const got = transfer({ from: '0xc3', to: '0xa', isFromContract: true });
  await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [sent, got] });
  expect(await seen()).toEqual([
    ['0x70', 0, 0, 0, 2],
    ['0xc1', 0, 0, 0, 0],
    ['0xc2', 0, 0, 0, 0],
    ['0xc3', 0, 0, 0, 0],
  ]);
});

test('an address whose creation failed is not there', async () => {
  const create = { operation: 'create', isFromContract: false, isToContract: false };
  const made = internal({ ...create, to: '0xc1' });
  const failed = internal({ ...create, txId: '0x02', to: '0xc2' });
  await small.land(LIST.internal, { keys: ['0xa'], records: [made, failed] });
  await small.land(
    LIST.internalByHash,
    { keys: ['0x01'], records: [{ ...made, state: 'success' }] },
    { keys: ['0x02'], records: [{ ...failed, state: 'fail' }] },
  );
  expect(await seen()).toEqual([['0xc1', 0, 1, 0, 0]]);
});

test('the block of a creation is not that of an earlier record', async () => {
  const paid = transaction({ txId: '0x02', height: '5', to: '0xc1', isToContract: true });
  await small.land(LIST.transactions, { keys: ['0xa'], records: [paid] });
  const made = internal({ operation: 'create2', to: '0xc1' });
  await small.land(LIST.internal, { keys: ['0xa'], records: [made] });
  await small.land(LIST.internalByHash, {
    keys: ['0x01'],
    records: [{ ...made, state: 'success' }],
  });
  await small.publish();
  const request = "SELECT block_number FROM bigquery.contracts WHERE address = '0xc1'";
  expect(await small.rows(request)).toEqual([[10]]);
});
