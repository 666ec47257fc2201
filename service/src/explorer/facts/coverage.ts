import { TOKEN_STANDARDS } from '../../../../src/catalogue/params.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import type { Chain } from './activity-filter.ts';
import { numberIn } from './cells.ts';
import type { AskWarehouse, WarehouseSession } from './warehouse-reader.ts';

export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The lake's coverage of one chain, for the foot of every page. */
export interface ChainCoverage {
  readonly chain: string;
  /** Addresses that were asked for by name. */
  readonly addresses: number;
  /** The blocks that complete lists of all transactions span; gaps may be among them. */
  readonly wholeBlocks: BlockRange | undefined;
  /** Lowest and highest block of any list. */
  readonly range: BlockRange;
  /** Intervals whose status is not complete. */
  readonly incomplete: number;
  /** Complete blocks of lists by address, and those of them that a node agrees with. */
  readonly complete: number;
  readonly reconciled: number;
}

/** Coverage of the lake, once per version of the warehouse. */
export function lakeCoverage(session: WarehouseSession): Promise<readonly ChainCoverage[]> {
  return session.kept('coverage', async () => {
    const rows = await session.ask(
      `SELECT axis,
         count(DISTINCT key) FILTER (key_kind = 'address') AS addresses,
         min(from_block) FILTER (is_whole) AS whole_from,
         max(to_block) FILTER (is_whole) AS whole_to,
         min(from_block) AS low, max(to_block) AS high,
         count(*) FILTER (status <> 'complete') AS incomplete,
         sum(blocks) FILTER (status = 'complete' AND key_kind = 'address') AS complete,
         sum(reconciled_to - from_block + 1) FILTER (key_kind = 'address') AS reconciled
       FROM (SELECT *, key_kind = 'all' AND status = 'complete'
         AND dataset IN ('transactions', 'zone_transactions') AS is_whole FROM coverage)
       GROUP BY axis ORDER BY axis`,
    );
    return rows.map((row) => ({
      chain: String(row['axis']),
      addresses: numberIn(row, 'addresses') ?? 0,
      wholeBlocks: rangeIn(row, 'whole_from', 'whole_to'),
      range: rangeIn(row, 'low', 'high') ?? { from: 0, to: 0 },
      incomplete: numberIn(row, 'incomplete') ?? 0,
      complete: numberIn(row, 'complete') ?? 0,
      reconciled: numberIn(row, 'reconciled') ?? 0,
    }));
  });
}

function rangeIn(row: QueryRow, low: string, high: string): BlockRange | undefined {
  const [from, to] = [numberIn(row, low), numberIn(row, high)];
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Ranges in which everything that was asked for of an address is complete. */
export interface AddressCoverage {
  /** Whether it was asked for by name, on either chain. */
  readonly isFollowed: boolean;
  readonly complete: readonly BlockRange[];
  readonly range: BlockRange | undefined;
  /** Its own lists that are not complete. */
  readonly incomplete: readonly QueryRow[];
}

const MOST_RANGES = 20;

export async function addressCoverage(
  ask: AskWarehouse,
  address: string,
  chain: Chain,
): Promise<AddressCoverage> {
  const [followed] = await ask(
    'SELECT 1 AS found FROM known.followed WHERE address = $1::VARCHAR LIMIT 1',
    address,
  );
  if (followed === undefined) {
    return { isFollowed: false, complete: [], range: undefined, incomplete: [] };
  }
  const ranges = await ask(
    `SELECT from_block, to_block, asked_from, asked_to FROM known.complete_ranges
     WHERE followed_address = $1::VARCHAR AND axis = $2::VARCHAR
     ORDER BY from_block LIMIT ${MOST_RANGES}`,
    address,
    chain,
  );
  const incomplete = await ask(
    `SELECT dataset, status, from_block, to_block, reason FROM lake.coverage
     WHERE key = $1::VARCHAR AND axis = $2::VARCHAR AND status <> 'complete'
     ORDER BY from_block, dataset LIMIT ${MOST_RANGES}`,
    address,
    chain,
  );
  return {
    isFollowed: true,
    complete: ranges.flatMap((row) => rangeIn(row, 'from_block', 'to_block') ?? []),
    range: ranges[0] && rangeIn(ranges[0], 'asked_from', 'asked_to'),
    incomplete,
  };
}

/** Scopes of lists that hold all token transfers together. */
const ALL_STANDARDS = TOKEN_STANDARDS.map((standard) => `token_standard=${standard}`);

/** Datasets of which all records of a block, or of a transaction in it, were exported. */
export async function wholeDatasets(
  ask: AskWarehouse,
  chain: Chain,
  block: number,
  hash = '',
): Promise<ReadonlySet<string>> {
  const rows = await ask(
    `SELECT dataset, scope FROM lake.coverage
     WHERE axis = $1::VARCHAR AND (key_kind = 'all' OR (key = $2::VARCHAR AND key <> ''))
       AND status = 'complete' AND $3::BIGINT BETWEEN from_block AND to_block
     UNION
     -- A row of a look-up completes it, unless its hash has an entry.
     SELECT dataset, scope FROM (
       SELECT 'internal_transactions' AS dataset, _endpoint AS endpoint, _variant AS variant
       FROM lake.internal_transactions
       WHERE tx_hash = $2::VARCHAR AND block_number = $3::BIGINT
       UNION ALL
       SELECT 'token_transfers', _endpoint, _variant FROM lake.token_transfers
       WHERE tx_hash = $2::VARCHAR AND block_number = $3::BIGINT
     )
     JOIN lake.lists USING (dataset, endpoint, variant)
     WHERE axis = $1::VARCHAR AND key_kind = 'transaction' AND list NOT IN (
       SELECT list FROM lake.coverage WHERE key = $2::VARCHAR
     )`,
    chain,
    hash,
    BigInt(block),
  );
  const datasets = [...new Set(rows.map((row) => String(row['dataset'])))];
  const isWhole = (dataset: string): boolean => {
    const entries = rows.filter((row) => row['dataset'] === dataset);
    const scopes = new Set(entries.map((row) => String(row['scope'])));
    return scopes.has('') || ALL_STANDARDS.every((scope) => scopes.has(scope));
  };
  return new Set(datasets.filter(isWhole));
}
