import { Fault } from '../../fault.ts';
import type { QueryRow } from '../../load/query/query.ts';

const NO_ACCESS = /Cannot access file "([^"]*)"/;
/** A file that a view of the warehouse names. */
const OF_A_LAKE = /\/lake\/.*\.parquet$/;
/** Sums of DECIMAL(38,18) past 1e20, and texts that no DECIMAL holds. */
const TOO_LARGE =
  /Overflow in (HUGEINT|.*DECIMAL\(38\))|Could not convert string ".*" to DECIMAL\(38/;

/** The error that ended a query, with advice where windrow knows better than DuckDB. */
export function withAdvice(error: unknown, root: string): unknown {
  if (!(error instanceof Fault) || error.kind !== 'query') return error;
  const advice = adviceOn(error.message, root);
  return advice === undefined ? error : new Fault('query', error.message, { advice, cause: error });
}

function adviceOn(message: string, root: string): string | undefined {
  if (TOO_LARGE.test(message)) {
    return (
      'Amounts past 1e20 fit no DECIMAL(38,18): sum the exact texts with exact_sum(amount_text) ' +
      'or exact_sum(signed_text), or take the rounded sum(amount_double) or sum(signed_double).'
    );
  }
  const file = NO_ACCESS.exec(message)?.[1];
  // Views name their files by absolute paths, so files of a lake mean that it was moved.
  if (file === undefined || OF_A_LAKE.test(file)) return undefined;
  return (
    'SQL here reads the lake and files below its data root, and nothing else: copy the file to ' +
    `a place below ${root} and name it there, or open the warehouse with DuckDB itself, which ` +
    'reads any file beside it (windrow connect shows how).'
  );
}

/** A hash or address with capitals in SQL text, where no macro that takes any case reads it. */
const CAPITALS = /(?<!\b(?:lower|label_of|addresses_in|complete_\w+)\(\s*)'(0x[0-9a-fA-F%_]*)'/gi;

/**
 * What to say of an answer without a match, where the SQL has a hash or an address with capitals:
 * the lake has them in lower case. Undefined where something matched.
 */
export function capitalsHint(sql: string, rows: readonly QueryRow[]): string | undefined {
  const values = rows.flatMap((row) => Object.values(row));
  const isNothing = rows.length <= 1 && values.every((value) => value === null || value === 0);
  if (!isNothing) return undefined;
  const written = [...sql.matchAll(CAPITALS)].map(([, literal = '']) => literal);
  const found = written.find((literal) => /[A-F]/.test(literal));
  if (found === undefined) return undefined;
  return (
    `Addresses and hashes are stored in lower case, and nothing matched '${found}': write ` +
    `'${found.toLowerCase()}', or compare with lower('...').`
  );
}
