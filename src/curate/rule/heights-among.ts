import type { DuckDBConnection } from '@duckdb/node-api';
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
 * are in the table `temp.<name>`, which `steps` create.
 */
export function amongSteps(
  name: string,
  intervals: readonly Interval[],
): { readonly steps: readonly string[]; readonly isAmong: Among } {
  if (intervals.length <= MAX_CONDITIONS) {
    return { steps: [], isAmong: (column) => withinSql(column, intervals) };
  }
  const short = intervals.filter((interval) => blocksIn(interval) < SHORT_BLOCKS);
  const long = intervals.filter((interval) => blocksIn(interval) >= SHORT_BLOCKS);
  const [first, last] = [short.map(({ from }) => from), short.map(({ to }) => to)].map(
    (ends) => `unnest('[${ends.join(', ')}]'::BIGINT[])`,
  );
  return {
    steps: [
      `CREATE OR REPLACE TEMP TABLE ${name} AS SELECT unnest(range(first, last + 1)) AS height
       FROM (SELECT ${first} AS first, ${last} AS last)`,
    ],
    isAmong: (column) => {
      const inTable = `${column} IN (FROM temp.${name})`;
      return long.length === 0 ? inTable : `(${inTable} OR ${withinSql(column, long)})`;
    },
  };
}

/** Executes the steps, and returns the condition. */
export async function heightsAmong(
  connection: DuckDBConnection,
  name: string,
  intervals: readonly Interval[],
): Promise<Among> {
  const { steps, isAmong } = amongSteps(name, intervals);
  for (const step of steps) await connection.run(step);
  return isAmong;
}
