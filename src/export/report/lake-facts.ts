import { type QueryRow, query, type WarehousePlace } from '../../load/query/query.ts';
import {
  EVIDENCE_SQL,
  type ReconciliationMatrix,
  reconciliationMatrix,
} from '../../load/query/reconciled.ts';

/** The content of the lake that the page of a run shows. */
export interface LakeFacts {
  /** Shares of the requested keys that are complete, by dataset and window of blocks. */
  readonly windows: readonly WindowShare[];
  /** Complete blocks by dataset, and complete and reconciled ones. */
  readonly evidence: readonly QueryRow[];
  readonly reconciliations: ReconciliationMatrix;
  readonly rowsPerDay: readonly DayRows[];
  readonly quarantine: readonly QueryRow[];
  readonly tables: readonly QueryRow[];
  /** Hours of the stream, gaps by reason, outcomes of preconfirmations, and pending values. */
  readonly captures: Readonly<Record<CaptureFact, readonly QueryRow[]>>;
}

type CaptureFact = keyof typeof CAPTURES;

export interface WindowShare {
  readonly axis: string;
  readonly dataset: string;
  readonly from: number;
  readonly to: number;
  /** Complete blocks times keys, of the requested ones: 0 to 1. */
  readonly share: number;
}

export interface DayRows {
  readonly day: string;
  readonly dataset: string;
  readonly rows: number;
}

/** Columns of a heat map. */
const MOST_WINDOWS = 24;

/** Shares of complete blocks times keys, by window. Windows of an axis have one size. */
export const WINDOW_SHARES = `
  WITH intervals AS (
    SELECT axis, dataset, from_block, to_block, status, count(*) AS keys
    FROM coverage GROUP BY ALL),
  axes AS (
    SELECT axis, min(from_block) AS low, max(to_block) AS high,
      greatest(1, ceil((high - low + 1) / ${MOST_WINDOWS}))::BIGINT AS step
    FROM intervals GROUP BY axis),
  windows AS (
    SELECT axis, step, high, unnest(range(low, high + 1, step)) AS "from" FROM axes),
  parts AS (
    SELECT axis, dataset, "from", least("from" + step - 1, high) AS "to", status, keys,
      least(to_block, "to") - greatest(from_block, "from") + 1 AS blocks
    FROM windows JOIN intervals USING (axis))
  SELECT axis, dataset, "from", "to",
    coalesce(sum(blocks * keys) FILTER (status = 'complete'), 0) / sum(blocks * keys) AS share
  FROM parts WHERE blocks > 0 GROUP BY ALL ORDER BY axis, dataset, "from"`;

const ROWS_PER_DAY = ['transactions', 'internal_transactions', 'token_transfers']
  .concat(['zone_transactions', 'cross_chain_transfers'])
  .map((view) => {
    const rows = `SELECT block_date AS day, '${view}' AS dataset, count(*) AS rows FROM ${view}`;
    return `${rows} WHERE block_date IS NOT NULL GROUP BY ALL`;
  })
  .join(' UNION ALL ');

const QUARANTINE = `
  SELECT state, dataset, reason, count(*) AS records
  FROM quarantine GROUP BY ALL ORDER BY records DESC, reason LIMIT 25`;

const TABLES = `
  SELECT chain, dataset, files, rows, bytes FROM lake.tables ORDER BY bytes DESC, dataset`;

const CAPTURES = {
  health: 'SELECT * REPLACE (hour::VARCHAR AS hour) FROM stream_health ORDER BY hour DESC LIMIT 24',
  gaps: 'SELECT reason, count(*) AS gaps FROM preconf_gaps GROUP BY reason ORDER BY ALL',
  outcomes: `SELECT outcome, count(*) AS transactions, median(seconds_gained) AS median_seconds
    FROM preconfirmations GROUP BY outcome ORDER BY outcome`,
  pending: `SELECT what, count(*) AS compared, count(*) FILTER (WHERE agrees) AS equal
    FROM pending_vs_settled WHERE agrees IS NOT NULL GROUP BY what ORDER BY what`,
};

/** Reads the facts from a warehouse. Throws the Faults of `query`. */
export async function lakeFacts({ warehouse, root }: WarehousePlace): Promise<LakeFacts> {
  const limits = { maxRows: 200_000, root };
  const ask = async <Row = QueryRow>(sql: string) =>
    (await query(warehouse, sql, limits)).rows as readonly Row[];
  return {
    windows: await ask(WINDOW_SHARES),
    evidence: await ask(EVIDENCE_SQL),
    reconciliations: await reconciliationMatrix(ask),
    rowsPerDay: await ask(`${ROWS_PER_DAY} ORDER BY ALL`),
    quarantine: await ask(QUARANTINE),
    tables: await ask(TABLES),
    captures: {
      health: await ask(CAPTURES.health),
      gaps: await ask(CAPTURES.gaps),
      outcomes: await ask(CAPTURES.outcomes),
      pending: await ask(CAPTURES.pending),
    },
  };
}
