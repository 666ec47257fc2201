import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  IN_BLOCK,
  inBlock,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TOKENS_BY_HASH,
  transfer,
} from '../fixtures/load-lake.ts';

/** Goal: a row takes fields from other lists only where all of these hold the same copies of it. */

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

async function transfers(): Promise<unknown[][]> {
  await small.publish();
  return small.rows(
    'SELECT tx_status, tx_fee_text, block_position, coverage_status FROM token_transfers',
  );
}

const inBlocks = {
  keys: [''],
  params: TOKEN_20,
  records: [inBlock({ amount: '25', tokenContractAddress: '0x70' })],
};

test('complete lists of addresses and blocks fill in fields of each other', async () => {
  await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
  await small.land(IN_BLOCK, inBlocks);
  expect(await transfers()).toEqual([['success', '0.000021', 1, 'complete']]);
});

test.each(['provisional', 'truncated'] as const)(
  'a row of a %s list takes no field from a complete list',
  async (status) => {
    await small.land(IN_BLOCK, inBlocks);
    // The complete look-up replaces the record of the block, and has no transfer.
    await small.land(TOKENS_BY_HASH, { keys: ['0x01'], params: TOKEN_20 });
    await small.land(TOKENS_BY_HASH, { keys: ['0x01'], status, records: [transfer()] });
    expect(await transfers()).toEqual([[null, null, null, status]]);
  },
);
