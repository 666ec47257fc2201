import type { Interval } from '../coverage/ranges.ts';
import type { WrongRow } from './rule/contradictions.ts';
import type { RangeSession } from './rule/range-session.ts';
import { type JobStep, runSteps } from './rule/steps.ts';

/**
 * The computation of a chunk of heights, as JSON for any DuckDB: its results depend on the files
 * and the statements alone. Executing it twice writes the same files.
 */
export interface ChunkJob {
  readonly heights: readonly Interval[];
  /** The files that it reads, with sizes [bytes] of those of tables. */
  readonly files: readonly { readonly path: string; readonly bytes?: number }[];
  /** Steps that jobs of one plan share: a session executes them once. */
  readonly begin: readonly JobStep[];
  /** Steps that show the rows of the chunk, and fill `temp.wrong` with their contradictions. */
  readonly steps: readonly JobStep[];
  readonly tables: readonly TableJob[];
}

/** The computation of the rows of a table, as `relation`. */
export interface TableJob {
  readonly name: string;
  readonly relation: string;
  readonly steps: readonly JobStep[];
  /** A file to be written, and the query of its rows. */
  readonly output?: { readonly path: string; readonly copy: string };
}

export interface ChunkResult {
  /** Contradictions in the rows. If there are any, no table is computed. */
  readonly wrong: readonly WrongRow[];
  readonly files: readonly ChunkFile[];
}

/** A file that a job has written; `rows` may be 0. */
export interface ChunkFile {
  readonly table: string;
  readonly path: string;
  readonly rows: number;
}

/** Computes a chunk. `computed` is called after the steps of each table. */
export async function computeChunk(
  session: RangeSession,
  job: ChunkJob,
  computed: (table: TableJob) => Promise<void> = async () => undefined,
): Promise<ChunkResult> {
  const { connection } = session;
  await session.begin(job.begin);
  await runSteps(connection, job.steps);
  const reader = await connection.runAndReadAll('FROM temp.wrong ORDER BY ALL');
  const wrong = reader.getRows().map(([list, height, key, reason]): WrongRow => {
    return [Number(list), Number(height), String(key), String(reason)];
  });
  const files: ChunkFile[] = [];
  for (const table of wrong.length === 0 ? job.tables : []) {
    await runSteps(connection, table.steps);
    if (table.output !== undefined) {
      const copied = await connection.runAndReadAll(table.output.copy);
      const rows = Number(copied.getRows()[0]?.[0]);
      files.push({ table: table.name, path: table.output.path, rows });
    }
    await computed(table);
  }
  return { wrong, files };
}

/** Jobs, which are planned as they are taken. */
export interface ChunkWork<Job> {
  readonly jobs: AsyncGenerator<Job, void, void>;
  /** The number of jobs. */
  readonly count: number;
}

/** Computes jobs in other processes. */
export interface ChunkEngine {
  /** This process computes fewer raw rows alone; default: none. */
  readonly leastRows?: number;
  /** Takes all jobs, and gives the results by the places of their jobs, one after another. */
  compute(
    work: ChunkWork<ChunkJob>,
    take: (place: number, result: ChunkResult) => Promise<void>,
  ): Promise<void>;
}
