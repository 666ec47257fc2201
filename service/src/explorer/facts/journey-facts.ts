import type { QueryRow } from '../../../../src/load/query/query.ts';
import { textIn } from './cells.ts';
import { journeysOf, MOST_PARTS } from './transaction-facts.ts';
import type { AskWarehouse } from './warehouse-reader.ts';

/** Cross-chain transfers of one transaction, with the transactions of both sides. */
export interface JourneyFacts {
  readonly hash: string;
  readonly journeys: readonly QueryRow[];
  readonly isCut: boolean;
  /** Transactions of the primary chain, by hash. */
  readonly main: ReadonlyMap<string, QueryRow>;
  /** Transactions of the zone chain, by hash. */
  readonly zone: ReadonlyMap<string, QueryRow>;
}

/** Transactions of legs that are looked up; a batch may name more. */
const MOST_LEGS = 20;

export async function journeyFacts(
  ask: AskWarehouse,
  hash: string,
): Promise<JourneyFacts | undefined> {
  const journeys = await journeysOf(ask, hash);
  if (journeys.length === 0) return undefined;
  return {
    hash,
    journeys: journeys.slice(0, MOST_PARTS),
    isCut: journeys.length > MOST_PARTS,
    main: await transactionsBy(ask, 'transactions', hashesIn(journeys, 'main_tx_hash')),
    zone: await transactionsBy(ask, 'zone_transactions', hashesIn(journeys, 'zone_tx_hash')),
  };
}

function hashesIn(journeys: readonly QueryRow[], column: string): string[] {
  const hashes = journeys.flatMap((row) => textIn(row, column) ?? []);
  return [...new Set(hashes)].slice(0, MOST_LEGS);
}

async function transactionsBy(
  ask: AskWarehouse,
  table: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, QueryRow>> {
  if (hashes.length === 0) return new Map();
  const listed = hashes.map((_, i) => `$${i + 1}::VARCHAR`).join(', ');
  const rows = await ask(
    `SELECT * FROM curated.${table} WHERE tx_hash IN (${listed}) ORDER BY block_number LIMIT 100`,
    ...hashes,
  );
  return new Map(rows.map((row) => [String(row['tx_hash']), row]));
}
