import { createHash } from 'node:crypto';
import { scanSql } from '../storage/scan.ts';
import { withScratch } from '../storage/scratch.ts';
import { identifier } from '../storage/sql-text.ts';
import { stableColumns } from './columns.ts';
import type { DeltaTable } from './table.ts';

/** Digest of a table's content, independent of its files. */
export interface ContentDigest {
  /** Hex digest. */
  readonly sha256: string;
  readonly rows: number;
}

/**
 * The content digest of a table's newest version: equal for equal multisets of rows, independent of
 * files, order and threads. It differs when a row is lost, duplicated or changed in a stable
 * column. Volatile columns and lineage are excluded.
 *
 * A row is the JSON array of its stable columns as text, in the order of their names: decimals with
 * all decimal places, times as microseconds since the Unix epoch, NULL as null. The digest is the
 * SHA-256 of the sorted SHA-256 digests of the rows (lower-case hex), each followed by a line feed.
 */
export async function contentDigest(table: DeltaTable): Promise<ContentDigest> {
  const paths = table.paths(await table.snapshot());
  const columns = [...stableColumns(table.dataset.name)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return withScratch(async (connection) => {
    const rows = await scanSql(connection, paths, columns);
    const result = await connection.stream(
      `SELECT sha256(${rowTextSql(columns)}) AS row_digest FROM (${rows}) ORDER BY row_digest`,
    );
    const digest = createHash('sha256');
    let count = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      digest.update(`${chunk.getColumnValues(0).join('\n')}\n`);
      count += chunk.rowCount;
    }
    return { sha256: digest.digest('hex'), rows: count };
  });
}

/** SQL for a row as text, which digests and certificates are made of. */
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
