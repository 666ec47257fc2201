import type { DuckDBConnection } from '@duckdb/node-api';
import type { Axis } from '../catalogue/entry.ts';
import { type Interval, normalise } from '../coverage/ranges.ts';
import { EVERY_HEIGHT } from '../land/delta/changed-heights.ts';
import { type RawVersion, versionKey } from './raw-versions.ts';
import { withinSql } from './rule/range-rows.ts';
import type { RangeSession } from './rule/range-session.ts';

/** Versions that curated tables were made from, by `versionKey`. */
export type MadeFrom = ReadonlyMap<string, number>;

/**
 * Heights at which raw tables changed since one of the curated tables was made from them: every
 * height if a raw table is not the one that it was made from.
 */
export async function changedSince(
  raw: readonly RawVersion[],
  former: readonly MadeFrom[],
): Promise<readonly Interval[]> {
  const changed: Interval[] = [];
  for (const table of raw) {
    const own = versionKey(table);
    const isOther = former
      .flatMap((made) => [...made])
      .some(([key, at]) => key.startsWith(`${table.dataset}/`) && key !== own && at >= 0);
    if (isOther) return EVERY_HEIGHT;
    const oldest = Math.min(...former.map((made) => made.get(own) ?? -1));
    changed.push(...(await table.changedSince(oldest)));
  }
  return normalise(changed);
}

/**
 * The heights at which curated rows of an axis may differ, given the heights at which raw tables of
 * the axis changed (`own`) and those at which transactions of the primary chain did (`others`).
 */
export async function dirtyHeights(options: {
  readonly axis: Axis;
  readonly session: RangeSession;
  readonly own: readonly Interval[];
  readonly others: readonly Interval[];
}): Promise<readonly Interval[]> {
  const { axis, session, own, others } = options;
  const more =
    axis === 'primary' ? await ofStandards(session, own) : await ofCrossings(session, others);
  return normalise([...own, ...more]);
}

/**
 * Heights of transfers without a token standard whose token has other transfers at changed heights:
 * these transfers take their standard from other transfers of the token.
 */
async function ofStandards(
  { connection }: RangeSession,
  changed: readonly Interval[],
): Promise<Interval[]> {
  const within = withinSql('block_number', changed);
  return heightsIn(
    connection,
    `SELECT DISTINCT block_number FROM lake.token_transfers
     WHERE token_standard IS NULL AND token_address IN (
       SELECT token_address FROM lake.token_transfers WHERE ${within}
       UNION
       SELECT token_address FROM stored.token_transfers WHERE ${within}
     )`,
  );
}

/** Heights of cross-chain transfers whose transaction of the primary chain may have changed. */
async function ofCrossings(
  { connection }: RangeSession,
  changed: readonly Interval[],
): Promise<Interval[]> {
  return heightsIn(
    connection,
    `SELECT DISTINCT zone_block_number FROM lake.cross_chain_transfers
     WHERE main_block_number IS NULL OR ${withinSql('main_block_number', changed)}`,
  );
}

async function heightsIn(connection: DuckDBConnection, sql: string): Promise<Interval[]> {
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return normalise(rows.map(([height]) => ({ from: Number(height), to: Number(height) })));
}
