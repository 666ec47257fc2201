import { addressesIn } from '../catalogue/column-kind.ts';
import type { Dataset, Endpoint } from '../catalogue/entry.ts';
import {
  allLists,
  datasetNamed,
  datasetOf,
  endpointAt,
  findEndpoint,
  keyColumns,
  paramOf,
} from '../catalogue/index.ts';

/** Values of filter parameters, by name. Keys and block bounds are not filters. */
export type Filters = Readonly<Record<string, string>>;

/**
 * An endpoint with its filters. Coverage is kept per list: the coverage of one list implies nothing
 * about another.
 */
export interface ListId {
  /** The endpoint's path. */
  readonly endpoint: string;
  /** The filters as text: `name=value` joined by `&`, in the order of names; '' for none. */
  readonly variant: string;
}

/** A list with its entry in the catalogue. */
export interface List extends ListId {
  readonly entry: Endpoint;
  readonly filters: Filters;
  /** The dataset of its records. */
  readonly dataset: Dataset;
  /** The columns that hold the requested keys; undefined for lists without keys. */
  readonly keyColumns: readonly string[] | undefined;
}

/** A key for maps of lists. */
export function listKey({ endpoint, variant }: ListId): string {
  return `${endpoint}?${variant}`;
}

export function isSameList(a: ListId, b: ListId): boolean {
  return a.endpoint === b.endpoint && a.variant === b.variant;
}

/** The list of an entry under these filters. */
export function listOf(entry: Endpoint, filters: Filters = {}): List {
  const names = Object.keys(filters).sort();
  return {
    endpoint: entry.path,
    variant: names.map((name) => `${name}=${filters[name]}`).join('&'),
    entry,
    filters,
    dataset: datasetNamed(datasetOf(entry, filters)),
    keyColumns: keyColumns(entry, filters),
  };
}

const listsByKey = new Map<string, List>();

/** The list with this id. Throws if the catalogue does not have its endpoint. */
export function listAt(id: ListId): List {
  const key = listKey(id);
  const list = listsByKey.get(key) ?? listOf(endpointAt(id.endpoint), filtersIn(id.variant));
  listsByKey.set(key, list);
  return list;
}

/** The list with this id; undefined if the catalogue does not have its endpoint. */
export function findList(id: ListId): List | undefined {
  return findEndpoint(id.endpoint) === undefined ? undefined : listAt(id);
}

/** The keys in the texts of a record's key columns, lower-cased, each once. */
export function keysNamedIn(texts: readonly unknown[]): string[] {
  const keys = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') continue;
    for (const key of addressesIn(text)) keys.add(key);
  }
  return [...keys];
}

/** The endpoints of look-ups by hash. */
export const LOOK_UP_ENDPOINTS: readonly string[] = allLists
  .filter((entry) => entry.list === 'by-key' && paramOf(entry, 'keys') !== undefined)
  .map(({ path }) => path);

const LOOK_UPS: ReadonlySet<string> = new Set(LOOK_UP_ENDPOINTS);

/** Whether the list is a look-up by hash, so that the heights of its rows are not known before. */
export function isAskedByHash({ endpoint }: Pick<ListId, 'endpoint'>): boolean {
  return LOOK_UPS.has(endpoint);
}

/** The filters of a variant. */
export function filtersIn(variant: string): Filters {
  const pairs = variant.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}
