import { listValue } from '@duckdb/node-api';
import { paramOf } from '../catalogue/index.ts';
import type { Coverage, CoverageEntry } from '../coverage/coverage.ts';
import { isAskedByHash, isSameList, type List, LOOK_UP_ENDPOINTS } from '../coverage/list.ts';
import { contains, type Interval } from '../coverage/ranges.ts';
import type { Plan } from '../plan/plan.ts';
import type { Lake } from './lake.ts';
import { tableColumns } from './rows/columns.ts';
import { forgottenIn } from './rows/forgotten-in.ts';
import { scanSql } from './storage/scan.ts';
import { withScratch } from './storage/scratch.ts';
import { identifier, literal } from './storage/sql-text.ts';

/**
 * A transaction can leave the chain before its block is final. A run reads the list that named it
 * again, and the list no longer has it. So no run requests the look-up again, and the look-up would
 * stay provisional. Where a list is not proven, a missing row proves nothing: look-ups stay until
 * the list has been read again. Look-ups in truncated blocks do not stay, because a truncated block
 * stays truncated; its coverage shows that rows are missing.
 */

/**
 * Forgets incomplete look-ups whose rows have become final, if the plan does not request them, no
 * row but those of look-ups names their hashes, and all lists are proven at the height of their
 * rows. The plan is one for keys found in landed rows.
 */
export async function forgetDropped(lake: Lake, plan: Plan): Promise<void> {
  for (const { list, isFound, slices } of plan.requests) {
    const safe = plan.heads[list.entry.axis]?.safe;
    if (!isFound || safe === undefined || !isAskedByHash(list)) continue;
    const table = lake.table(list.dataset.name);
    const { coverage } = await table.snapshot();
    const requested = new Set(slices.flatMap(({ keys }) => keys));
    const open = [...coverage.keysOf(list).openKeys()].filter((key) => {
      return key !== '' && !requested.has(key) && isSettled(coverage.of(list, key), safe);
    });
    const dropped = await withoutRows(lake, list, coverage, open, safe);
    if (dropped.length === 0) continue;
    await table.forget((snapshot) => {
      const keysOf = (each: List): string[] => {
        if (!isSameList(each, list)) return [];
        return dropped.filter((key) => isSettled(snapshot.coverage.of(list, key), safe));
      };
      return forgottenIn(snapshot, table, keysOf);
    });
  }
}

/**
 * Whether all of this coverage is incomplete and begins below the safe height. It may end above the
 * safe height, because the interval of a look-up ends at the head at the time of the look-up.
 */
function isSettled(entries: readonly CoverageEntry[], safe: number): boolean {
  return entries.every(({ status, from }) => status !== 'complete' && from < safe);
}

/**
 * The hashes that no row names at the heights of their coverage, or only rows of look-ups that are
 * below the safe height, where all lists are proven.
 */
async function withoutRows(
  lake: Lake,
  list: List,
  coverage: Coverage,
  hashes: readonly string[],
  safe: number,
): Promise<string[]> {
  const [column] = paramOf(list.entry, 'keys')?.columns ?? [];
  if (hashes.length === 0 || column === undefined) return [];
  const entries = hashes.flatMap((hash) => coverage.of(list, hash));
  const from = entries.reduce((lowest, entry) => Math.min(lowest, entry.from), Infinity);
  const to = entries.reduce((highest, entry) => Math.max(highest, entry.to), 0);
  const left = new Set(hashes);
  const unproven: Interval[] = [];
  const looked: [string, number][] = [];
  await withScratch(async (connection) => {
    for (const table of await lake.tables()) {
      const { name, axis, heightColumn } = table.dataset;
      const columns = tableColumns(name);
      if (axis !== list.entry.axis || !columns.some((each) => each.name === column)) continue;
      const snapshot = await table.snapshot();
      unproven.push(...unprovenIn(snapshot.coverage));
      const rows = await scanSql(connection, table.paths(snapshot), columns);
      const hash = identifier(column);
      const height = identifier(heightColumn);
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT ${hash}, ${height},
           _endpoint IN (${LOOK_UP_ENDPOINTS.map(literal).join(', ')})
         FROM (${rows})
         SEMI JOIN (SELECT unnest($hashes) AS ${hash}) AS hashes USING (${hash})
         WHERE ${height} BETWEEN ${from} AND ${to}`,
        { hashes: listValue([...hashes]) },
      );
      for (const [named, at, isLookUp] of found.getRows()) {
        if (isLookUp === true) looked.push([String(named), Number(at)]);
        else left.delete(String(named));
      }
    }
  });
  for (const [hash, height] of looked) {
    if (height >= safe || unproven.some((each) => contains(each, height))) left.delete(hash);
  }
  return [...left];
}

/** Blocks where a list, not a look-up, is not proven, so that runs read it again. */
function unprovenIn(coverage: Coverage): Interval[] {
  const lists = coverage.lists().filter(({ endpoint }) => !LOOK_UP_ENDPOINTS.includes(endpoint));
  return lists.flatMap((list) => {
    const open = [...coverage.keysOf(list).openKeys()];
    const entries = open.flatMap((key) => coverage.of(list, key));
    return entries.filter(({ status }) => status === 'inconsistent' || status === 'failed');
  });
}
