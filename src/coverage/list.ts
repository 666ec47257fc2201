import type { Dataset, Endpoint } from '../catalogue/entry.ts';
import {
  datasetNamed,
  datasetOf,
  endpointAt,
  findEndpoint,
  keyColumns,
  paramOf,
} from '../catalogue/index.ts';
import { addressesIn } from '../catalogue/kind.ts';

/** What is asked beside keys and blocks: parameters by name. */
export type Filters = Readonly<Record<string, string>>;

/**
 * An endpoint with the filters it is asked by: the unit that coverage speaks of. Whatever is known
 * of one list says nothing of another.
 */
export interface ListId {
  /** The endpoint's path. */
  readonly endpoint: string;
  /** The filters as text: `name=value` joined by `&`, in the order of names; '' for none. */
  readonly variant: string;
}

/** A list with everything that the catalogue says of it. */
export interface List extends ListId {
  readonly entry: Endpoint;
  readonly filters: Filters;
  /** Where its records land. */
  readonly dataset: Dataset;
  /** The columns in which a record names the keys it was asked by; undefined for lists without. */
  readonly keyColumns: readonly string[] | undefined;
}

/** A text that is equal for equal lists, to be used as a key of maps. */
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

const known = new Map<string, List>();

/** The list that logs and coverage name so; throws if the catalogue has lost its endpoint. */
export function listAt(id: ListId): List {
  const key = listKey(id);
  const list = known.get(key) ?? listOf(endpointAt(id.endpoint), filtersIn(id.variant));
  known.set(key, list);
  return list;
}

/** The list that logs and coverage name so; undefined if the catalogue has lost its endpoint. */
export function findList(id: ListId): List | undefined {
  return findEndpoint(id.endpoint) === undefined ? undefined : listAt(id);
}

/** The keys that a record names, by the texts in its key columns: lower-cased, each once. */
export function keysNamedIn(texts: readonly unknown[]): string[] {
  return [...new Set(texts.flatMap((each) => (typeof each === 'string' ? addressesIn(each) : [])))];
}

/** Whether it is asked by hashes: the heights of its rows are not known before they are read. */
export function isAskedByHash({ endpoint }: Pick<ListId, 'endpoint'>): boolean {
  const entry = endpointAt(endpoint);
  return entry.list === 'by-key' && paramOf(entry, 'keys') !== undefined;
}

/** The filters that a variant spells. */
export function filtersIn(variant: string): Filters {
  const pairs = variant.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}
