import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { Fault } from '../../fault.ts';

/**
 * The SQL that analysts may run: one SELECT (also FROM, WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE,
 * which DuckDB reads as one), or EXPLAIN of one, over tables, views and known table functions.
 * A read-only database and a locked configuration are not enough: some table functions have side
 * effects, such as `enable_logging`, which writes files, and some run other SQL, such as `query`.
 */

const TABLE_FUNCTIONS = new Set([
  'generate_series',
  'generate_subscripts',
  'glob',
  'json_each',
  'json_tree',
  'parquet_file_metadata',
  'parquet_metadata',
  'parquet_schema',
  'parquet_scan',
  'pragma_table_info',
  'pragma_version',
  'range',
  'read_csv',
  'read_csv_auto',
  'read_json',
  'read_json_auto',
  'read_ndjson',
  'read_parquet',
  'read_text',
  'repeat',
  'unnest',
]);

/** DuckDB's catalogue functions, without those about logs and secrets. */
const CATALOGUE_FUNCTION =
  /^duckdb_(columns|constraints|databases|functions|indexes|schemas|settings|tables|types|views)$/;

const treeSchema = z.object({
  error: z.boolean(),
  error_type: z.string().optional(),
  error_message: z.string().optional(),
  statements: z.array(z.unknown()).optional(),
});

/** EXPLAIN and EXPLAIN ANALYZE; the latter runs its statement, which must be a SELECT. */
const EXPLAIN = /^\s*EXPLAIN\s+(ANALYZE\s+)?/i;

/** Throws Fault('query') unless the text is exactly one statement that only reads. */
export async function checkStatement(connection: DuckDBConnection, sql: string): Promise<void> {
  const explained = sql.replace(EXPLAIN, '');
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [
    explained,
  ]);
  const tree = treeSchema.parse(JSON.parse(String(result.getRows()[0]?.[0])));
  if (tree.error && tree.error_type === 'parser') {
    throw new Fault('query', `${tree.error_message ?? 'The SQL cannot be read'}.`, {
      advice: sql.includes('`')
        ? 'Close each backtick: `from`. Names may also stand in double quotes: "from".'
        : 'Check the SQL. SHOW ALL TABLES lists all tables and views.',
    });
  }
  if (tree.error) throw refusedStatement('Only SELECT statements are allowed here.');
  const count = tree.statements?.length ?? 0;
  if (count !== 1) throw refusedStatement(`One SELECT at a time is allowed, not ${count}.`);
  for (const name of tableFunctionsIn(tree.statements)) {
    if (TABLE_FUNCTIONS.has(name) || CATALOGUE_FUNCTION.test(name)) continue;
    if (await isOwnMacro(connection, name)) continue;
    throw refusedStatement(`The table function ${JSON.stringify(name)} is not allowed here.`);
  }
}

/** Whether the warehouse itself defines this table macro: those only read its views. */
async function isOwnMacro(connection: DuckDBConnection, name: string): Promise<boolean> {
  const result = await connection.runAndReadAll(
    `SELECT 1 FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal
       AND database_name = current_database() AND function_name = $1::VARCHAR`,
    [name],
  );
  return result.currentRowCount > 0;
}

export function refusedStatement(message: string): Fault {
  return new Fault('query', message, {
    advice: 'Give one SELECT. For other statements, open the warehouse with DuckDB itself.',
  });
}

const functionSchema = z.object({
  type: z.literal('TABLE_FUNCTION'),
  function: z.object({ function_name: z.string() }),
});

/** Names of the table functions anywhere in the tree, lower-cased. */
function tableFunctionsIn(tree: unknown): string[] {
  const names: string[] = [];
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    const call = functionSchema.safeParse(node);
    if (call.success) names.push(call.data.function.function_name.toLowerCase());
    left.push(...Object.values(node));
  }
  return names;
}
