import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';

const RECORDS = 500;
const BLOCKS = 100;

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
 * Lands 500 transactions and 500 token transfers of an address in 100 blocks from a height on. The
 * address is followed already: a new one has its rows in all blocks computed again.
 */
export async function landMore(root: string, address: string, from: number): Promise<void> {
  const to = from + BLOCKS - 1;
  const walk = { keys: [address], from, to, head: to + 100 };
  const records = Array.from({ length: RECORDS }, (_, i) => ({
    txId: `0x${(from * RECORDS + i).toString(16).padStart(64, '0')}`,
    height: String(from + (i % BLOCKS)),
    from: address,
  }));
  const small = await SmallLake.open(root);
  try {
    await small.land(TRANSACTIONS, { ...walk, records: records.map((each) => transaction(each)) });
    const params = TOKEN_20;
    await small.land(TOKENS, { ...walk, params, records: records.map((each) => transfer(each)) });
  } finally {
    small.lake.close();
  }
}
