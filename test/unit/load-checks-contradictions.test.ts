import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runChecks } from '../../src/load/checks.ts';
import type { QueryRow } from '../../src/load/query.ts';
import {
  BLOCK_DETAILS,
  block,
  CROSS_CHAIN,
  CROSS_DETAILS,
  crossing,
  HOLDERS,
  IN_BLOCK,
  INTERNAL,
  INTERNALS,
  inBlock,
  internal,
  NORMAL,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  transaction,
  transfer,
  ZONE_BLOCKS,
  ZONE_DETAILS,
  ZONE_TRANSACTIONS,
  zoneTransaction,
} from './load-lake.ts';

/** Goal: what contradicts itself is found, and what merely was not exported is not. */

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

/** The findings of one check over the lake as it is. */
async function findings(check: string): Promise<readonly QueryRow[]> {
  const { path } = await small.publish();
  const result = (await runChecks(path)).find((each) => each.check === check);
  if (result === undefined) throw new Error(`there is no check ${check}`);
  return result.findings;
}

describe('disagreeing_lists', () => {
  const narrow = { ...TOKEN_20, tokenContractAddress: '0x70' };

  test('finds records of which two complete lists hold different numbers of copies', async () => {
    await small.land(
      TOKENS,
      { keys: ['0xa'], params: TOKEN_20, records: [transfer(), transfer()] },
      { keys: ['0xa'], params: narrow, records: [transfer()] },
    );
    expect(await findings('disagreeing_lists')).toEqual([
      {
        dataset: 'token_transfers',
        lists: [
          `${TOKENS}?protocolType=token_20`,
          `${TOKENS}?protocolType=token_20&tokenContractAddress=0x70`,
        ],
        records: 1,
        example: '0x01',
        copies_of_one: [2, 1],
      },
    ]);
  });

  test('does not mind lists that agree, and none that is not complete', async () => {
    const records = [transfer(), transfer()];
    await small.land(
      TOKENS,
      { keys: ['0xa'], params: TOKEN_20, records },
      { keys: ['0xa'], params: narrow, records },
      {
        keys: ['0xa'],
        params: { ...narrow, isFromOrTo: 'from' },
        status: 'truncated',
        records: [transfer()],
      },
    );
    expect(await findings('disagreeing_lists')).toEqual([]);
  });

  test('compares internal and cross-chain records, with or without their operation', async () => {
    await small.land(INTERNAL, {
      keys: ['0xa'],
      records: [internal(), internal({ operation: 'delegatecall' })],
    });
    const one = [inBlock({ amount: '2' })];
    await small.land(IN_BLOCK, { keys: [''], params: INTERNALS, records: one });
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing(), crossing()] });
    await small.land(CROSS_DETAILS, { keys: ['0x2e01'], records: [crossing()] });
    expect(await findings('disagreeing_lists')).toMatchObject([
      { dataset: 'cross_chain_transfers', copies_of_one: [1, 2] },
      { dataset: 'internal_transactions', copies_of_one: [2, 1] },
    ]);
  });
});

describe('declared_counts', () => {
  test('finds blocks of both chains that declare what was not landed', async () => {
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records: [inBlock()] });
    await small.land(IN_BLOCK, { keys: [''], params: INTERNALS, records: [inBlock()] });
    await small.land(BLOCK_DETAILS, {
      keys: [''],
      records: [
        block(),
        block({ hash: '0xb11c', height: '11', txnInternal: '0' }),
        block({ hash: '0xb12c', height: '12', txnCount: '0' }),
      ],
    });
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [zoneTransaction()] });
    const zoneBlock = { hash: '0x2b', height: '50', blockTime: '1', transactionCount: '2' };
    await small.land(ZONE_BLOCKS, { keys: [''], records: [zoneBlock] });
    expect(await findings('declared_counts')).toMatchObject([
      { axis: 'primary', block_number: 11, declared_transactions: 1, landed_transactions: 0 },
      { axis: 'primary', block_number: 12, declared_internal: 1, landed_internal: 0 },
      { axis: 'zone', block_number: 50, declared_transactions: 2, landed_transactions: 1 },
    ]);
  });

  test('compares nothing where either side is not complete', async () => {
    await small.land(BLOCK_DETAILS, { keys: [''], records: [block({ txnCount: '5' })] });
    await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
    expect(await findings('declared_counts')).toEqual([]);
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, status: 'provisional' });
    expect(await findings('declared_counts')).toEqual([]);
  });
});

describe('unmatched_legs', () => {
  test('finds transfers whose transactions are missing where all of them ought to be', async () => {
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing()] });
    expect(await findings('unmatched_legs')).toEqual([]);
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL });
    expect(await findings('unmatched_legs')).toMatchObject([
      { main_tx_hash: '0x01', main_unmatched: 'missing', zone_unmatched: 'not exported' },
    ]);
    await small.land(ZONE_DETAILS, { keys: ['0x2e01'] });
    expect(await findings('unmatched_legs')).toMatchObject([
      { main_unmatched: 'missing', zone_unmatched: 'missing' },
    ]);
  });

  test('does not mind legs that are there', async () => {
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing()] });
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records: [inBlock()] });
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [zoneTransaction()] });
    expect(await findings('unmatched_legs')).toEqual([]);
  });
});

test('not_complete looks at the newest of several rankings alone', async () => {
  const at = (height: number, status: 'complete' | 'truncated') =>
    small.land(HOLDERS, { keys: [''], from: height, to: height, status });
  await at(5, 'truncated');
  expect(await findings('not_complete')).toMatchObject([{ from_block: 5 }]);
  await at(9, 'complete');
  expect(await findings('not_complete')).toEqual([]);
});
