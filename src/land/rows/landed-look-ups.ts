import { type DuckDBValue, listValue } from '@duckdb/node-api';
import type { Coverage, CoverageEntry, CoverageGroup } from '../../coverage/coverage.ts';
import {
  findList,
  isAskedByHash,
  isSameList,
  type List,
  listAt,
  listKey,
} from '../../coverage/list.ts';
import { contains, overlaps, subtract } from '../../coverage/ranges.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { Claim } from '../rule/claim.ts';
import { localDisk } from '../storage/disk.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { mayHoldRows } from './removal.ts';

/** Runs a query with values, and returns its rows. */
export type ReadSql = (
  sql: string,
  values: Record<string, DuckDBValue>,
) => Promise<readonly (readonly DuckDBValue[])[]>;

/** A hash, and the height of a row that a list of look-ups has of it. */
export interface LandedLookUp {
  readonly hash: string;
  readonly height: number;
}

/** The rows of a list of look-ups that name these hashes, or any, and meet the SQL condition. */
export async function landedLookUps(
  read: ReadSql,
  paths: readonly string[],
  { endpoint, variant, dataset, keyColumns: [column = ''] = [] }: List,
  hashes: readonly string[] | undefined,
  condition = 'true',
): Promise<LandedLookUp[]> {
  if (paths.length === 0 || hashes?.length === 0) return [];
  await localDisk.fetch(paths);
  const [hash, height] = [column, dataset.heightColumn].map(identifier);
  const rows = await read(
    `SELECT DISTINCT ${hash}, ${height}
     FROM read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)
     WHERE _endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}
       AND ${condition} ${hashes === undefined ? '' : `AND ${hash} IN (SELECT unnest($hashes))`}`,
    hashes === undefined ? {} : { hashes: listValue([...new Set(hashes)]) },
  );
  return rows.map(([named, at]) => ({ hash: String(named), height: Number(at) }));
}

/** The coverage of complete look-ups: one group for each of the rows that `landed` returns. */
export async function lookUpGroups(
  coverage: Coverage,
  landed: (list: List) => Promise<readonly LandedLookUp[]>,
): Promise<CoverageGroup[]> {
  const groups: CoverageGroup[] = [];
  for (const id of coverage.lists()) {
    const list = findList(id);
    if (list === undefined || !isAskedByHash(list)) continue;
    for (const { hash, height: from } of await landed(list)) {
      const part = {
        from,
        to: from,
        status: 'complete',
        reason: '',
        head: 0,
        readAtMs: 0,
      } as const;
      groups.push({ ...id, keys: [hash], parts: [part] });
    }
  }
  return groups;
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
  for (const entry of opened.filter((each) => isAskedByHash(each) && each.key === '')) {
    const list = listAt(entry);
    const paths = [...files.values()]
      .filter(({ source, heights }) => {
        return (!source || isSameList(source, list)) && (!heights || overlaps(heights, entry));
      })
      .map(pathOf);
    const height = identifier(list.dataset.heightColumn);
    const isIn = `${height} BETWEEN ${entry.from} AND ${entry.to}`;
    for (const { hash: key, height: at } of await landedLookUps(
      read,
      paths,
      list,
      undefined,
      isIn,
    )) {
      const heights = { from: at, to: at };
      if (!coverage.isKnown(list, key, heights)) all.push({ ...entry, ...heights, key });
    }
  }
  return all;
}

/**
 * The coverage of a version with the look-ups that its rows complete, of the hashes in claims: the
 * rule of a commit then knows them like the keys of other lists.
 */
export async function withLandedLookUps(
  read: ReadSql,
  { files, coverage }: Pick<Snapshot, 'files' | 'coverage'>,
  pathOf: (file: DataFile) => string,
  claims: readonly Claim[],
): Promise<Coverage> {
  const lists = new Map<string, Claim[]>();
  for (const claim of claims.filter(({ list }) => isAskedByHash(list))) {
    lists.set(listKey(claim.list), [...(lists.get(listKey(claim.list)) ?? []), claim]);
  }
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
    const landed = await landedLookUps(read, paths.map(pathOf), list, hashes);
    for (const { hash, height } of landed) {
      if (coverage.isKnown(list, hash, { from: height, to: height })) continue;
      for (const { keys, interval, head, readAtMs } of listClaims) {
        if (!contains(interval, height) || !keys.includes(hash)) continue;
        const part = { status: 'complete', reason: '', head, readAtMs } as const;
        for (const gap of subtract(interval, coverage.of(list, hash))) {
          overlay.addTo(list, [hash], { ...gap, ...part });
        }
      }
    }
  }
  return overlay;
}
