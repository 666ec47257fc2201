import { NAME_SHAPES } from '../land/names.ts';
import { RECONCILED } from './tables/known-tables.ts';

/**
 * Labels of addresses, symbols of tokens and names of methods come from CSV files, which many lakes
 * do not have, and few have reconciliations. DuckDB carries out a left join even with an empty
 * table from which no column is asked for: a count of 5 million transactions takes over ten times
 * as long with these joins. The warehouse of a lake without any of these rows therefore has one row
 * of NULLs in the place of each joined table.
 */

const TERM = String.raw`[\w.]+ = (?:'[^']*'|[\w.]+(?:\([^)]*\))?)`;
const TABLE = String.raw`(?:lake|known)\.(labels|tokens|methods|reconciled)\b((?: AS \w+)?)`;
const JOIN = new RegExp(String.raw`\bLEFT JOIN ${TABLE}\s+ON ${TERM}(?:\s+AND ${TERM})*`, 'g');

/** The SQL of a view with `known.no_labels`, `no_tokens` ... in place of each join. */
export function withoutNames(sql: string): string {
  return sql.replace(JOIN, 'CROSS JOIN known.no_$1$2');
}

/** `known.no_labels` ...: views of one row of NULLs, with the columns of the tables. */
export function noNamesSql(): string[] {
  return [...NAME_SHAPES, RECONCILED].flatMap(({ name, columns }) => {
    const values = columns.map((column) => `CAST(NULL AS ${column.type}) AS ${column.name}`);
    const comment = `One row of NULLs, in the place of ${name} in lakes without names`;
    return [
      `CREATE VIEW known.no_${name} AS SELECT ${values.join(', ')}`,
      `COMMENT ON VIEW known.no_${name} IS '${comment}'`,
      ...columns.map((column) => {
        return `COMMENT ON COLUMN known.no_${name}.${column.name} IS 'Always NULL'`;
      }),
    ];
  });
}
