/**
 * Reads ten rows of every view of a warehouse and of every curated table, without ORDER BY, in a process of its own: crashes of
 * DuckDB end the process. Arguments: the warehouse, then `windrow` for a connection as windrow opens
 * it, or `plain` for one as any other program does. Prints the number of rows by view as JSON.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import { withWarehouse } from '../../dist/load/query/open-warehouse.js';

const VIEWS = `SELECT if(schema_name = 'main', '', schema_name || '.') || view_name
  FROM duckdb_views() WHERE NOT internal AND schema_name NOT IN ('lake', 'files', 'curated_files', 'known')
  ORDER BY ALL`;
const [path = '', client = ''] = process.argv.slice(2);

async function read(connection) {
  const counts = {};
  for (const [view] of (await connection.runAndReadAll(VIEWS)).getRows()) {
    const result = await connection.runAndReadAll(`SELECT * FROM ${view} LIMIT 10`);
    counts[String(view)] = result.currentRowCount;
  }
  process.stdout.write(JSON.stringify(counts));
}

if (client === 'windrow') await withWarehouse(path, read);
else {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  await read(await instance.connect());
}
