import { compareDecimals } from '../../../src/catalogue/decimal.ts';
import type { Dataset } from '../../../src/catalogue/entry.ts';
import { datasetNamed } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { type RecordIndex, recordIndex } from './record-index.ts';

/**
 * Whether the dataset holds a state as of some height. Its records have no heights of their own and
 * do not show how far the chain has come.
 */
export function isSnapshot({ heightColumn, words = [] }: Dataset): boolean {
  return words.some((word) => word.column === heightColumn);
}

/**
 * An index over the newest snapshot alone. Lists run through the positions backwards, so the first
 * record of the dataset's order has the highest position.
 */
export function snapshotIndex(dataset: string, records: readonly CanonicalRecord[]): RecordIndex {
  const { heightColumn, sortedBy } = datasetNamed(dataset);
  const heightOf = (record: CanonicalRecord): number => Number(record[heightColumn] ?? 0);
  const newest = records.reduce((most, record) => Math.max(most, heightOf(record)), 0);
  const [column = ''] = sortedBy;
  const ranked = records
    .filter((record) => heightOf(record) === newest)
    .sort((a, b) => compareDecimals(String(b[column] ?? ''), String(a[column] ?? '')));
  return recordIndex(dataset, ranked);
}
