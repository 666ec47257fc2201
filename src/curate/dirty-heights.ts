import { listValue } from '@duckdb/node-api';
import { type Interval, normalise } from '../coverage/ranges.ts';
import { type Changes, EVERYTHING, type LookedUp } from '../land/delta/changed-heights.ts';
import { CURATED_TABLES } from './curated-tables.ts';
import { joinToCount } from './heights/chunks.ts';
import { type RawVersion, versionKey } from './raw-versions.ts';
import { withinSql } from './rule/range-rows.ts';
import type { RangeSession } from './rule/range-session.ts';

/** Versions that curated tables were made from, by `versionKey`. */
export type MadeFrom = ReadonlyMap<string, number>;

/**
 * The heights and transactions of raw tables that changed since one of the curated tables was made
 * from them. Everything has changed if a raw table is not the one that it was made from.
 */
export async function changedSince(
  raw: readonly RawVersion[],
  former: readonly MadeFrom[],
): Promise<Changes> {
  const heights: Interval[] = [];
  const lookedUp: LookedUp[] = [];
  for (const table of raw) {
    const own = versionKey(table);
    const isOther = former
      .flatMap((made) => [...made])
      .some(([key, at]) => key.startsWith(`${table.dataset}/`) && key !== own && at >= 0);
    if (isOther) return EVERYTHING;
    const oldest = Math.min(...former.map((made) => made.get(own) ?? -1));
    const changes = await table.changedSince(oldest);
    heights.push(...changes.heights);
    lookedUp.push(...changes.lookedUp);
  }
  return { heights: normalise(heights), lookedUp };
}

/** Conditions on heights in one query. More heights than changed only cost time. */
const MAX_CONDITIONS = 100;

/**
 * The heights at which curated rows of the session's axis may differ, given the changes of the raw
 * tables of the axis (`own`) and of the transactions of the primary chain (`others`).
 */
export async function dirtyHeights(
  session: RangeSession,
  own: Changes,
  others: Changes,
): Promise<readonly Interval[]> {
  const looked = await heightsOfLookUps(session, own.lookedUp);
  const changed = normalise([...own.heights, ...looked]);
  const more =
    session.axis === 'primary'
      ? await ofStandards(session, changed)
      : await ofCrossings(session, others);
  return normalise([...changed, ...more]);
}

/** Heights of transactions that were looked up, from `lake` and `stored` rows. */
export async function heightsOfLookUps(
  session: RangeSession,
  lookedUp: readonly LookedUp[],
): Promise<Interval[]> {
  if (lookedUp.length === 0) return [];
  await session.connection.run(
    `CREATE OR REPLACE TEMP TABLE looked_up (tx_hash VARCHAR, from_block BIGINT, to_block BIGINT)`,
  );
  for (const { hashes, from, to } of lookedUp) {
    await session.connection.run(
      `INSERT INTO temp.looked_up SELECT unnest($hashes), ${from}, ${to}`,
      { hashes: listValue([...hashes]) },
    );
  }
  const all = {
    from: Math.min(...lookedUp.map(({ from }) => from)),
    to: Math.max(...lookedUp.map(({ to }) => to)),
  };
  // Rows as they are now, and as they were when each of the curated tables was written last.
  const relations: string[] = [];
  for (const table of CURATED_TABLES.filter(({ axis }) => axis === session.axis)) {
    const { name, hashColumn, heightColumn } = table;
    if (hashColumn === undefined) continue;
    const found = `SELECT ${hashColumn} AS tx_hash, ${heightColumn} AS height FROM`;
    const within = `WHERE ${withinSql(heightColumn, [all])}`;
    relations.push(`${found} stored.${name} ${within}`);
    if (await session.addRaw(name)) relations.push(`${found} lake.${name} ${within}`);
  }
  return heightsIn(
    session,
    `SELECT DISTINCT height FROM (${relations.join(' UNION ALL ')}) AS rows
     JOIN temp.looked_up AS l
       ON l.tx_hash = rows.tx_hash AND rows.height BETWEEN l.from_block AND l.to_block`,
  );
}

/**
 * Heights of transfers without a token standard whose token has others at changed heights: these
 * transfers take their standard from other transfers of the token.
 */
async function ofStandards(
  session: RangeSession,
  changed: readonly Interval[],
): Promise<Interval[]> {
  const within = withinSql('block_number', joinToCount(changed, MAX_CONDITIONS));
  return heightsIn(
    session,
    `SELECT DISTINCT block_number FROM lake.token_transfers
     WHERE token_standard IS NULL AND token_address IN (
       SELECT token_address FROM lake.token_transfers WHERE ${within}
       UNION
       SELECT token_address FROM stored.token_transfers WHERE ${within}
     )`,
  );
}

/**
 * Heights of cross-chain transfers whose transaction of the primary chain may have changed. Those
 * that name none have none, wherever they say they began.
 */
async function ofCrossings(session: RangeSession, changes: Changes): Promise<Interval[]> {
  // A look-up counts for all heights of its interval: a crossing may name a hash that has no row.
  const changed = normalise([...changes.heights, ...changes.lookedUp]);
  const within = withinSql('main_block_number', joinToCount(changed, MAX_CONDITIONS));
  return heightsIn(
    session,
    `SELECT DISTINCT zone_block_number FROM lake.cross_chain_transfers
     WHERE main_tx_hash IS NOT NULL AND (main_block_number IS NULL OR ${within})`,
  );
}

async function heightsIn({ connection }: RangeSession, sql: string): Promise<Interval[]> {
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return normalise(rows.map(([height]) => ({ from: Number(height), to: Number(height) })));
}
