import type { Interval } from '../coverage/ranges.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { heightsIn } from './dirty-heights.ts';
import { blockRows, unionOf } from './rule/contradictions.ts';
import { heightsAmong } from './rule/heights-among.ts';
import type { RangeSession } from './rule/range-session.ts';

/**
 * The heights of blocks and transactions that rows place at several heights, among them one of
 * `dirty`. Such rows may be too far apart to be in one range. Unless the computation is full, only
 * curated transactions stand for the rows at other heights: reading all of these would cost more
 * than the computation of a few heights.
 */
export async function heightsApart(
  session: RangeSession,
  dirty: readonly Interval[],
  isFull: boolean,
): Promise<Interval[]> {
  if (dirty.length === 0) return [];
  const among = await heightsAmong(session.connection, 'dirty', dirty);
  const within = among('height');
  const here: string[] = [];
  const elsewhere: string[] = [];
  for (const { dataset, height, hash, txHash, ofTransaction } of blockRows(session.axis)) {
    if (!(await session.addRaw(dataset))) continue;
    const factsOf = (schema: string, value: string): string =>
      `SELECT ${height} AS height, hash(${value}) AS fact
       FROM ${schema}.${identifier(dataset)} AS t WHERE ${value} IS NOT NULL`;
    for (const value of [hash, txHash].filter((column) => column !== 'NULL')) {
      here.push(`FROM (${factsOf('lake', value)}) WHERE ${within}`);
    }
    if (isFull || ofTransaction.length === 0) continue;
    elsewhere.push(`FROM (${factsOf('stored', txHash)})
      WHERE NOT ${within} AND fact IN (SELECT fact FROM here)`);
  }
  if (here.length === 0) return [];
  await session.connection.run(
    `CREATE OR REPLACE TEMP VIEW facts_apart AS
     WITH here AS ${isFull ? 'NOT MATERIALIZED' : 'MATERIALIZED'} (${unionOf(here)})
     ${unionOf(['FROM here', ...elsewhere])}`,
  );
  const apart = await session.connection.runAndReadAll(
    `CREATE OR REPLACE TEMP TABLE apart AS
     SELECT fact FROM temp.facts_apart GROUP BY fact HAVING min(height) < max(height)`,
  );
  if (Number(apart.getRows()[0]?.[0]) === 0) return [];
  return heightsIn(
    session,
    'SELECT DISTINCT height FROM temp.facts_apart WHERE fact IN (FROM temp.apart)',
  );
}
