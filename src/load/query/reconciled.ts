import type { QueryRow } from './query.ts';

/** Facts of a warehouse about balances that were reconciled with a node. */

/** Complete blocks of the lists by address, summed over the addresses, and those reconciled. */
export const EVIDENCE_SQL = `
  SELECT dataset, sum(blocks)::BIGINT AS complete,
    coalesce(sum(reconciled_to - from_block + 1), 0)::BIGINT AS complete_and_reconciled
  FROM coverage WHERE status = 'complete' AND axis = 'primary' AND key_kind = 'address'
  GROUP BY dataset ORDER BY dataset`;

const MOST_ADDRESSES = 50;
const MOST_ASSETS = 10;

const MATRIX_SQL = `
  WITH results AS (
    SELECT coalesce(r.address, 'sample') AS address,
      concat_ws(' ', r.asset_kind, r.token_address, r.token_id) AS asset,
      coalesce(left(r.token_address, 6) || '…' || coalesce('#' || left(r.token_id, 6),
        right(r.token_address, 4)), r.asset_kind) AS title,
      coalesce(CAST(min(f.block_number) AS VARCHAR), replace(any_value(r.verdict), '_', ' '))
        AS result,
      greatest(3 * sign(count(f.block_number)), list_position(
        ['agrees', 'explained', 'not_checked', 'differs'], any_value(r.verdict)) - 1) AS weight
    FROM reconciliations AS r
    LEFT JOIN reconciliation_findings AS f
      ON f.verdict = 'differs' AND f.asset_kind = r.asset_kind
      AND coalesce(f.address = r.address, true)
      AND f.token_address IS NOT DISTINCT FROM r.token_address
      AND f.token_id IS NOT DISTINCT FROM r.token_id
    GROUP BY 1, 2, 3
  ),
  weighed AS (
    SELECT *, max(weight) OVER (PARTITION BY address) AS address_weight,
      max(weight) OVER (PARTITION BY asset) AS asset_weight,
      count(*) OVER (PARTITION BY asset) AS holders
    FROM results
  ),
  -- Columns are those of the rows that are shown.
  placed AS (
    SELECT *, dense_rank() OVER (ORDER BY address_weight DESC, address) AS row_place
    FROM weighed QUALIFY row_place <= ${MOST_ADDRESSES}
  )
  SELECT address, title, result, row_place,
    dense_rank() OVER (ORDER BY asset_weight DESC, holders DESC, asset) AS column_place,
    (SELECT count(DISTINCT address) FROM results) AS addresses,
    (SELECT count(DISTINCT asset) FROM results) AS assets
  FROM placed QUALIFY column_place <= ${MOST_ASSETS}
  ORDER BY row_place, column_place`;

/** The newest results by address and asset, differences first. Large lakes show a part of them. */
export interface ReconciliationMatrix {
  readonly titles: readonly string[];
  /** A result is the block of the first difference, or a verdict; absent where nothing is held. */
  readonly rows: readonly { readonly address: string; readonly results: readonly string[] }[];
  /** Numbers of all addresses and assets. */
  readonly addresses: number;
  readonly assets: number;
}

/** Reads the matrix; `ask` answers one SELECT. */
export async function reconciliationMatrix(
  ask: (sql: string) => Promise<readonly QueryRow[]>,
): Promise<ReconciliationMatrix> {
  const cells = await ask(MATRIX_SQL);
  const titles: string[] = [];
  const rows = new Map<string, string[]>();
  for (const { address, title, result, column_place: place } of cells) {
    const results = rows.get(String(address)) ?? [];
    rows.set(String(address), results);
    titles[Number(place) - 1] = String(title);
    results[Number(place) - 1] = String(result);
  }
  const [first] = cells;
  return {
    titles,
    rows: [...rows].map(([address, results]) => ({ address, results })),
    addresses: Number(first?.['addresses'] ?? 0),
    assets: Number(first?.['assets'] ?? 0),
  };
}
