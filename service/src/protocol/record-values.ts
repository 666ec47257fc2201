import { addressesIn, party } from '../../../src/catalogue/column-kind.ts';
import { compareDecimals } from '../../../src/catalogue/decimal.ts';
import { wordsOfDataset } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Bound, Naming, Selection } from './source.ts';

/** Compares single records with a selection. */

/** The columns of a dataset in which a value may name several addresses. */
export function partyColumns(dataset: string): Set<string> {
  const words = wordsOfDataset(dataset).filter((word) => word.kind === party);
  return new Set(words.map((word) => word.column));
}

/** The keys in a value: the value itself, or every address of a party, each once. */
export function valuesIn(value: string | boolean | null, isParty: boolean): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'boolean') return [String(value)];
  return isParty && value.includes(',') ? [...new Set(addressesIn(value))] : [value];
}

/** How many of the values the record names. */
export function valuesNamed(
  record: CanonicalRecord,
  { columns, values }: Naming,
  parties: ReadonlySet<string>,
): number {
  const named = columns.flatMap((column) => valuesIn(record[column] ?? null, parties.has(column)));
  return values.filter((value) => named.includes(value)).length;
}

/** A value that is not a number lies between no bounds. */
export function isWithin(record: CanonicalRecord, { column, least, most }: Bound): boolean {
  const value = record[column];
  if (typeof value !== 'string') return false;
  if (least !== undefined && compareDecimals(value, least) < 0) return false;
  return most === undefined || compareDecimals(value, most) <= 0;
}

/** How often the record is listed for a selection, heights aside. */
export function timesListed(
  record: CanonicalRecord,
  { keys, filters, bounds, oncePerKey }: Selection,
  parties: ReadonlySet<string>,
): number {
  const named = keys === undefined ? 1 : valuesNamed(record, keys, parties);
  if (named === 0 || filters.some((filter) => valuesNamed(record, filter, parties) === 0)) return 0;
  if (bounds.some((bound) => !isWithin(record, bound))) return 0;
  return oncePerKey ? named : 1;
}
