import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { LIST, SmallLake, TOKEN_20, transaction, transfer } from '../../fixtures/load-lake.ts';
import { BLOCK_SECONDS, FIRST_BLOCK, START_SECONDS } from '../made-up/sizes.ts';

const RECORDS = 500;

/**
 * Copies the tables of a data root, without `clean`, and returns the folder. The caller deletes it.
 */
export async function copyLake(root: string): Promise<string> {
  const copy = `${root}-more`;
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy);
  for (const part of ['lake', 'curated', 'state', 'warehouse.duckdb']) {
    // A lake with short logs has no saved folds, and so no folder for them.
    if (part === 'state' && !existsSync(join(root, part))) continue;
    await cp(join(root, part), join(copy, part), { recursive: true, force: true });
  }
  return copy;
}

/**
 * Lands 500 transactions and 500 token transfers of an address, or as many as are wanted, spread
 * evenly over a range of blocks.
 */
export async function landMore(
  root: string,
  address: string,
  { from, to }: Interval,
  count = RECORDS,
): Promise<void> {
  const walk = { keys: [address], from, to, head: to + 100 };
  const records = Array.from({ length: count }, (_, i) => {
    const height = from + Math.floor((i * (to - from + 1)) / count);
    const seconds = START_SECONDS + (height - FIRST_BLOCK) * BLOCK_SECONDS;
    return {
      txId: `0x${address.slice(2, 12)}${(from * RECORDS + i).toString(16).padStart(54, '0')}`,
      // Hash and time of the made-up block, so that no record contradicts it.
      blockHash: `0x${createHash('sha256').update(`b${height}`).digest('hex')}`,
      height: String(height),
      transactionTime: String(seconds * 1000),
      from: address,
    };
  });
  const small = await SmallLake.open(root);
  try {
    await small.land(LIST.transactions, {
      ...walk,
      records: records.map((record) => transaction(record)),
    });
    const params = TOKEN_20;
    await small.land(LIST.tokens, {
      ...walk,
      params,
      records: records.map((record) => transfer(record)),
    });
  } finally {
    small.lake.close();
  }
}
