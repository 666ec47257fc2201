import { beforeEach, describe, expect, test } from 'vitest';
import { findingsOf } from '../../fixtures/check-findings.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  crossing,
  INTERNALS,
  inBlock,
  internal,
  LIST,
  TOKEN_20,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

/** Goal: what contradicts itself is found, and what merely was not exported is not. */

const small = freshLake(beforeEach);

const findings = (check: string) => findingsOf(small, check);

describe('disagreeing_lists', () => {
  const narrow = { ...TOKEN_20, tokenContractAddress: '0x70' };

  test('finds records of which two complete lists hold different numbers of copies', async () => {
    await small.land(
      LIST.tokens,
      { keys: ['0xa'], params: TOKEN_20, records: [transfer(), transfer()] },
      { keys: ['0xa'], params: narrow, records: [transfer()] },
    );
    expect(await findings('disagreeing_lists')).toEqual([
      {
        finding:
          '1 record of token_transfers stands in different numbers of copies in 2 complete ' +
          'lists, of 0x01: 2 and 1',
        dataset: 'token_transfers',
        lists: [
          `${LIST.tokens}?protocolType=token_20`,
          `${LIST.tokens}?protocolType=token_20&tokenContractAddress=0x70`,
        ],
        records: 1,
        tx_hashes: ['0x01'],
        copies_of_first: [2, 1],
      },
    ]);
  });

  test('does not mind lists that agree, and none that is not complete', async () => {
    const records = [transfer(), transfer()];
    await small.land(
      LIST.tokens,
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
    await small.land(LIST.internal, {
      keys: ['0xa'],
      records: [internal(), internal({ operation: 'delegatecall' })],
    });
    const one = [inBlock({ amount: '2' })];
    await small.land(LIST.inBlock, { keys: [''], params: INTERNALS, records: one });
    await small.land(LIST.crossChain, { keys: [''], records: [crossing(), crossing()] });
    await small.land(LIST.crossDetails, { keys: ['0x2e01'], records: [crossing()] });
    expect(await findings('disagreeing_lists')).toMatchObject([
      { dataset: 'cross_chain_transfers', copies_of_first: [1, 2] },
      { dataset: 'internal_transactions', copies_of_first: [2, 1] },
    ]);
  });
});

test('not_complete looks at the newest of several rankings alone', async () => {
  const at = (height: number, status: 'complete' | 'truncated') =>
    small.land(LIST.holders, { keys: [''], from: height, to: height, status });
  await at(5, 'truncated');
  expect(await findings('not_complete')).toMatchObject([{ from_block: 5 }]);
  await at(9, 'complete');
  expect(await findings('not_complete')).toEqual([]);
});

describe('orphans', () => {
  test('finds rows that no coverage names at their height', async () => {
    await small.land(LIST.transactions, { keys: ['0xee'], records: [transaction()] });
    await small.land(LIST.internal, {
      keys: ['0xa'],
      from: 0,
      to: 5,
      records: [internal(), internal()],
    });
    expect(await findings('orphans')).toEqual([
      {
        finding:
          `2 rows of internal_transactions from ${LIST.internal} have no coverage entry, ` +
          'at height 10',
        dataset: 'internal_transactions',
        endpoint: LIST.internal,
        variant: '',
        rows_found: 2,
        lowest_block: 10,
        highest_block: 10,
        examples: ['0x01', '0x01'],
      },
      expect.objectContaining({ dataset: 'transactions', rows_found: 1 }),
    ]);
  });

  test('looks at both chains, and at rows of one range alone', async () => {
    const span = { keys: [''], from: 0, to: 5 };
    await small.land(LIST.crossChain, { ...span, records: [crossing()] });
    await small.land(LIST.blocks, { ...span, records: [{ hash: '0xb0', height: '10' }] });
    expect(await findings('orphans')).toMatchObject([
      { dataset: 'blocks', examples: ['0xb0'] },
      { dataset: 'cross_chain_transfers', examples: ['0x2e01'] },
    ]);
  });
});
