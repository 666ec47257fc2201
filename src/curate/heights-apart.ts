import type { Interval } from '../coverage/ranges.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { heightsIn } from './dirty-heights.ts';
import { blockRows } from './rule/contradictions.ts';
import { heightsAmong } from './rule/heights-among.ts';
import type { RangePlanner } from './rule/range-planner.ts';

/**
 * The heights of blocks and transactions that rows place at several heights, among them one of
 * `dirty`. Such rows may be too far apart to be in one range. Curated rows cannot stand for the raw
 * ones: a block hash has one curated row, whatever heights its rows have.
 */
export async function heightsApart(
  planner: RangePlanner,
  dirty: readonly Interval[],
  isFull: boolean,
): Promise<Interval[]> {
  const facts: string[] = [];
  for (const { dataset, height, hash, txHash } of blockRows(planner.axis)) {
    if (!(await planner.addRaw(dataset))) continue;
    for (const value of [hash, txHash].filter((column) => column !== 'NULL')) {
      facts.push(`SELECT ${height} AS height, hash(${value}) AS fact
        FROM lake.${identifier(dataset)} AS t WHERE ${value} IS NOT NULL`);
    }
  }
  if (facts.length === 0 || dirty.length === 0) return [];
  const within = (await heightsAmong(planner.session.connection, 'dirty', dirty))('height');
  const compared = isFull
    ? ''
    : `WHERE fact IN (SELECT fact FROM temp.facts_apart WHERE ${within})`;
  await planner.session.connection.run(
    `CREATE OR REPLACE TEMP VIEW facts_apart AS ${facts.join(' UNION ALL ')}`,
  );
  const apart = await planner.session.connection.runAndReadAll(
    `CREATE OR REPLACE TEMP TABLE apart AS
     SELECT fact FROM temp.facts_apart ${compared}
     GROUP BY fact HAVING min(height) < max(height)`,
  );
  if (Number(apart.getRows()[0]?.[0]) === 0) return [];
  return heightsIn(
    planner,
    'SELECT DISTINCT height FROM temp.facts_apart WHERE fact IN (FROM temp.apart)',
  );
}
