import { withDatabase } from '../land/storage/connection.ts';
import { localDisk } from '../land/storage/disk.ts';
import { withScratchFile } from '../land/storage/scratch.ts';
import { emptyWarehouse } from './empty-warehouse.ts';

/** A view or table of the warehouse that analysts may query, with its own comments. */
export interface WarehouseRelation {
  /** `transactions`, `curated.transactions`, `dune.transactions` ... */
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly {
    readonly name: string;
    /** DuckDB's name of the type. */
    readonly type: string;
    readonly meaning: string;
  }[];
}

const COLUMNS = `
  SELECT if(schema_name = 'main', '', schema_name || '.') || table_name, relation.comment,
    columns.column_name, columns.data_type, columns.comment
  FROM duckdb_columns() AS columns
  JOIN (
    SELECT schema_name, view_name AS table_name, comment FROM duckdb_views() WHERE NOT internal
    UNION ALL
    SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE NOT internal
  ) AS relation USING (schema_name, table_name)
  WHERE schema_name NOT IN ('files', 'curated_files', 'known')
  ORDER BY schema_name <> 'main', schema_name, table_name, column_index`;

/** Views and tables as the empty warehouse has them: those of `main` first. */
export async function warehouseRelations(): Promise<WarehouseRelation[]> {
  const relations = new Map<
    string,
    { meaning: string; columns: WarehouseRelation['columns'][0][] }
  >();
  for (const [name = '', comment = '', column = '', type = '', meaning = ''] of await rowsOf()) {
    const relation = relations.get(name) ?? { meaning: comment, columns: [] };
    relation.columns.push({ name: column, type, meaning });
    relations.set(name, relation);
  }
  return [...relations].map(([name, relation]) => ({ name, ...relation }));
}

async function rowsOf(): Promise<string[][]> {
  const { bytes } = await emptyWarehouse();
  return withScratchFile(async (path) => {
    await localDisk.write(path, await bytes());
    return withDatabase(path, async (connection) => {
      const rows = (await connection.runAndReadAll(COLUMNS)).getRows();
      return rows.map((row) => row.map((cell) => String(cell ?? '')));
    });
  });
}
