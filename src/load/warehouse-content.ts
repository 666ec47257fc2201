import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Column } from '../catalogue/entry.ts';
import { datasets } from '../catalogue/index.ts';
import { curatedFiles } from '../curate/curate.ts';
import { coverageTables } from '../curate/rule/coverage-tables.ts';
import { type LakeTable, type TableVersion, tablesTable } from '../curate/rule/lake-tables.ts';
import { readLabels } from '../land/labels.ts';
import type { Lake } from '../land/lake.ts';
import { readNames } from '../land/names.ts';
import { QUARANTINE } from '../land/quarantine/quarantine.ts';
import { QUARANTINE_COLUMNS } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { pendingColumns, pendingName } from '../land/rows/pending-rows.ts';
import type { Disk } from '../land/storage/disk.ts';
import type { Publication } from './publication.ts';
import { labelsTable } from './tables/labels-table.ts';
import { namesTables } from './tables/names-tables.ts';
import { runsTable } from './tables/runs-table.ts';
import { waitingTable } from './tables/waiting-table.ts';

/** All that a warehouse shows, from the newest versions of the tables of a lake. */
export interface WarehouseContent extends Publication {
  /** Views of schema `files`. */
  readonly files: readonly DataFiles[];
  /** Paths of data files by curated table. */
  readonly curated: ReadonlyMap<string, readonly string[]>;
  /** Tables of schema `lake` except `runs`; computed when asked for. */
  readonly tables: () => readonly LakeTable[];
  readonly runs: LakeTable;
}

/** Reads the logs of all tables. `definition` names the empty warehouse that is filled. */
export async function warehouseContent(
  lake: Lake,
  disk: Disk,
  definition: string,
): Promise<WarehouseContent> {
  const versions = await versionsOf(lake);
  const curated = await curatedFiles(lake);
  const waiting = await waitingTable(lake);
  const labels = labelsTable(await readLabels(lake.layout, disk));
  const names = namesTables(await readNames(lake.layout, disk));
  const runs = await runsTable(lake.layout);
  const files = [
    ...versions.map(({ dataset: name, paths }) => ({ name, paths, columns: tableColumns(name) })),
    await quarantined(lake),
    ...(await pendingTables(lake)),
  ];
  return {
    files,
    curated,
    tables: () => [...coverageTables(versions), tablesTable(versions), waiting, labels, ...names],
    runs,
    // Coverage and the table `waiting` come from these logs and files alone.
    lakeDigest: digest([
      definition,
      versions.map(({ dataset, logDigest }) => [dataset, logDigest]),
      files.map(({ name, paths }) => [name, paths]),
      [...curated],
      labels.rows,
      names.map(({ rows }) => rows),
    ]),
    runsDigest: digest(runs.rows),
  };
}

function digest(content: unknown): string {
  const text = JSON.stringify(content, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

interface LoggedVersion extends TableVersion {
  /** Digest of the log up to this version. */
  readonly logDigest: string;
}

/**
 * The tables of all datasets, including those without a commit. Files and coverage are copied from
 * one snapshot, because they must be of the same version.
 */
async function versionsOf(lake: Lake): Promise<LoggedVersion[]> {
  const versions: LoggedVersion[] = [];
  for (const { name } of datasets) {
    const table = lake.table(name);
    const snapshot = await table.snapshot();
    const files = [...snapshot.files.values()];
    versions.push({
      chain: lake.chainOf(name),
      dataset: name,
      version: snapshot.version,
      paths: table.paths(snapshot).map((path) => resolve(path)),
      rows: files.some((file) => file.rows === undefined)
        ? undefined
        : files.reduce((sum, file) => sum + (file.rows ?? 0), 0),
      bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      coverage: snapshot.coverage.entries(),
      logDigest: snapshot.digest,
    });
  }
  return versions;
}

/** The files of the newest version of a table, for its view in schema `files`. */
export interface DataFiles {
  readonly name: string;
  /** Absolute, so that the view finds the files from any working directory. */
  readonly paths: readonly string[];
  readonly columns: readonly Column[];
}

/** The quarantines of both chains as one. */
async function quarantined(lake: Lake): Promise<DataFiles> {
  const paths: string[] = [];
  for (const quarantine of lake.quarantines()) {
    paths.push(...quarantine.paths(await quarantine.snapshot()).map((path) => resolve(path)));
  }
  return { name: QUARANTINE, columns: QUARANTINE_COLUMNS, paths };
}

async function pendingTables(lake: Lake): Promise<DataFiles[]> {
  const tables: DataFiles[] = [];
  for (const [dataset, table] of lake.pending) {
    tables.push({
      name: pendingName(dataset),
      columns: pendingColumns(dataset),
      paths: table.paths(await table.snapshot()).map((path) => resolve(path)),
    });
  }
  return tables;
}
