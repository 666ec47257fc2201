import { Fault } from '../fault.ts';

const NO_ACCESS = /Cannot access file "([^"]*)"/;
/** A file that a view of the warehouse names. */
const OF_A_LAKE = /\/lake\/.*\.parquet$/;

/**
 * A refusal of SQL to read a file elsewhere, with what can be done about it; any other error as it
 * is. Views name their files by absolute paths, so files of a lake mean that it was moved.
 */
export function withFileAdvice(error: unknown, root: string): unknown {
  if (!(error instanceof Fault) || error.kind !== 'query') return error;
  const file = NO_ACCESS.exec(error.message)?.[1];
  if (file === undefined || OF_A_LAKE.test(file)) return error;
  return new Fault('query', error.message, {
    advice:
      'SQL here reads the lake and files below its data root, and nothing else: copy the file to ' +
      `a place below ${root} and name it there, or open the warehouse with DuckDB itself, which ` +
      'reads any file beside it (windrow connect shows how).',
    cause: error,
  });
}
