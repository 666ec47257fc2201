import { type Axis, KEY_KINDS, type KeyKind, type ListKind } from '../../catalogue/entry.ts';
import {
  BY_KEY,
  datasetNamed,
  equalsParams,
  findEndpoint,
  paramOf,
  wordsOfDataset,
} from '../../catalogue/index.ts';
import { fromAddress, toAddress } from '../../catalogue/vocabulary.ts';
import { filtersIn, findList, type ListId } from '../../coverage/list.ts';

/** A list with the dataset that it landed in. */
export interface LandedList extends ListId {
  readonly dataset: string;
}

/** The records of an address that a list holds: sent, received, or both. */
export type Side = 'from' | 'to' | 'both';

/** The kind of keys of a list; lists of `all` have no keys. */
export type ListKeys = KeyKind | 'all';

/** The records that a list can hold, as the catalogue declares them. */
export interface Traits extends LandedList {
  /** Precedence of the list among all lists of the lake; 1 comes first. */
  readonly number: number;
  readonly axis: Axis;
  /** Undefined for endpoints that the catalogue no longer has. */
  readonly listKind: ListKind | undefined;
  readonly keyKind: ListKeys;
  /** Undefined if the key is neither the sender nor the recipient. */
  readonly side: Side | undefined;
  /**
   * The filters of its records, as sorted `column=value`; '' for all records of the key. Lists of
   * one dataset and scope hold the same records of a key, whatever their endpoint.
   */
  readonly scope: string;
  /** Precedence of the endpoint's fields in its dataset; 1 comes first. */
  readonly endpointRank: number;
}

/** In the order of precedence of lists. */
export const LIST_KEYS: readonly ListKeys[] = [...KEY_KINDS, 'all'];

/**
 * The traits of lists in their order of precedence: look-ups by transaction first, then lists by
 * address, by token and of the whole chain; among these, endpoints that serve more fields of the
 * dataset come first.
 */
export function traitsOf(lists: readonly LandedList[]): Traits[] {
  const sorted = [...lists].sort((a, b) => compare(a, b) || (a.variant < b.variant ? -1 : 1));
  const ranks = new Map<string, string[]>();
  return sorted.map((list, i) => {
    const ranked = ranks.get(list.dataset) ?? [];
    if (!ranked.includes(list.endpoint)) ranked.push(list.endpoint);
    ranks.set(list.dataset, ranked);
    return {
      ...list,
      number: i + 1,
      axis: datasetNamed(list.dataset).axis,
      listKind: findEndpoint(list.endpoint)?.list,
      keyKind: keyKindOf(list),
      side: sideOf(list),
      scope: scopeText(scopeOf(list)),
      endpointRank: ranked.indexOf(list.endpoint) + 1,
    };
  });
}

/** Orders lists by dataset, kind of key, share of the dataset that they serve, and path. */
function compare(a: LandedList, b: LandedList): number {
  if (a.dataset !== b.dataset) return a.dataset < b.dataset ? -1 : 1;
  const [one, other] = [a, b].map((list) => LIST_KEYS.indexOf(keyKindOf(list)));
  if (one !== other) return (one ?? 0) - (other ?? 0);
  const fields = fieldCount(b) - fieldCount(a);
  if (fields !== 0) return fields;
  return a.endpoint === b.endpoint ? 0 : a.endpoint < b.endpoint ? -1 : 1;
}

function fieldCount(list: LandedList): number {
  const words = new Set(wordsOfDataset(list.dataset).map(({ column }) => column));
  const fields = findEndpoint(list.endpoint)?.fields ?? [];
  return fields.filter(({ column }) => words.has(column)).length;
}

/** The kind of keys that the list's entry declares. */
export function keyKindOf(list: LandedList): ListKeys {
  const catalogueList = findList(list);
  if (catalogueList?.keyColumns === undefined) return 'all';
  return paramOf(catalogueList.entry, 'keys')?.keyKind ?? 'all';
}

/** The side of a list; undefined for lists whose keys are not the sender or the recipient. */
export function sideOf(list: LandedList): Side | undefined {
  const columns = findList(list)?.keyColumns ?? [];
  const sent = columns.includes(fromAddress.column);
  const received = columns.includes(toAddress.column);
  if (sent && received) return 'both';
  if (sent) return 'from';
  return received ? 'to' : undefined;
}

/**
 * The filters of a list beside keys, sides and blocks: by column, or by the name of the parameter
 * if it does not compare for equality.
 */
export function scopeOf(list: LandedList): ReadonlyMap<string, string> {
  const endpoint = findEndpoint(list.endpoint);
  const params = Object.entries(filtersIn(list.variant));
  if (endpoint === undefined) return new Map(params);
  const equals = new Map(equalsParams(endpoint).map((param) => [param.name, param]));
  const side = paramOf(endpoint, 'side')?.name;
  const keys = paramOf(endpoint, 'keys')?.name;
  const scope = new Map<string, string>();
  for (const [name, value] of params) {
    const param = equals.get(name);
    if (name === side || (name === keys && value === BY_KEY)) continue;
    if (param === undefined) scope.set(name, value);
    // A value that only selects the dataset does not filter its records.
    else if (!param.datasets || param.fills === true || param.fills?.includes(value)) {
      scope.set(param.column.column, value);
    }
  }
  return scope;
}

export function scopeText(scope: ReadonlyMap<string, string>): string {
  return [...scope]
    .map(([column, value]) => `${column}=${value}`)
    .sort()
    .join('&');
}

/** Whether a list of the first scope holds all records of a list of the second. */
export function isWider(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) {
  return [...one].every(([column, value]) => other.get(column) === value);
}
