import type { TableShape } from '../delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from '../delta/stored-table.ts';
import { readRows } from '../storage/read-rows.ts';
import { literal } from '../storage/sql-text.ts';
import {
  cellsOf,
  QUARANTINE_COLUMNS,
  type QuarantineRecord,
  quarantineRecordOf,
} from './quarantine-record.ts';

/** Name of the table's folder and of its view. */
export const QUARANTINE = 'quarantine';

export const QUARANTINE_SUMMARY =
  'Records that broke their contract, as received, with the reason and their walk';

const SHAPE: TableShape = {
  name: QUARANTINE,
  summary: QUARANTINE_SUMMARY,
  columns: QUARANTINE_COLUMNS,
  heightColumn: 'from_block',
  sortedBy: ['endpoint', 'variant', 'id'],
  isBySource: false,
};

/**
 * The broken records of one chain, in a Delta table. It is committed before the slices that name
 * its records. Each id occurs once, with the newest walk that listed it, so fetching a slice again
 * never duplicates a record.
 */
export class Quarantine {
  readonly stored: StoredTable;

  constructor(settings: StorageSettings) {
    this.stored = new StoredTable(settings, SHAPE);
  }

  /** All records, oldest first. */
  async records(): Promise<QuarantineRecord[]> {
    const rows = await readRows(
      this.stored.paths(await this.stored.snapshot()),
      QUARANTINE_COLUMNS,
    );
    return rows.map(quarantineRecordOf).sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
  }

  /**
   * Commits records. A record that the table has already gets the new walk and keeps the time of
   * its first reading.
   */
  async add(records: readonly QuarantineRecord[]): Promise<void> {
    const added = new Map(records.map((record) => [record.id, record]));
    if (added.size === 0) return;
    await this.stored.publish('WINDROW QUARANTINE', async (snapshot) => {
      const condition = isOneOf([...added.keys()]);
      const rows = await readRows(this.stored.paths(snapshot), QUARANTINE_COLUMNS, condition);
      const since = new Map(rows.map(quarantineRecordOf).map(({ id, atMs }) => [id, atMs]));
      const cells = [...added.values()].map((record) =>
        cellsOf({ ...record, atMs: Math.min(record.atMs, since.get(record.id) ?? record.atMs) }),
      );
      return this.stored.replaced(snapshot, () => condition, cells);
    });
  }

  /** Removes the records with these ids; returns their number. */
  async drop(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const condition = isOneOf(ids);
    const { rowsReplaced } = await this.stored.publish('WINDROW DROP', (snapshot) => {
      return this.stored.replaced(snapshot, () => condition);
    });
    return rowsReplaced;
  }
}

function isOneOf(ids: readonly string[]): string {
  return `id IN (${ids.map(literal).join(', ')})`;
}
