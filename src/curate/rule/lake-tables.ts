import type { Cell } from '../../catalogue/column-kind.ts';
import { type Column, column } from '../../catalogue/entry.ts';
import type { CoverageGroup } from '../../coverage/coverage.ts';

/**
 * Tables of the warehouse beside the rows of the datasets. They are filled from the logs, because
 * no Parquet file holds these facts.
 */

export interface LakeTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** One cell per column; missing cells at the end are NULL. */
  readonly rows: readonly (readonly Cell[])[];
}

/** One table of the lake, at one version of its log. */
export interface TableVersion {
  readonly chain: string;
  readonly dataset: string;
  readonly version: number;
  /** Absolute paths of the data files. */
  readonly paths: readonly string[];
  /** Undefined if another program wrote a file without its row count. */
  readonly rows: number | undefined;
  readonly bytes: number;
  readonly coverage: readonly CoverageGroup[];
}

/** `lake.tables`: the versions the warehouse was built from. */
export function tablesTable(versions: readonly TableVersion[]): LakeTable {
  return {
    name: 'tables',
    comment: 'One row per table of the lake: the version this warehouse shows',
    columns: [
      column('chain', 'VARCHAR', 'Short name of the chain'),
      column('dataset', 'VARCHAR', 'Dataset, and name of its view in lake'),
      column('version', 'BIGINT', "Version of the table's log"),
      column('files', 'BIGINT', 'Data files'),
      column('rows', 'BIGINT', 'Rows according to the log; NULL if it has no row count'),
      column('bytes', 'BIGINT', 'Size of the data files [bytes]'),
    ],
    rows: versions
      .filter(({ version }) => version >= 0)
      .map(({ chain, dataset, version, paths, rows, bytes }) => [
        chain,
        dataset,
        BigInt(version),
        BigInt(paths.length),
        rows === undefined ? null : BigInt(rows),
        BigInt(bytes),
      ]),
  };
}
