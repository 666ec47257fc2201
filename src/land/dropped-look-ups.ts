import { listValue } from '@duckdb/node-api';
import { paramOf } from '../catalogue/index.ts';
import type { Coverage, CoverageEntry } from '../coverage/coverage.ts';
import { isAskedByHash, isSameList, type List, LOOK_UP_ENDPOINTS } from '../coverage/list.ts';
import type { Plan } from '../plan/plan.ts';
import type { Lake } from './lake.ts';
import { tableColumns } from './rows/columns.ts';
import { forgottenIn } from './rows/forgotten-in.ts';
import { scanSql } from './storage/scan.ts';
import { withScratch } from './storage/scratch.ts';
import { identifier, literal } from './storage/sql-text.ts';

/**
 * A transaction can leave the chain before its block is final. The list that named it is read again
 * and no longer has it, so no run requests its look-up again, which would stay provisional.
 */

/**
 * Forgets incomplete look-ups whose blocks have become final, if the plan does not request them and
 * no row but those of look-ups names their hashes. The plan is one for keys found in landed rows.
 * Returns the number of hashes.
 */
export async function forgetDropped(lake: Lake, plan: Plan): Promise<number> {
  let forgotten = 0;
  for (const { list, isFound, slices } of plan.requests) {
    const safe = plan.heads[list.entry.axis]?.safe;
    if (!isFound || safe === undefined || !isAskedByHash(list)) continue;
    const table = lake.table(list.dataset.name);
    const { coverage } = await table.snapshot();
    const requested = new Set(slices.flatMap(({ keys }) => keys));
    const open = [...coverage.keysOf(list).openKeys()].filter((key) => {
      return !requested.has(key) && isSettled(coverage.of(list, key), safe);
    });
    const dropped = await withoutRows(lake, list, coverage, open);
    if (dropped.length === 0) continue;
    await table.forget((snapshot) => {
      const keysOf = (each: List): string[] => {
        if (!isSameList(each, list)) return [];
        return dropped.filter((key) => isSettled(snapshot.coverage.of(list, key), safe));
      };
      return forgottenIn(snapshot, table.pathOf.bind(table), keysOf);
    });
    forgotten += dropped.length;
  }
  return forgotten;
}

/** Whether all of this coverage is incomplete, and below the safe height. */
function isSettled(entries: readonly CoverageEntry[], safe: number): boolean {
  return entries.every(({ status, to }) => status !== 'complete' && to < safe);
}

/** The hashes that no row at the heights of their coverage names, except rows of look-ups. */
async function withoutRows(
  lake: Lake,
  list: List,
  coverage: Coverage,
  hashes: readonly string[],
): Promise<string[]> {
  const [column] = paramOf(list.entry, 'keys')?.columns ?? [];
  if (hashes.length === 0 || column === undefined) return [];
  const entries = hashes.flatMap((hash) => coverage.of(list, hash));
  const from = entries.reduce((lowest, entry) => Math.min(lowest, entry.from), Infinity);
  const to = entries.reduce((highest, entry) => Math.max(highest, entry.to), 0);
  const left = new Set(hashes);
  await withScratch(async (connection) => {
    for (const table of await lake.tables()) {
      const { name, axis, heightColumn } = table.dataset;
      const columns = tableColumns(name);
      if (axis !== list.entry.axis || !columns.some((each) => each.name === column)) continue;
      const rows = await scanSql(connection, table.paths(await table.snapshot()), columns);
      const hash = identifier(column);
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT ${hash} FROM (${rows})
         SEMI JOIN (SELECT unnest($hashes) AS ${hash}) AS hashes USING (${hash})
         WHERE ${identifier(heightColumn)} BETWEEN ${from} AND ${to}
           AND _endpoint NOT IN (${LOOK_UP_ENDPOINTS.map(literal).join(', ')})`,
        { hashes: listValue([...hashes]) },
      );
      for (const [named] of found.getRows()) left.delete(String(named));
    }
  });
  return [...left];
}
