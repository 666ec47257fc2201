import type { Dataset, Endpoint } from '../../catalogue/entry.ts';
import { BY_KEY, paramOf } from '../../catalogue/index.ts';
import { memoised } from '../../catalogue/memoised.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { Slice } from '../../coverage/slice.ts';
import { queryByRole } from '../http/request.ts';

/** Access to undecoded records, and the queries of walks. */

/** The query of one page of a slice by parameter name. */
export function queryOf(
  endpoint: Endpoint,
  { list: { filters }, keys, interval: { from, to } }: Slice,
  page: { readonly chain: string; readonly page: number; readonly limit: number },
): Record<string, string> {
  const keyParam = paramOf(endpoint, 'keys');
  const isKeyed = keyParam?.required === true || filters[keyParam?.name ?? ''] === BY_KEY;
  // An optional height is a filter of lists with block bounds.
  const isOfHeight = paramOf(endpoint, 'height')?.required === true;
  const values = queryByRole(endpoint, {
    ...page,
    'from-block': from,
    'to-block': to,
    keys: isKeyed ? keys.join(',') : undefined,
    height: isOfHeight ? from : undefined,
  });
  return { ...filters, ...values };
}

/** The record content as text: all stable columns, and their odd values. Copies have equal text. */
export function contentOf({ content, deviation }: ListedRecord): string {
  return content + (deviation?.oddText ?? '');
}

/**
 * The record identity within a walk, as text; undefined where the dataset has none. Columns that no
 * record carries are the same for the whole walk.
 */
export function identityOf(slice: Slice, record: ListedRecord): string | undefined {
  let identity: string | undefined;
  for (const column of carriedColumns(slice.list.dataset)) {
    const value = record.valueIn(column)?.toLowerCase();
    if (value === undefined) return undefined;
    identity = identity === undefined ? value : `${identity} ${value}`;
  }
  return identity;
}

/** Identity columns that records carry. */
const carriedColumns = memoised(({ identity, words = [] }: Dataset): readonly string[] => {
  return identity.filter((column) => !words.some((word) => word.column === column));
});

/** The slice's keys that the record matches, each once; `['']` for endpoints without keys. */
export function matchedKeys(record: ListedRecord, { keys, list }: Slice): readonly string[] {
  const { keyColumns } = list;
  if (keyColumns === undefined) return keys;
  const named = record.keysIn(keyColumns);
  const wanted = eachOf(keys);
  let only: readonly string[] | undefined;
  for (const key of named) {
    const match = wanted.get(key);
    if (match === undefined) continue;
    if (only !== undefined) return keys.filter((key) => named.includes(key));
    only = match;
  }
  return only ?? NO_KEYS;
}

const NO_KEYS: readonly string[] = [];

/** Lists of one key of a slice each, by the key: the keys that nearly all records match. */
const eachOf = memoised((keys: readonly string[]): ReadonlyMap<string, readonly string[]> => {
  return new Map(keys.map((key) => [key, [key]]));
});

/** The records that match each of the slice's keys; one may match several. */
export function recordsByKey(
  records: readonly ListedRecord[],
  slice: Slice,
): Map<string, ListedRecord[]> {
  const byKey = new Map<string, ListedRecord[]>(slice.keys.map((key) => [key, []]));
  for (const record of records) {
    for (const key of matchedKeys(record, slice)) byKey.get(key)?.push(record);
  }
  return byKey;
}
