import { createHash } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import { stableColumns } from './columns.ts';
import { identifier, literal } from './parquet.ts';
import type { DeltaTable } from './table.ts';

export interface ContentDigest {
  readonly sha256: string;
  readonly rows: number;
}

/**
 * sha256 over the ordered rows of the table's newest version, without volatile columns and without
 * lineage: equal for equal multisets of content, however they lie in files. Defined once, for
 * everything that compares lakes. Reads the files that the log names and no others.
 */
export async function contentDigest(table: DeltaTable): Promise<ContentDigest> {
  const paths = table.paths(await table.snapshot());
  const digest = createHash('sha256');
  if (paths.length === 0) return { sha256: digest.digest('hex'), rows: 0 };
  const columns = stableColumns(table.dataset.name).map(({ name }) => identifier(name));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const content = `to_json([${columns.map((column) => `${column}::VARCHAR`).join(', ')}])`;
    const result = await connection.stream(
      `SELECT ${content}::VARCHAR AS content
       FROM read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)
       ORDER BY content`,
    );
    let rows = 0;
    for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
      if (chunk.rowCount === 0) break;
      for (const value of chunk.getColumnValues(0)) digest.update(`${String(value)}\n`);
      rows += chunk.rowCount;
    }
    return { sha256: digest.digest('hex'), rows };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
