import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import {
  type Carried,
  carriedAs,
  carriedBy,
  carriedType,
  isWide,
  NUMBER_TYPES,
  WIDE_AS,
  withWideAsDecimals,
} from './exact-types.ts';
import type { Written } from './written.ts';

/** Types that DuckDB writes to Parquet without loss. */
const KEPT: readonly DuckDBTypeId[] = [
  ...NUMBER_TYPES,
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.BLOB,
  DuckDBTypeId.ENUM,
  DuckDBTypeId.UUID,
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIME,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
];

function parquetLeaf(type: DuckDBType): string {
  if (isWide(type)) return WIDE_AS;
  return KEPT.includes(type.typeId) ? String(type) : 'VARCHAR';
}

function carried(column: SelectedColumn): Carried {
  const wanted = carriedType(column.type, parquetLeaf);
  return carriedAs(column, wanted, (type) => `Parquet has no exact ${type}`);
}

/**
 * Writes a selection as Parquet (zstd) with exact types. Whole numbers of 128 bits become
 * DECIMAL(38,0), or text if one of them does not fit. Types without an exact Parquet type become
 * text, with a note. The file must lie under the data root.
 */
export async function writeParquet(selection: PreparedSelect, file: string): Promise<Written> {
  const options = 'FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false';
  return parquetColumns(selection, (expressions) => selection.copy(expressions, file, options));
}

/** Writes the columns of a selection as types of Parquet; `copy` returns the number of rows. */
export async function parquetColumns(
  selection: PreparedSelect,
  copy: (expressions: string) => Promise<number>,
): Promise<Written> {
  return withWideAsDecimals(selection, async (asText) => {
    const { expressions, notes } = carriedBy(carried, selection.columns, asText);
    return { rows: await copy(expressions), notes };
  });
}
