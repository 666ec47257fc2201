import { datasetNamed } from '../../catalogue/index.ts';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import { isSameList, type ListId, listKey } from '../../coverage/list.ts';
import type { Interval } from '../../coverage/ranges.ts';
import { type LandedList, traitsOf } from '../../curate/rule/lists.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import type { DeltaTable } from '../../land/rows/table.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import { POSITION, type ServedDataset } from './columns.ts';
import { addToHashIndexSql, createHashIndexSql, hashIndexTable } from './hash-index.ts';
import { recordsSql, servedSql } from './merge-lists.ts';
import type { LakeStore } from './store.ts';

/** Rows that are merged at a time. A band must fit into memory, or DuckDB spills it to disk. */
const BAND_ROWS = 500_000;

/** One version of a dataset's table in the lake. */
export interface Version {
  readonly number: number;
  readonly files: ReadonlyMap<string, DataFile>;
  /** Absolute paths by the names in the log. */
  readonly paths: ReadonlyMap<string, string>;
  readonly coverage: readonly CoverageEntry[];
}

/** The newest version. It does not change when the table grows. */
export async function versionOf(table: DeltaTable): Promise<Version> {
  const snapshot = await table.snapshot();
  const files = new Map([...snapshot.files].sort(([a], [b]) => (a < b ? -1 : 1)));
  const absolute = table.paths(snapshot);
  const paths = new Map([...files.keys()].map((path, i) => [path, absolute[i] ?? path]));
  return { number: snapshot.version, files, paths, coverage: snapshot.coverage.entries() };
}

/**
 * The lowest height at which two versions may differ; undefined if they have the same files. A file
 * without height statistics may contain any height.
 */
export function lowestChange(before: Version | undefined, after: Version): number | undefined {
  const changed = [
    ...[...after.files.values()].filter(({ path }) => !before?.files.has(path)),
    ...[...(before?.files.values() ?? [])].filter(({ path }) => !after.files.has(path)),
  ];
  if (before === undefined) return 0;
  if (changed.length === 0) return undefined;
  return Math.min(...changed.map(({ heights }) => heights?.from ?? 0));
}

/** Creates the empty tables of a dataset. */
export async function createTables(store: LakeStore, of: ServedDataset): Promise<void> {
  const source = await store.scan([], tableColumns(of.name));
  const records = recordsSql(of, source, [], { from: 0, to: 0 });
  await store.rows(`CREATE TABLE ${identifier(of.name)} AS ${servedSql(of, records, 0)}`);
  // Pages of wide rows are read by position alone.
  await store.rows(
    `CREATE INDEX ${hashIndexTable(of.name, POSITION)} ON ${identifier(of.name)} (${POSITION})`,
  );
  for (const column of of.lookedUp) {
    await store.rows(createHashIndexSql(of, column));
  }
}

export interface Loading {
  readonly version: Version;
  /** The lowest height to rebuild the tables from. */
  readonly from: number;
  /** Cancels the load between two bands and leaves the tables incomplete. */
  readonly signal?: AbortSignal | undefined;
}

/** Updates the dataset's tables to a version. */
export async function load(store: LakeStore, of: ServedDataset, to: Loading): Promise<void> {
  const { version, signal } = to;
  const table = identifier(of.name);
  const from = of.isSnapshot ? 0 : to.from;
  await store.rows(`DELETE FROM ${table} WHERE ${identifier(of.heightColumn)} >= ${from}`);
  let records = await count(store, table);
  const kept = records;
  for (const column of of.lookedUp) {
    await store.rows(`DELETE FROM ${hashIndexTable(of.name, column)} WHERE place >= ${kept}`);
  }
  const lists = await listsOf(store, of, version);
  for (const band of await bandsOf(store, of, version, from)) {
    signal?.throwIfAborted();
    const files = filesIn(version, band);
    const scan = await store.scan(pathsOf(version, files), tableColumns(of.name));
    const known = lists.filter((list) => files.some((file) => mayHold(file, list)));
    const added = servedSql(of, recordsSql(of, scan, known, band), records);
    await store.rows(`INSERT INTO ${table} ${added}`);
    records = await count(store, table);
  }
  for (const column of of.lookedUp) {
    await store.rows(addToHashIndexSql(of, column, kept));
  }
  await store.rows('CHECKPOINT served');
}

async function count(store: LakeStore, table: string): Promise<number> {
  const [row] = await store.rows(`SELECT count(*) FROM ${table}`);
  return Number(row?.[0] ?? 0);
}

/** Intervals of heights with about `BAND_ROWS` rows each, the lowest first. */
async function bandsOf(
  store: LakeStore,
  of: ServedDataset,
  version: Version,
  from: number,
): Promise<Interval[]> {
  const files = filesIn(version, { from, to: Number.MAX_SAFE_INTEGER });
  const heights = tableColumns(of.name).filter(({ name }) => name === of.heightColumn);
  const scan = await store.scan(pathsOf(version, files), heights);
  const height = identifier(of.heightColumn);
  const rows = await store.rows(
    `SELECT max(${height}) FROM (
       SELECT ${height}, (sum(count(*)) OVER (ORDER BY ${height}) - 1) // ${BAND_ROWS} AS band
       FROM (${scan}) WHERE ${height} >= ${from} GROUP BY ${height}
     ) GROUP BY band ORDER BY band`,
  );
  const ends = rows.map(([end]) => Number(end));
  const [newest] = ends.slice(-1);
  if (of.isSnapshot) return newest === undefined ? [] : [{ from: newest, to: newest }];
  return ends.map((to, i) => ({ from: (ends[i - 1] ?? from - 1) + 1, to }));
}

function filesIn({ files }: Version, { from, to }: Interval): DataFile[] {
  return [...files.values()].filter(
    ({ heights }) => heights === undefined || (heights.from <= to && from <= heights.to),
  );
}

function pathsOf({ paths }: Version, files: readonly DataFile[]): string[] {
  return files.map(({ path }) => paths.get(path) ?? path);
}

function mayHold({ source }: DataFile, list: ListId): boolean {
  return source === undefined || isSameList(source, list);
}

/** The lists in the files, in order of precedence for their fields. */
async function listsOf(store: LakeStore, { name }: ServedDataset, version: Version) {
  const files = [...version.files.values()];
  const lists = new Map<string, LandedList>();
  const add = (endpoint: string, variant: string): void => {
    lists.set(listKey({ endpoint, variant }), {
      dataset: datasetNamed(name).name,
      endpoint,
      variant,
    });
  };
  for (const { source } of files) if (source !== undefined) add(source.endpoint, source.variant);
  const foreign = files.filter(({ source }) => source === undefined);
  if (foreign.length > 0) {
    const scan = await store.scan(pathsOf(version, foreign), tableColumns(name));
    const rows = await store.rows(`SELECT DISTINCT _endpoint, _variant FROM (${scan})`);
    for (const [endpoint, variant] of rows) add(String(endpoint), String(variant));
  }
  return traitsOf([...lists.values()]);
}
