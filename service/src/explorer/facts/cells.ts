import type { QueryRow } from '../../../../src/load/query/query.ts';

/** Values of rows by column. Texts of the service are untrusted. */

export function textIn(row: QueryRow, column: string): string | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : String(value);
}

/** NaN for a value that is not a number. */
export function numberIn(row: QueryRow, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : Number(value);
}
