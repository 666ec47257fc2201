import type { QueryRow } from '../../../../src/load/query/query.ts';
import type { Chain } from './activity-filter.ts';
import { numberIn } from './cells.ts';
import { wholeDatasets } from './coverage.ts';
import type { AskWarehouse } from './warehouse-reader.ts';

export interface BlockFacts {
  readonly chain: Chain;
  readonly height: number;
  /** undefined if its record was not exported. */
  readonly block: QueryRow | undefined;
  /** Some of the transactions that the lake has of it, in the order of the block. */
  readonly transactions: readonly QueryRow[];
  /** The number of all that the lake has. */
  readonly count: number;
  readonly skip: number;
  /** Datasets of which all records of the block were exported. */
  readonly whole: ReadonlySet<string>;
  /** The next exported blocks on both sides. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export const BLOCK_ROWS = 100;

const TABLES = {
  primary: { blocks: 'blocks', transactions: 'transactions', order: 'list_position' },
  zone: { blocks: 'zone_blocks', transactions: 'zone_transactions', order: 'tx_index' },
} as const;

/** Undefined if the lake has neither the block nor a transaction of it. */
export async function blockFacts(
  ask: AskWarehouse,
  chain: Chain,
  height: number,
  skip: number,
): Promise<BlockFacts | undefined> {
  const tables = TABLES[chain];
  const at = BigInt(height);
  const [block] = await ask(
    `SELECT * FROM curated.${tables.blocks} WHERE block_number = $1::BIGINT
     ORDER BY block_hash LIMIT 1`,
    at,
  );
  const [counted = {}] = await ask(
    `SELECT count(*) AS rows FROM curated.${tables.transactions} WHERE block_number = $1::BIGINT`,
    at,
  );
  const count = numberIn(counted, 'rows') ?? 0;
  if (block === undefined && count === 0) return undefined;
  const transactions = await ask(
    `SELECT * FROM curated.${tables.transactions} WHERE block_number = $1::BIGINT
     ORDER BY ${tables.order} NULLS LAST, tx_hash LIMIT ${BLOCK_ROWS} OFFSET $2::BIGINT`,
    at,
    BigInt(skip),
  );
  const whole = await wholeDatasets(ask, chain, height);
  const near = await neighbours(ask, tables.blocks, height);
  return { chain, height, block, transactions, count, skip, whole, ...near };
}

/** Looks a few thousand heights far, so that it reads few rows. */
async function neighbours(
  ask: AskWarehouse,
  blocks: string,
  height: number,
): Promise<Pick<BlockFacts, 'before' | 'after'>> {
  const [row = {}] = await ask(
    `SELECT max(block_number) FILTER (block_number < $1::BIGINT) AS before,
       min(block_number) FILTER (block_number > $1::BIGINT) AS after
     FROM curated.${blocks} WHERE block_number BETWEEN $1::BIGINT - 5000 AND $1::BIGINT + 5000`,
    BigInt(height),
  );
  return { before: numberIn(row, 'before'), after: numberIn(row, 'after') };
}
