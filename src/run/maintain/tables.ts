import { relative } from 'node:path';
import { curatedTable } from '../../curate/curate-axis.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import type { Lake } from '../../land/lake.ts';

/** A table of the lake whose files maintenance looks after. */
export interface MaintainedTable {
  /** Path of its folder below the data root. */
  readonly name: string;
  readonly stored: StoredTable;
  readonly isCurated: boolean;
}

/**
 * All tables of a lake with at least one commit, or those below `lake` alone. Throws Fault('lake')
 * for a corrupt log.
 */
export async function maintainedTables(
  lake: Lake,
  which: 'all' | 'raw' = 'all',
): Promise<MaintainedTable[]> {
  const tableOf = (stored: StoredTable, isCurated: boolean): MaintainedTable => {
    return { name: relative(lake.layout.root, stored.folder), stored, isCurated };
  };
  const tables = (await lake.storedTables()).map((stored) => tableOf(stored, false));
  if (which === 'raw') return tables;
  for (const table of CURATED_TABLES) {
    const stored = curatedTable(lake, table);
    if ((await stored.snapshot()).version >= 0) tables.push(tableOf(stored, true));
  }
  return tables;
}
