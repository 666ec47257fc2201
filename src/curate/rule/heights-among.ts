import { BIGINT, type DuckDBConnection, LIST, listValue } from '@duckdb/node-api';
import { blocksIn, type Interval } from '../../coverage/ranges.ts';
import { withinSql } from './range-rows.ts';

/** A query with more conditions than these takes longer than a join. */
const MAX_CONDITIONS = 100;
/** The heights of shorter intervals are rows of a table. */
const SHORT_BLOCKS = 1000;

/** SQL that is true where a column has one of some heights. */
export type Among = (column: string) => string;

/**
 * SQL for the heights of disjoint intervals, however many these are. The heights of short intervals
 * are in the table `temp.<name>`, which the next call with this name replaces.
 */
export async function heightsAmong(
  connection: DuckDBConnection,
  name: string,
  intervals: readonly Interval[],
): Promise<Among> {
  if (intervals.length <= MAX_CONDITIONS) return (column) => withinSql(column, intervals);
  const short = intervals.filter((interval) => blocksIn(interval) < SHORT_BLOCKS);
  const long = intervals.filter((interval) => blocksIn(interval) >= SHORT_BLOCKS);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (height BIGINT)`);
  await connection.run(
    `INSERT INTO temp.${name}
     SELECT unnest(range(first::BIGINT, last::BIGINT + 1))
     FROM (SELECT unnest($from) AS first, unnest($to) AS last)`,
    {
      from: listValue(short.map(({ from }) => BigInt(from))),
      to: listValue(short.map(({ to }) => BigInt(to))),
    },
    // A list without a value has no type of its own.
    { from: LIST(BIGINT), to: LIST(BIGINT) },
  );
  return (column) => {
    const inTable = `${column} IN (FROM temp.${name})`;
    return long.length === 0 ? inTable : `(${inTable} OR ${withinSql(column, long)})`;
  };
}
