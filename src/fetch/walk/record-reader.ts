import {
  type Dataset,
  type Endpoint,
  type Field,
  type Param,
  stableFields,
} from '../../catalogue/entry.ts';
import { BY_KEY, datasetNamed, fieldFor } from '../../catalogue/index.ts';
import { canonicalText, wireText } from '../../catalogue/record.ts';
import { type ListedRecord, parsedRecord, RecordText } from '../../catalogue/record-text.ts';
import { keysNamedIn } from '../../coverage/list.ts';
import type { Slice } from '../../coverage/slice.ts';

/** Access to undecoded records, and the queries of walks. */

/** The query of one page of a slice by parameter name, in the order of the entry. */
export function queryOf(
  endpoint: Endpoint,
  slice: Slice,
  asked: {
    readonly chain: string;
    readonly to: number;
    readonly page: number;
    readonly limit: number;
  },
): Record<string, string> {
  const query: Record<string, string> = {};
  for (const param of endpoint.params) {
    const filter = slice.list.filters[param.name];
    const value = given(param, filter);
    if (value !== undefined) query[param.name] = value;
    else if (filter !== undefined) query[param.name] = filter;
  }
  return query;

  function given({ role, required }: Param, filter: string | undefined): string | undefined {
    switch (role) {
      case 'chain':
        return asked.chain;
      case 'keys':
        return required || filter === BY_KEY ? slice.keys.join(',') : undefined;
      // An optional height is a filter of lists with block bounds.
      case 'height':
        return required ? String(slice.interval.from) : undefined;
      case 'from-block':
        return String(slice.interval.from);
      case 'to-block':
        return String(asked.to);
      case 'page':
        return String(asked.page);
      case 'limit':
        return String(asked.limit);
      default:
        return undefined;
    }
  }
}

/** The record content as text: all stable columns, as sent. Copies have equal text. */
export function contentOf(endpoint: Endpoint, record: ListedRecord): string {
  const isText = record instanceof RecordText && record.format.entry === endpoint;
  const content = isText ? record.content : undefined;
  if (content !== undefined) return content;
  const { stable } = lookUpsOf(endpoint);
  const parsed = parsedRecord(record);
  return JSON.stringify(stable.map((field) => wireText(field, parsed) ?? ''));
}

/** undefined where the record has no height, or an odd one. */
export function heightOf(endpoint: Endpoint, record: ListedRecord): number | undefined {
  if (record instanceof RecordText) return record.height;
  const text = canonicalText(endpoint, record, lookUpsOf(endpoint).heightColumn);
  return text === undefined ? undefined : Number(text);
}

/**
 * The record identity within a walk, as text; undefined where the dataset has none. Columns that no
 * record carries are the same for the whole walk.
 */
export function identityOf(
  endpoint: Endpoint,
  slice: Slice,
  record: ListedRecord,
): string | undefined {
  let identity: string | undefined;
  for (const column of carriedColumns(slice.list.dataset)) {
    const value = textOf(endpoint, record, column)?.toLowerCase();
    if (value === undefined) return undefined;
    identity = identity === undefined ? value : `${identity} ${value}`;
  }
  return identity;
}

/** Identity columns that records carry. */
function carriedColumns(dataset: Dataset): readonly string[] {
  const known = carried.get(dataset);
  if (known !== undefined) return known;
  const { identity, words = [] } = dataset;
  const columns = identity.filter((column) => !words.some((each) => each.column === column));
  carried.set(dataset, columns);
  return columns;
}

const carried = new WeakMap<Dataset, readonly string[]>();

/**
 * The record's value in a column; undefined where it has none, or an odd one. Records that are
 * texts have it in their wire spelling, in which hex digits may be capitals.
 */
export function textOf(
  endpoint: Endpoint,
  record: ListedRecord,
  column: string,
): string | undefined {
  return record instanceof RecordText
    ? record.valueIn(column)
    : canonicalText(endpoint, record, column);
}

/** Whether the record has a value in the column that cannot be read. */
export function isOdd(endpoint: Endpoint, record: ListedRecord, column: string): boolean {
  const field = fieldFor(endpoint, column);
  if (record instanceof RecordText || field === undefined) return false;
  const text = wireText(field, record);
  return text === null || (text !== undefined && field.kind.canonical(text) === undefined);
}

/** The slice's keys that the record matches, each once; `['']` for endpoints without keys. */
export function matchedKeys(
  endpoint: Endpoint,
  record: ListedRecord,
  { keys, list }: Slice,
): readonly string[] {
  const { keyColumns } = list;
  if (keyColumns === undefined) return keys;
  const named =
    record instanceof RecordText
      ? record.keysIn(keyColumns)
      : keysNamedIn(keyColumns.map((column) => textOf(endpoint, record, column)));
  const wanted = eachOf(keys);
  let only: readonly string[] | undefined;
  for (const key of named) {
    const found = wanted.get(key);
    if (found === undefined) continue;
    if (only !== undefined) return keys.filter((each) => named.includes(each));
    only = found;
  }
  return only ?? NO_KEYS;
}

const NO_KEYS: readonly string[] = [];

/** Lists of one key of a slice each, by the key: the keys that nearly all records match. */
function eachOf(keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = keyLists.get(keys);
  if (known !== undefined) return known;
  const lists = new Map(keys.map((key) => [key, [key]]));
  keyLists.set(keys, lists);
  return lists;
}

const keyLists = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();

/** Fields of an entry that are needed for every record. */
interface LookUps {
  readonly stable: readonly Field[];
  readonly heightColumn: string;
}

const lookUps = new WeakMap<Endpoint, LookUps>();

function lookUpsOf(endpoint: Endpoint): LookUps {
  const known = lookUps.get(endpoint);
  if (known !== undefined) return known;
  const stable = stableFields(endpoint);
  const { heightColumn } = datasetNamed(endpoint.dataset);
  lookUps.set(endpoint, { stable, heightColumn });
  return { stable, heightColumn };
}
