import { listValue } from '@duckdb/node-api';
import { findList, isAskedByHash, isSameList, type List } from '../../coverage/list.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import { type ForgottenKeys, forgottenKeys } from '../rule/forgotten-keys.ts';
import { localDisk } from '../storage/disk.ts';
import { withScratch } from '../storage/scratch.ts';
import { literal } from '../storage/sql-text.ts';
import type { LandedLookUp } from './landed-look-ups.ts';
import { canNameSeveralKeys, namedKeysSql } from './named-keys.ts';

/**
 * What a version of a table forgets with the keys that `keysOf` chooses for each of its lists, one
 * entry per list with coverage of one of them. Lists that the catalogue no longer has are skipped.
 */
export async function forgottenIn(
  { files, coverage }: Pick<Snapshot, 'files' | 'coverage'>,
  table: {
    pathOf(file: DataFile): string;
    landed(list: List, hashes: readonly string[]): Promise<LandedLookUp[]>;
  },
  keysOf: (list: List) => readonly string[],
): Promise<ForgottenKeys[]> {
  const forgotten: ForgottenKeys[] = [];
  for (const id of coverage.lists()) {
    const list = findList(id);
    if (list === undefined) continue;
    const covered = coverage.keysOf(id);
    const listFiles = [...files.values()].filter(({ source }) => {
      return source === undefined || isSameList(source, id);
    });
    const paths = listFiles.map((file) => table.pathOf(file));
    const chosen = keysOf(list);
    const lookUps = isAskedByHash(list) ? await table.landed(list, chosen) : [];
    const landed = lookUps.map(({ hash: key, ...heights }) => ({ key, ...heights }));
    const named = new Set(landed.map(({ key }) => key));
    const keys = chosen.filter((key) => covered.has(key) || named.has(key));
    if (keys.length === 0) continue;
    const beside = await keysBeside(paths, list, keys);
    const shared = beside.filter((key) => covered.has(key));
    const entry = forgottenKeys(coverage, id, keys, shared, landed);
    if (entry !== undefined) forgotten.push(entry);
  }
  return forgotten;
}

/** All keys that rows of the list with one of these keys name. */
async function keysBeside(
  paths: readonly string[],
  list: List,
  keys: readonly string[],
): Promise<string[]> {
  const { endpoint, variant, dataset, keyColumns = [] } = list;
  if (paths.length === 0 || !canNameSeveralKeys(list)) return [];
  await localDisk.fetch(paths);
  return withScratch(async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT unnest(named) FROM (
         SELECT ${namedKeysSql(dataset.name, keyColumns)} AS named
         FROM read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)
         WHERE _endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}
       ) WHERE list_has_any(named, $keys)`,
      { keys: listValue([...keys]) },
    );
    return reader.getRows().map(([key]) => String(key));
  });
}
