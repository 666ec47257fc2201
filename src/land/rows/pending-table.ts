import type { Snapshot } from '../delta/fold.ts';
import type { PreparedCommit } from '../delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from '../delta/stored-table.ts';
import { readRows } from '../storage/read-rows.ts';
import {
  mergePending,
  type PendingReading,
  type PendingRow,
  pendingColumns,
  pendingName,
  pendingRowOf,
  pendingSummary,
} from './pending-rows.ts';

/**
 * The pending records of one dataset (in no block yet): a Delta table, small enough to be rewritten
 * with every change. Coverage, content digests and checks ignore it.
 */
export class PendingTable {
  readonly dataset: string;
  readonly stored: StoredTable;

  constructor(settings: StorageSettings, dataset: string) {
    this.dataset = dataset;
    this.stored = new StoredTable(settings, {
      name: pendingName(dataset),
      summary: pendingSummary(dataset),
      columns: pendingColumns(dataset),
      heightColumn: 'as_of_block',
      sortedBy: ['_endpoint', '_variant', 'key'],
      isBySource: false,
    });
  }

  /**
   * Merges readings into the table, in order. Publishes nothing if no row changes, so readings
   * without rows do not create the table.
   */
  async add(readings: readonly PendingReading[]): Promise<void> {
    if (readings.length === 0) return;
    const hasRows = readings.some(({ rows }) => rows.length > 0);
    if (!hasRows && (await this.stored.snapshot()).files.size === 0) return;
    await this.stored.publish('WINDROW PENDING', async (snapshot) => {
      const tableRows = await this.#rowsOf(snapshot);
      const rows = mergePending(tableRows, readings);
      if (isSame(tableRows, rows)) return undefined;
      return this.#rewritten(snapshot, rows);
    });
  }

  /** All rows, each with the endpoint and the key of its request. */
  async rows(): Promise<PendingRow[]> {
    return this.#rowsOf(await this.stored.snapshot());
  }

  /** Removes these rows. */
  async forget(isGone: (row: PendingRow) => boolean): Promise<void> {
    await this.stored.publish('WINDROW FORGET', async (snapshot) => {
      const rows = await this.#rowsOf(snapshot);
      const kept = rows.filter((row) => !isGone(row));
      if (kept.length === rows.length) return undefined;
      return this.#rewritten(snapshot, kept);
    });
  }

  #rewritten(snapshot: Snapshot, rows: readonly PendingRow[]): PreparedCommit {
    return this.stored.rewritten(
      snapshot,
      rows.map(({ cells }) => cells),
    );
  }

  async #rowsOf(snapshot: Snapshot): Promise<PendingRow[]> {
    const rows = await readRows(this.stored.paths(snapshot), this.stored.shape.columns);
    return rows.map((cells) => pendingRowOf(this.dataset, cells));
  }
}

/** `mergePending` returns the rows that it keeps as the same objects in the same order. */
function isSame(tableRows: readonly PendingRow[], rows: readonly PendingRow[]): boolean {
  return tableRows.length === rows.length && tableRows.every((row, i) => row === rows[i]);
}
