import { Fault } from '../../fault.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import type { PreparedSelect } from '../../load/query/stream.ts';
import { parquetColumns } from './parquet-file.ts';
import type { Written } from './written.ts';

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
