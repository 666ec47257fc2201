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

const INTERVALS = `
  SELECT axis, dataset, from_block, to_block, status, count(*) AS keys
  FROM coverage GROUP BY ALL ORDER BY ALL`;

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
  const ask = async (sql: string) => (await query(warehouse, sql, limits)).rows;
  return {
    windows: windowShares(await ask(INTERVALS)),
    evidence: await ask(EVIDENCE_SQL),
    reconciliations: await reconciliationMatrix(ask),
    rowsPerDay: (await ask(`${ROWS_PER_DAY} ORDER BY ALL`)).map((row) => ({
      day: String(row['day']),
      dataset: String(row['dataset']),
      rows: Number(row['rows']),
    })),
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

/** Shares by dataset and window; windows of one axis have one size. */
export function windowShares(intervals: readonly QueryRow[]): WindowShare[] {
  const shares: WindowShare[] = [];
  for (const axis of [...new Set(intervals.map((each) => String(each['axis'])))]) {
    const own = intervals.filter((each) => each['axis'] === axis).map(intervalOf);
    const low = Math.min(...own.map(({ from }) => from));
    const high = Math.max(...own.map(({ to }) => to));
    const step = Math.max(1, Math.ceil((high - low + 1) / MOST_WINDOWS));
    for (const dataset of [...new Set(own.map((each) => each.dataset))]) {
      const of = own.filter((each) => each.dataset === dataset);
      for (let from = low; from <= high; from += step) {
        const to = Math.min(from + step - 1, high);
        const share = shareOf(of, from, to);
        if (share !== undefined) shares.push({ axis, dataset, from, to, share });
      }
    }
  }
  return shares;
}

interface Interval {
  readonly dataset: string;
  readonly from: number;
  readonly to: number;
  readonly isComplete: boolean;
  readonly keys: number;
}

function intervalOf(row: QueryRow): Interval {
  return {
    dataset: String(row['dataset']),
    from: Number(row['from_block']),
    to: Number(row['to_block']),
    isComplete: row['status'] === 'complete',
    keys: Number(row['keys']),
  };
}

/** undefined for a window in which nothing was requested. */
function shareOf(intervals: readonly Interval[], from: number, to: number): number | undefined {
  let requested = 0;
  let complete = 0;
  for (const each of intervals) {
    const blocks = Math.min(each.to, to) - Math.max(each.from, from) + 1;
    if (blocks <= 0) continue;
    requested += blocks * each.keys;
    if (each.isComplete) complete += blocks * each.keys;
  }
  return requested === 0 ? undefined : complete / requested;
}
