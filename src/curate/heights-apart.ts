import type { Interval } from '../coverage/ranges.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { heightsIn, MAX_CONDITIONS } from './dirty-heights.ts';
import { joinToCount } from './heights/chunks.ts';
import { blockRows, unionOf } from './rule/contradictions.ts';
import { withinSql } from './rule/range-rows.ts';
import type { RangeSession } from './rule/range-session.ts';

/**
 * The heights of blocks and transactions that rows place at several heights, among them one of
 * `dirty`. Such rows may be too far apart to be in one range.
 */
export async function heightsApart(
  session: RangeSession,
  dirty: readonly Interval[],
): Promise<Interval[]> {
  const facts: string[] = [];
  for (const { dataset, height, hash, txHash } of blockRows(session.axis)) {
    if (!(await session.addRaw(dataset))) continue;
    for (const value of [hash, txHash]) {
      if (value === 'NULL') continue;
      facts.push(`SELECT ${height} AS height, hash(${value}) AS fact
        FROM lake.${identifier(dataset)} AS t WHERE ${value} IS NOT NULL`);
    }
  }
  if (facts.length === 0 || dirty.length === 0) return [];
  await session.connection.run(`CREATE OR REPLACE TEMP VIEW facts_apart AS ${unionOf(facts)}`);
  const within = withinSql('height', joinToCount(dirty, MAX_CONDITIONS));
  const apart = await session.connection.runAndReadAll(
    `CREATE OR REPLACE TEMP TABLE apart AS
     SELECT fact FROM temp.facts_apart
     WHERE fact IN (SELECT fact FROM temp.facts_apart WHERE ${within})
     GROUP BY fact HAVING min(height) < max(height)`,
  );
  if (Number(apart.getRows()[0]?.[0]) === 0) return [];
  return heightsIn(
    session,
    'SELECT DISTINCT height FROM temp.facts_apart WHERE fact IN (FROM temp.apart)',
  );
}
