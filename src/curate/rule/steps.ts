import type { DuckDBConnection } from '@duckdb/node-api';

/** SQL that is executed, or other steps by whether a query finds a row. Steps are plain JSON. */
export type JobStep =
  | string
  | {
      readonly exists: string;
      readonly ifFound: readonly JobStep[];
      readonly ifNone: readonly JobStep[];
    };

/** Executes steps in their order. sql/jobs/chunks.py does the same in Python. */
export async function runSteps(
  connection: DuckDBConnection,
  steps: readonly JobStep[],
): Promise<void> {
  for (const step of steps) {
    if (typeof step === 'string') {
      await connection.run(step);
      continue;
    }
    const reader = await connection.runAndReadAll(`SELECT EXISTS (${step.exists})`);
    await runSteps(connection, reader.getRows()[0]?.[0] === true ? step.ifFound : step.ifNone);
  }
}
