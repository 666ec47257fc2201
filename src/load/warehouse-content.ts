import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Column } from '../catalogue/entry.ts';
import { datasets } from '../catalogue/index.ts';
import { curatedFiles } from '../curate/curate.ts';
import { COVERAGE_VIEW, coverageTables, coveredTable } from '../curate/rule/coverage-tables.ts';
import { type LakeTable, type TableVersion, tablesTable } from '../curate/rule/lake-tables.ts';
import { Fault } from '../fault.ts';
import { COVERAGE_COLUMNS } from '../land/coverage-index.ts';
import { totalOf } from '../land/delta/fold.ts';
import type { StoredTable } from '../land/delta/stored-table.ts';
import type { Lake } from '../land/lake.ts';
import { NAME_SHAPES } from '../land/names.ts';
import { QUARANTINE } from '../land/quarantine/quarantine.ts';
import { QUARANTINE_COLUMNS } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { EMPTY_LOOK_UPS } from '../land/rows/empty-look-ups.ts';
import type { Publication } from './query/publication.ts';
import { runsTable } from './tables/runs-table.ts';
import { waitingTable } from './tables/waiting-table.ts';

/** All that a warehouse shows, from the newest versions of the tables of a lake. */
export interface WarehouseContent extends WarehouseUpdate {
  /** Views of schema `files`. */
  readonly files: readonly DataFiles[];
  /** Paths of data files by curated table. */
  readonly curated: ReadonlyMap<string, readonly string[]>;
  /** Whether any address, token or method has a name, or was reconciled. */
  readonly hasNames: boolean;
  /** Tables of schema `lake` except `runs`; computed when asked for. */
  readonly tables: () => readonly LakeTable[];
}

/** The digests of all content, and the part that every run changes. */
export interface WarehouseUpdate extends Publication {
  readonly runs: LakeTable;
}

/**
 * Brings the coverage tables up to date and reads the logs of all tables. `definition` names the
 * empty warehouse that is filled.
 */
export async function warehouseContent(lake: Lake, definition: string): Promise<WarehouseContent> {
  return contentOf(lake, definition, await versionsWithCoverage(lake, true));
}

/** The content of a lake that is only read, and its coverage as rows of `files.coverage`. */
export async function contentToRead(
  lake: Lake,
  definition: string,
): Promise<{ readonly content: WarehouseContent; readonly covered: LakeTable }> {
  const versions = await versionsOf(lake, true);
  const content = await contentOf(lake, definition, { versions, covered: [] });
  return { content, covered: coveredTable(versions) };
}

/** The digests of the content of a lake that is only read. */
export async function publicationToRead(lake: Lake, definition: string): Promise<Publication> {
  const versions = await versionsOf(lake, false);
  return contentOf(lake, definition, { versions, covered: [] });
}

/** The digests of the same content, without its coverage, which costs most. */
export async function newestPublication(lake: Lake, definition: string): Promise<WarehouseUpdate> {
  return contentOf(lake, definition, await versionsWithCoverage(lake, false));
}

/** Tables that views join where they have rows. */
const JOINED = new Set([...NAME_SHAPES.map(({ name }) => name), 'reconciliations']);

async function contentOf(
  lake: Lake,
  definition: string,
  { versions, covered }: CoveredVersions,
): Promise<WarehouseContent> {
  const curated = await curatedFiles(lake);
  const waiting = await waitingTable(lake);
  const runs = await runsTable(lake.layout);
  const files = [
    ...versions.map(({ dataset: name, paths }) => ({ name, paths, columns: tableColumns(name) })),
    { name: COVERAGE_VIEW.name, columns: COVERAGE_COLUMNS, paths: covered },
    { name: QUARANTINE, columns: QUARANTINE_COLUMNS, paths: await pathsOf(lake.quarantines()) },
    { ...EMPTY_LOOK_UPS, paths: await pathsOf(datasets.map(({ name }) => lake.table(name).empty)) },
    ...(await filesOf([lake.pending, lake.captured, lake.names].flatMap((by) => [...by.values()]))),
  ];
  const hasNames = files.some(({ name, paths }) => JOINED.has(name) && paths.length > 0);
  return {
    files,
    curated,
    hasNames,
    tables: () => [...coverageTables(versions), tablesTable(versions), waiting],
    runs,
    // Coverage and the table `waiting` come from these logs and files alone.
    lakeDigest: digest([
      definition,
      versions.map(({ dataset, logDigest }) => [dataset, logDigest]),
      files.map(({ name, paths }) => [name, paths]),
      [...curated],
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

interface CoveredVersions {
  readonly versions: readonly LoggedVersion[];
  /** Files of the coverage tables that were made from these versions. */
  readonly covered: readonly string[];
}

/** How often versions are read again because another process commits at the same time. */
const MAX_READINGS = 10;

/** The newest versions of all tables, and the files of coverage tables that are made from them. */
async function versionsWithCoverage(lake: Lake, hasCoverage: boolean): Promise<CoveredVersions> {
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    const index = await lake.indexCoverage();
    const versions = await versionsOf(lake, hasCoverage);
    const isCurrent = versions.every(({ dataset, version }) => {
      return version < 0 || index.versions.get(dataset) === version;
    });
    if (isCurrent) return { versions, covered: index.paths.map((path) => resolve(path)) };
  }
  throw new Fault('lake', `Other processes changed the lake ${MAX_READINGS} times.`, {
    where: lake.layout.root,
    advice: { text: 'Try again when no run is under way.', command: 'windrow load' },
  });
}

/**
 * The tables of all datasets, including those without a commit. Files and coverage are copied from
 * one snapshot, because they must be of the same version.
 */
async function versionsOf(lake: Lake, hasCoverage: boolean): Promise<LoggedVersion[]> {
  const versions: LoggedVersion[] = [];
  for (const { name } of datasets) {
    const table = lake.table(name);
    const snapshot = await table.snapshot();
    const files = [...snapshot.files.values()];
    const { rows, bytes } = totalOf(files);
    versions.push({
      chain: lake.chainOf(name),
      dataset: name,
      version: snapshot.version,
      paths: table.paths(snapshot).map((path) => resolve(path)),
      rows: files.some((file) => file.rows === undefined) ? undefined : rows,
      bytes,
      coverage: hasCoverage ? snapshot.coverage.grouped() : [],
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

/** The files of tables of one shape. */
async function pathsOf(tables: readonly (StoredPart | undefined)[]): Promise<string[]> {
  const files = await filesOf(tables.flatMap((table) => table ?? []));
  return files.flatMap(({ paths }) => paths);
}

interface StoredPart {
  readonly stored: StoredTable;
}

async function filesOf(tables: Iterable<StoredPart>): Promise<DataFiles[]> {
  const files: DataFiles[] = [];
  for (const { stored } of tables) {
    const paths = stored.paths(await stored.snapshot()).map((path) => resolve(path));
    files.push({ name: stored.shape.name, columns: stored.shape.columns, paths });
  }
  return files;
}
