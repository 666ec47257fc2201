import { join, relative } from 'node:path';
import { isAskedByHash, type ListId, listKey } from '../../coverage/list.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { isUnfinished } from '../../coverage/unfinished.ts';
import { curatedTable } from '../../curate/curate-axis.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { EVERY_HEIGHT } from '../../land/delta/changed-heights.ts';
import type { Snapshot } from '../../land/delta/fold.ts';
import { isOfLog } from '../../land/delta/log-files.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import type { Lake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { FileOnDisk, TableFacts } from './table-plan.ts';

/** A table of the lake whose files maintenance looks after. */
export interface MaintainedTable {
  /** Path of its folder below the data root. */
  readonly name: string;
  readonly stored: StoredTable;
  /** Curated tables are merged while they are curated. */
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
  const of = (stored: StoredTable, isCurated: boolean): MaintainedTable => {
    return { name: relative(lake.layout.root, stored.folder), stored, isCurated };
  };
  const found = (await lake.storedTables()).map((stored) => of(stored, false));
  if (which === 'raw') return found;
  for (const table of CURATED_TABLES) {
    const stored = curatedTable(lake, table);
    if ((await stored.snapshot()).version >= 0) found.push(of(stored, true));
  }
  return found;
}

/** The table with this name, which must be one of them. */
export function tableNamed(tables: readonly MaintainedTable[], name: string): MaintainedTable {
  const found = tables.find((table) => table.name === name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
}

/** Facts for the merges of a table alone: they do not need its folder. */
export async function mergeFacts({
  name,
  stored,
  isCurated,
}: MaintainedTable): Promise<TableFacts> {
  const snapshot = await stored.snapshot();
  const { files, removedAt } = snapshot;
  return {
    table: name,
    files,
    removedAt,
    isMerged: !isCurated && hasOwnColumns(stored, snapshot),
    isProvisional: provisionalFiles(stored, snapshot),
    others: [],
  };
}

/** All facts of a table. */
export async function tableFacts(table: MaintainedTable): Promise<TableFacts> {
  // Listed before the log is read, so files that are committed meanwhile are no orphans.
  const { folder } = table.stored;
  const paths = (await localDisk.files(folder)).filter((path) => {
    return path.endsWith('.parquet') && !isOfLog(path);
  });
  const facts = await mergeFacts(table);
  const others: FileOnDisk[] = [];
  for (const path of paths.filter((each) => !facts.files.has(each))) {
    const facts = await localDisk.stat(join(folder, path));
    if (facts !== undefined) others.push({ path, ...facts });
  }
  return { ...facts, others };
}

/** A newer windrow or another program may have added columns, which a merge would lose. */
function hasOwnColumns({ shape }: StoredTable, { columns }: Snapshot): boolean {
  const own = new Set(shape.columns.map(({ name }) => name));
  return columns.every((name) => own.has(name));
}

/**
 * Whether a file lies at heights where its list has provisional coverage: the next run replaces
 * such rows, except where records are unfinished. Files of several lists count as provisional.
 */
function provisionalFiles(
  { shape }: StoredTable,
  { coverage }: Snapshot,
): (file: DataFile) => boolean {
  if (!shape.isBySource) return () => false;
  const lists = new Map<string, readonly Interval[]>();
  const provisionalIn = (list: ListId): readonly Interval[] => {
    // The coverage of a hash says nothing of the height of its row.
    if (isAskedByHash(list)) return [];
    const [all = { from: 0, to: 0 }] = EVERY_HEIGHT;
    return coverage.overlapping(list, all).filter((entry) => {
      return entry.status === 'provisional' && !isUnfinished(entry);
    });
  };
  return ({ source, heights }) => {
    if (source === undefined || heights === undefined) return true;
    const provisional = lists.get(listKey(source)) ?? provisionalIn(source);
    lists.set(listKey(source), provisional);
    return provisional.some((each) => overlaps(each, heights));
  };
}
