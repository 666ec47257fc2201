import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { Fault } from '../../fault.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import {
  type Carried,
  carriedAs,
  carriedExactly,
  carriedType,
  isWide,
  NUMBER_TYPES,
  WIDE_AS,
} from './exact-types.ts';
import type { Written } from './sink.ts';

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
async function parquetColumns(
  selection: PreparedSelect,
  copy: (expressions: string) => Promise<number>,
): Promise<Written> {
  const { expressions, notes } = await carriedExactly(carried, selection);
  return { rows: await copy(expressions), notes };
}

/** More folders than this are a mistake: a partition by hash or by amount. */
const MAX_PARTITIONS = 10_000;

/**
 * Writes a selection as a folder of Parquet files, one folder per value of a column
 * (`block_date=2024-01-02/`), as Hive, Spark, DuckDB and polars read it. Throws Fault('query') for
 * an unknown column and for too many values.
 */
export async function writePartitions(
  selection: PreparedSelect,
  folder: string,
  column: string,
): Promise<Written> {
  if (!selection.columns.some(({ name }) => name === column)) {
    throw new Fault('query', `There is no column ${JSON.stringify(column)} to partition by.`, {
      advice: `Use one of ${selection.columns.map(({ name }) => name).join(', ')}.`,
    });
  }
  const as = identifier(column);
  const [count = 0] = await selection.measure(`count(DISTINCT ${as})`);
  if (Number(count) > MAX_PARTITIONS) {
    throw new Fault('query', `The column ${column} has ${count} values: a folder for each.`, {
      advice: 'Partition by a column with few values, such as block_date.',
    });
  }
  const options = `FORMAT parquet, COMPRESSION zstd, PARTITION_BY (${as})`;
  return parquetColumns(selection, (expressions) => selection.copy(expressions, folder, options));
}
