import { type DuckDBValue, listValue } from '@duckdb/node-api';
import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import { grouped } from '../../coverage/grouped.ts';
import { isAskedByHash, type List, listAt, listKey } from '../../coverage/list.ts';
import { type Interval, intersection, subtract } from '../../coverage/ranges.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { Claim } from '../rule/claim.ts';
import { localDisk } from '../storage/disk.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { isOf, NO_LOOK_UPS } from './empty-look-ups.ts';
import { mayHoldRows } from './removal.ts';

/** Runs a query with values, and returns its rows. */
export type ReadSql = (
  sql: string,
  values: Record<string, DuckDBValue>,
) => Promise<readonly (readonly DuckDBValue[])[]>;

/** A hash that a list of look-ups has completed: at the height of a row, or in its interval. */
export interface LandedLookUp extends Interval {
  readonly hash: string;
  /** A row completes the look-up at all heights. */
  readonly isRow: boolean;
}

/** Files of the raw table, and SQL for look-ups without a record (`EmptyLookUps.sql`). */
export interface LookUpRows {
  readonly paths: readonly string[];
  readonly empty?: string | undefined;
}

/**
 * SQL for the look-ups of a list: hash, from_block and to_block, or the height of a row and NULL.
 * Rows meet the SQL condition.
 */
export function landedSql(
  { paths, empty = NO_LOOK_UPS }: LookUpRows,
  list: List,
  condition = 'true',
) {
  const { endpoint, variant, dataset, keyColumns: [column = ''] = [] } = list;
  const [hash, height] = [column, dataset.heightColumn].map(identifier);
  const queries = [
    `SELECT tx_hash AS hash, from_block, to_block FROM (${empty}) WHERE ${isOf(list)}`,
  ];
  if (paths.length > 0) {
    queries.push(`SELECT DISTINCT ${hash}, ${height}, NULL
     FROM read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)
     WHERE _endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)} AND ${condition}`);
  }
  return queries.join(' UNION ALL ');
}

/** The look-ups of a list of these hashes, or of any; rows also meet the SQL condition. */
export async function landedLookUps(
  read: ReadSql,
  lookUps: LookUpRows,
  list: List,
  hashes: readonly string[] | undefined,
  condition?: string,
): Promise<LandedLookUp[]> {
  if (hashes?.length === 0) return [];
  await localDisk.fetch(lookUps.paths);
  const isAsked = hashes === undefined ? '' : 'WHERE hash IN (SELECT unnest($hashes))';
  const rows = await read(
    `FROM (${landedSql(lookUps, list, condition)}) ${isAsked}`,
    hashes === undefined ? {} : { hashes: listValue([...new Set(hashes)]) },
  );
  return rows.map(([hash, from, to]) => ({
    hash: String(hash),
    from: Number(from),
    to: Number(to ?? from),
    isRow: to === null,
  }));
}

/**
 * The entries, which damage has opened, and one for every look-up of their lists that a row
 * completes there. So each stays open until it is done again, whatever else is looked up.
 */
export async function withOpenedLookUps(
  read: ReadSql,
  { files, coverage }: Pick<Snapshot, 'files' | 'coverage'>,
  pathOf: (file: DataFile) => string,
  opened: readonly CoverageEntry[],
): Promise<CoverageEntry[]> {
  const all = [...opened];
  const paths = [...files.values()].map(pathOf);
  for (const entry of opened.filter((entry) => isAskedByHash(entry) && entry.key === '')) {
    const list = listAt(entry);
    const height = identifier(list.dataset.heightColumn);
    const isIn = `${height} BETWEEN ${entry.from} AND ${entry.to}`;
    const landed = await landedLookUps(read, { paths }, list, undefined, isIn);
    for (const { hash: key, isRow: _, ...heights } of landed) {
      if (!coverage.isKnown(list, key, heights)) all.push({ ...entry, ...heights, key });
    }
  }
  return all;
}

/**
 * The coverage of a version with the complete look-ups of the hashes in claims: the rule of a
 * commit then knows them like the keys of other lists. Those without a record have no rows to
 * replace, so they matter to walks that are not complete, which must not withdraw them.
 */
export async function withLandedLookUps(
  read: ReadSql,
  { files, coverage }: Pick<Snapshot, 'files' | 'coverage'>,
  pathOf: (file: DataFile) => string,
  claims: readonly Claim[],
  emptySql: () => Promise<string | undefined>,
): Promise<Coverage> {
  const lookUps = claims.filter(({ list }) => isAskedByHash(list));
  const lists = grouped(lookUps, ({ list }) => listKey(list));
  if (lists.size === 0) return coverage;
  const overlay = coverage.overlay();
  for (const listClaims of lists.values()) {
    const [first] = listClaims;
    if (first === undefined) continue;
    const { list } = first;
    const paths = [...files.values()].filter((file) =>
      listClaims.some((claim) => mayHoldRows(file, claim)),
    );
    const hashes = listClaims.flatMap(({ keys }) => keys);
    const isShort = listClaims.some(({ status }) => status !== 'complete');
    const rows = { paths: paths.map(pathOf), empty: isShort ? await emptySql() : undefined };
    for (const { hash, isRow, ...heights } of await landedLookUps(read, rows, list, hashes)) {
      if (coverage.isKnown(list, hash, heights)) continue;
      for (const { keys, interval, head, readAtMs } of listClaims) {
        const common = intersection(interval, heights);
        if (common === undefined || !keys.includes(hash)) continue;
        const part = { status: 'complete', reason: '', head, readAtMs } as const;
        for (const gap of subtract(isRow ? interval : common, coverage.get(list, hash))) {
          overlay.addTo(list, [hash], { ...gap, ...part });
        }
      }
    }
  }
  return overlay;
}
