import type { QueryRow } from '../../../../src/load/query/query.ts';
import { numberIn } from './cells.ts';
import { wholeDatasets } from './coverage.ts';
import type { AskWarehouse } from './warehouse-reader.ts';

/** A transaction of either chain, as far as the lake has it. */
export interface TransactionFacts {
  readonly hash: string;
  /** Several after a reorganisation between two readings. */
  readonly primary: readonly QueryRow[];
  readonly zone: readonly QueryRow[];
  /** In the order of the service's list where it is known. */
  readonly calls: readonly QueryRow[];
  readonly transfers: readonly QueryRow[];
  readonly journeys: readonly QueryRow[];
  /** More calls, transfers or journeys exist than are listed. */
  readonly isCut: boolean;
  /** Datasets of which all records of the transaction were exported. */
  readonly whole: ReadonlySet<string>;
}

export const MOST_PARTS = 500;

const ORDER = 'block_number DESC, list_position NULLS LAST, block_position NULLS LAST, occurrence';

/** Undefined if no table names the hash. */
export async function transactionFacts(
  ask: AskWarehouse,
  hash: string,
): Promise<TransactionFacts | undefined> {
  const primary = await ask(
    `SELECT t.*, m.name AS method_name FROM curated.transactions AS t
     LEFT JOIN lake.methods AS m USING (method_id)
     WHERE tx_hash = $1::VARCHAR ORDER BY block_number DESC LIMIT 5`,
    hash,
  );
  const zone = await ask(
    `SELECT * FROM curated.zone_transactions
     WHERE tx_hash = $1::VARCHAR ORDER BY block_number DESC LIMIT 5`,
    hash,
  );
  const journeys = await journeysOf(ask, hash);
  const blocks = primary.map((row) => numberIn(row, 'block_number') ?? 0);
  const hasParts = zone.length === 0 || blocks.length > 0;
  const calls = hasParts ? await partsOf(ask, 'internal_transactions', hash, blocks) : [];
  const transfers = hasParts ? await partsOf(ask, 'token_transfers', hash, blocks) : [];
  if ([primary, zone, journeys, calls, transfers].every((rows) => rows.length === 0)) {
    return undefined;
  }
  const [first = calls[0] ?? transfers[0]] = primary;
  const [zoneFirst] = zone;
  const ofPrimary = first && (await wholeDatasets(ask, 'primary', heightOf(first), hash));
  const ofZone = zoneFirst && (await wholeDatasets(ask, 'zone', heightOf(zoneFirst), hash));
  return {
    hash,
    primary,
    zone,
    calls: calls.slice(0, MOST_PARTS),
    transfers: transfers.slice(0, MOST_PARTS),
    journeys: journeys.slice(0, MOST_PARTS),
    isCut: [calls, transfers, journeys].some((rows) => rows.length > MOST_PARTS),
    whole: new Set([...(ofPrimary ?? []), ...(ofZone ?? [])]),
  };
}

function heightOf(row: QueryRow): number {
  return numberIn(row, 'block_number') ?? 0;
}

/** With known blocks it reads their rows alone; otherwise all hashes of the table. */
function partsOf(
  ask: AskWarehouse,
  table: string,
  hash: string,
  blocks: readonly number[],
): Promise<readonly QueryRow[]> {
  const heights = blocks.map((_, i) => `$${i + 2}::BIGINT`);
  const inBlocks = blocks.length === 0 ? '' : `AND block_number IN (${heights.join(', ')})`;
  return ask(
    `SELECT * FROM curated.${table} WHERE tx_hash = $1::VARCHAR ${inBlocks}
     ORDER BY ${ORDER} LIMIT ${MOST_PARTS + 1}`,
    hash,
    ...blocks.map(BigInt),
  );
}

/** Cross-chain transfers that name the hash on either chain. */
export function journeysOf(ask: AskWarehouse, hash: string): Promise<readonly QueryRow[]> {
  return ask(
    `SELECT * FROM curated.cross_chain_journeys
     WHERE zone_tx_hash = $1::VARCHAR OR main_tx_hash = $1::VARCHAR
     ORDER BY zone_block_number, zone_tx_hash, main_tx_hash, target_address, amount_text
     LIMIT ${MOST_PARTS + 1}`,
    hash,
  );
}
