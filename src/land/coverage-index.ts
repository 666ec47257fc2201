import type { Cell } from '../catalogue/column-kind.ts';
import { column } from '../catalogue/entry.ts';
import type { Coverage, CoverageEntry, CoverageGroup, Status } from '../coverage/coverage.ts';
import type { Snapshot } from './delta/fold.ts';
import type { PreparedCommit, TableShape } from './delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from './delta/stored-table.ts';
import type { DeltaTable } from './rows/table.ts';
import { damagedFiles } from './storage/damage.ts';
import { readRows } from './storage/read-rows.ts';
import { literal } from './storage/sql-text.ts';

/** Name of the table's folder. */
export const COVERAGE = 'coverage';

export const COVERAGE_COLUMNS = [
  column('dataset', 'VARCHAR', 'Dataset its records are in'),
  column('endpoint', 'VARCHAR', 'Endpoint of the list'),
  column('variant', 'VARCHAR', 'Filters of the request, or empty'),
  column('key', 'VARCHAR', 'Requested address, token or transaction; empty for lists without keys'),
  column('from_block', 'BIGINT', 'First height of the interval'),
  column('to_block', 'BIGINT', 'Last height of the interval, included'),
  column(
    'status',
    'VARCHAR',
    'complete, provisional, truncated, depth_limited, inconsistent or failed',
  ),
  column('reason', 'VARCHAR', 'Why it is not complete, or empty'),
  column('head', 'BIGINT', 'Head of the chain when it was read'),
  column('read_at', 'TIMESTAMPTZ', 'When it was read'),
];

const SHAPE: TableShape = {
  name: COVERAGE,
  summary: 'Coverage of every list, key and interval, derived from the logs of the tables',
  columns: COVERAGE_COLUMNS,
  heightColumn: 'from_block',
  sortedBy: ['dataset', 'endpoint', 'variant', 'key'],
  isBySource: false,
};

/** The coverage of one dataset's table in the index. */
export interface IndexedCoverage {
  /** Version of the dataset's table from which the index was made. */
  readonly version: number;
  readonly entries: readonly CoverageEntry[];
}

/**
 * The coverage of one chain's tables as a Delta table that any engine can query. It is derived from
 * the logs of these tables and records the versions it was made from.
 */
export class CoverageIndex {
  readonly stored: StoredTable;

  constructor(settings: StorageSettings) {
    this.stored = new StoredTable(settings, SHAPE);
  }

  /** The coverage of a dataset's table; undefined if the index is older than the table. */
  async coverageOf(dataset: string): Promise<IndexedCoverage | undefined> {
    const snapshot = await this.stored.snapshot();
    const version = snapshot.transactions.get(dataset);
    if (version === undefined) return undefined;
    const rows = await readRows(
      this.stored.paths(snapshot),
      COVERAGE_COLUMNS,
      `dataset = ${literal(dataset)}`,
    );
    return { version, entries: rows.map(entryOf) };
  }

  /**
   * The versions that the table was made from, by dataset, where the dataset's table is older now
   * or has gone. A table that was moved away and fetched again is another one.
   */
  async shortened(tables: () => Promise<readonly DeltaTable[]>): Promise<Map<string, number>> {
    // Before the logs: a run may commit in the meantime.
    const { transactions } = await this.stored.snapshot();
    const states = new Map((await statesOf(await tables())).map((state) => [state.name, state]));
    const shortened = new Map<string, number>();
    for (const [dataset, version] of transactions) {
      if (dataset.includes('/') || version < 0) continue;
      const state = states.get(dataset);
      const isSame = state === undefined || transactions.has(state.key);
      if (isSame && (state?.version ?? -1) < version) shortened.set(dataset, version);
    }
    return shortened;
  }

  /**
   * Updates the table from the logs of these tables, and returns its newest version. Writes nothing
   * if it is up to date, and otherwise the entries of the datasets whose tables have changed.
   * Writes all if `isFull`, or if a file that it would copy is damaged.
   */
  async update(tables: readonly DeltaTable[], isFull = false): Promise<Snapshot> {
    const newest = await this.stored.snapshot();
    if (!isFull && staleIn(newest, await statesOf(tables)).size === 0) return newest;
    await this.stored.publish('WINDROW COVERAGE', async (snapshot) => {
      const states = await statesOf(tables);
      // Another process may have updated it by now.
      if (!isFull && staleIn(snapshot, states).size === 0) return undefined;
      const changed = isFull ? undefined : await this.#changed(snapshot, states);
      const commit = changed ?? this.stored.rewritten(snapshot, rowsOf(states));
      return { ...commit, versions: versionsIn(states, snapshot) };
    });
    return this.stored.snapshot();
  }

  /**
   * A commit of the datasets that have changed. Undefined if a file is damaged whose other rows it
   * would copy: its new file would have a digest of its own.
   */
  async #changed(
    snapshot: Snapshot,
    states: readonly CoveredTable[],
  ): Promise<PreparedCommit | undefined> {
    const stale = staleIn(snapshot, states);
    const condition = `dataset IN (${[...stale].map(literal).join(', ')})`;
    const added = rowsOf(states.filter(({ name }) => stale.has(name)));
    const replacing = this.stored.replaced(snapshot, () => condition, added);
    const prepared = await replacing.catch(() => undefined);
    const removed = prepared?.removed ?? [];
    const damaged = await damagedFiles(this.stored.folder, removed, 'bytes');
    return damaged.length === 0 ? prepared : undefined;
  }
}

/** The newest version of a table with coverage. */
interface CoveredTable {
  readonly name: string;
  /** Version of the table, and the name of its folder's content: another one if fetched again. */
  readonly version: number;
  readonly key: string;
  readonly coverage: Coverage;
}

async function statesOf(tables: readonly DeltaTable[]): Promise<CoveredTable[]> {
  const states: CoveredTable[] = [];
  for (const table of tables) {
    const { name } = table.dataset;
    const { version, tableId, coverage } = await table.snapshot();
    states.push({ name, version, key: `${name}/${tableId ?? ''}`, coverage });
  }
  return states;
}

/** The versions that the table is made from. Those of tables that were moved away are -1. */
function versionsIn(states: readonly CoveredTable[], newest: Snapshot): Map<string, number> {
  const versions = new Map([...newest.transactions.keys()].map((name) => [name, -1]));
  for (const { name, key, version } of states) versions.set(name, version).set(key, version);
  return versions;
}

/** The datasets whose tables have changed, or have gone, since the snapshot was made from them. */
function staleIn(snapshot: Snapshot, states: readonly CoveredTable[]): ReadonlySet<string> {
  const changed = [...versionsIn(states, snapshot)].filter(([name, version]) => {
    return snapshot.transactions.get(name) !== version;
  });
  return new Set(changed.map(([name]) => name.replace(/\/.*/, '')));
}

/** All coverage of these tables. */
function rowsOf(states: readonly CoveredTable[]): Cell[][] {
  return states.flatMap(({ name, coverage }) => coverageRows(name, coverage.groups()));
}

/** The coverage of a dataset, one row per key and interval. */
export function coverageRows(dataset: string, groups: Iterable<CoverageGroup>): Cell[][] {
  const rows: Cell[][] = [];
  for (const { keys, parts, ...list } of groups) {
    for (const key of keys)
      for (const part of parts) rows.push(cellsOf(dataset, { ...list, key, ...part }));
  }
  return rows;
}

function cellsOf(dataset: string, entry: CoverageEntry): Cell[] {
  const { endpoint, variant, key, from, to, status, reason, head, readAtMs } = entry;
  const heights = [BigInt(from), BigInt(to)] as const;
  const rest = [status, reason, BigInt(head), BigInt(Math.trunc(readAtMs)) * 1000n] as const;
  return [dataset, endpoint, variant, key, ...heights, ...rest];
}

function entryOf(cells: readonly Cell[]): CoverageEntry {
  const [, endpoint, variant, key, from, to, status, reason, head, readAt] = cells;
  return {
    endpoint: String(endpoint),
    variant: String(variant),
    key: String(key),
    from: Number(from),
    to: Number(to),
    status: status as Status,
    reason: String(reason),
    head: Number(head),
    readAtMs: Number(readAt) / 1000,
  };
}
