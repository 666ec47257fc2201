import { identifier } from '../storage/sql-text.ts';

/**
 * SQL for a row as text, of which certificates are made: the JSON array of its columns as texts,
 * decimals with all decimal places, times as microseconds since the Unix epoch, NULL as null.
 */
export function rowTextSql(columns: readonly { name: string; type: string }[]): string {
  const texts = columns.map(({ name, type }) => textSql(identifier(name), type));
  return `CAST(to_json([${texts.join(', ')}]) AS VARCHAR)`;
}

/** SQL that converts a column to text, one text per value; NULL stays NULL. */
function textSql(column: string, type: string): string {
  if (type === 'TIMESTAMPTZ' || type === 'TIMESTAMP WITH TIME ZONE')
    return `CAST(epoch_us(${column}) AS VARCHAR)`;
  if (type === 'VARCHAR[]') return `CAST(to_json(${column}) AS VARCHAR)`;
  return `CAST(${column} AS VARCHAR)`;
}
