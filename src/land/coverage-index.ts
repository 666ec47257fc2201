import type { Cell } from '../catalogue/column-kind.ts';
import type { Column } from '../catalogue/entry.ts';
import type { Coverage, CoverageEntry, Status } from '../coverage/coverage.ts';
import type { Snapshot } from './delta/fold.ts';
import { ledger } from './delta/ledger.ts';
import { type StorageSettings, StoredTable, type TableShape } from './delta/stored-table.ts';
import type { DeltaTable } from './rows/table.ts';
import { readRows } from './storage/read-rows.ts';
import { literal } from './storage/sql-text.ts';

/** Name of the table's folder. */
export const COVERAGE = 'coverage';

const text = (name: string, comment: string): Column => {
  return { name, type: 'VARCHAR', comment, volatile: false };
};
const number = (name: string, comment: string): Column => {
  return { name, type: 'BIGINT', comment, volatile: false };
};

export const COVERAGE_COLUMNS: readonly Column[] = [
  text('dataset', 'Dataset its records are in'),
  text('endpoint', 'Endpoint of the list'),
  text('variant', 'Filters of the request, or empty'),
  text('key', 'Requested address, token or transaction; empty for lists without keys'),
  number('from_block', 'First height of the interval'),
  number('to_block', 'Last height of the interval, included'),
  text('status', 'complete, provisional, truncated, depth_limited, inconsistent or failed'),
  text('reason', 'Why it is not complete, or empty'),
  number('head', 'Head of the chain when it was read'),
  { name: 'read_at', type: 'TIMESTAMPTZ', comment: 'When it was read', volatile: false },
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
  readonly #settings: StorageSettings;
  readonly #stored: StoredTable;

  constructor(settings: StorageSettings) {
    this.#settings = settings;
    this.#stored = new StoredTable(settings, SHAPE);
  }

  get stored(): StoredTable {
    return this.#stored;
  }

  snapshot(): Promise<Snapshot> {
    return this.#stored.snapshot();
  }

  /** Absolute paths of the data files of a version. */
  paths(snapshot: Snapshot): string[] {
    return this.#stored.paths(snapshot);
  }

  /** The coverage of a dataset's table; undefined if the index is older than the table. */
  async of(dataset: string): Promise<IndexedCoverage | undefined> {
    const snapshot = await this.snapshot();
    const version = snapshot.transactions.get(dataset);
    if (version === undefined) return undefined;
    const rows = await readRows(
      this.paths(snapshot),
      COVERAGE_COLUMNS,
      `dataset = ${literal(dataset)}`,
    );
    return { version, entries: rows.map(entryOf) };
  }

  /**
   * Updates the table from the logs of these tables, and returns its newest version. Writes nothing
   * if it is up to date.
   */
  async update(tables: readonly DeltaTable[]): Promise<Snapshot> {
    const versions = new Map<string, number>();
    const covered = new Map<string, Coverage>();
    for (const table of tables) {
      const { name } = table.dataset;
      const { version, tableId, coverage } = await table.snapshot();
      versions.set(name, version);
      // A table that was moved away and fetched again may reach the same version.
      versions.set(`${name}/${tableId ?? ''}`, version);
      covered.set(name, coverage);
    }
    const newest = await this.snapshot();
    // Tables that were moved away have no coverage any more.
    for (const name of newest.transactions.keys()) if (!versions.has(name)) versions.set(name, -1);
    if (isMadeFrom(newest, versions)) return newest;
    const rows = [...covered].flatMap(([name, coverage]) =>
      coverage.entries().map((entry) => cellsOf(name, entry)),
    );
    const { run } = this.#settings;
    await this.#stored.publish('WINDROW COVERAGE', async (snapshot) => {
      const removed = [...snapshot.files.values()];
      const rowsReplaced = removed.reduce((sum, file) => sum + (file.rows ?? 0), 0);
      const counts = { rowsAdded: rows.length, rowsReplaced };
      return {
        ledger: ledger(run, {}),
        removed,
        counts,
        versions,
        rows: { added: rows, kept: [] },
      };
    });
    return this.snapshot();
  }
}

function isMadeFrom({ transactions }: Snapshot, versions: ReadonlyMap<string, number>): boolean {
  return [...versions].every(([name, version]) => transactions.get(name) === version);
}

function cellsOf(dataset: string, entry: CoverageEntry): Cell[] {
  const { endpoint, variant, key, from, to, status, reason, head, readAtMs } = entry;
  const heights = [BigInt(from), BigInt(to)] as const;
  const rest = [status, reason, BigInt(head), BigInt(readAtMs) * 1000n] as const;
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
