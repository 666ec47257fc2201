import type { Cell } from '../catalogue/column-kind.ts';
import { type CapturedShape, type Column, lineage } from '../catalogue/entry.ts';
import { RECONCILIATION_TABLES } from '../catalogue/rpc/reconciliation-tables.ts';
import { PENDING_TABLES } from '../catalogue/rpc/rpc-catalogue.ts';
import { STREAM_TABLES } from '../catalogue/stream/stream-tables.ts';
import { type StorageSettings, StoredTable } from './delta/stored-table.ts';

/** All tables of captured rows. They belong to the primary chain. */
export const CAPTURED_TABLES: readonly CapturedShape[] = [
  ...STREAM_TABLES,
  ...PENDING_TABLES,
  ...RECONCILIATION_TABLES,
];

const LINEAGE: readonly Column[] = [
  lineage('_landed_at', 'TIMESTAMPTZ', 'When the row was committed [UTC]'),
  lineage('_run', 'VARCHAR', 'Run that committed it'),
];

/** The columns of a captured table, with their lineage. */
export function capturedColumns({ columns }: CapturedShape): readonly Column[] {
  return [...columns, ...LINEAGE];
}

export function isCaptured(name: string): boolean {
  return CAPTURED_TABLES.some((table) => table.name === name);
}

/** A Delta table of captured rows, which are only appended. */
export class CapturedTable {
  readonly stored: StoredTable;
  readonly #settings: StorageSettings;

  constructor(settings: StorageSettings, shape: CapturedShape) {
    this.#settings = settings;
    const columns = capturedColumns(shape);
    this.stored = new StoredTable(settings, { ...shape, columns, isBySource: false });
  }

  /**
   * The place in the capture up to which rows have landed: the highest `upTo` of any commit; -1
   * before the first one.
   */
  async landedUpTo(capture: string): Promise<number> {
    return (await this.stored.snapshot()).transactions.get(capture) ?? -1;
  }

  /**
   * Appends rows, one cell per column of the shape. With `place`, the commit names the place in the
   * capture up to which rows have landed, and rows of an earlier place are not added again.
   */
  async add(
    rows: readonly (readonly Cell[])[],
    place?: { readonly capture: string; readonly upTo: number },
  ): Promise<void> {
    if (rows.length === 0) return;
    const { effects, run } = this.#settings;
    await this.stored.publish('WINDROW CAPTURE', async (snapshot) => {
      const landed = place && snapshot.transactions.get(place.capture);
      if (place !== undefined && landed !== undefined && landed >= place.upTo) return undefined;
      const lineageCells = [BigInt(effects.now()) * 1000n, run];
      const added = rows.map((cells) => [...cells, ...lineageCells]);
      const commit = await this.stored.replaced(snapshot, () => undefined, added);
      return place === undefined
        ? commit
        : { ...commit, versions: new Map([[place.capture, place.upTo]]) };
    });
  }
}
