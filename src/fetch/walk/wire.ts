import {
  type Dataset,
  type Endpoint,
  type Field,
  type Param,
  stableFields,
} from '../../catalogue/entry.ts';
import { BY_KEY, datasetNamed, fieldFor } from '../../catalogue/index.ts';
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

/** The record content as text: all stable columns. Copies have equal text. */
export function contentOf(endpoint: Endpoint, record: ListedRecord): string {
  const isText = record instanceof RecordText && record.format.entry === endpoint;
  const content = isText ? record.content : undefined;
  if (content !== undefined) return content;
  const { stable } = lookUpsOf(endpoint);
  return JSON.stringify(stable.map((field) => wireValue(field, record) ?? ''));
}

/** undefined where the record has no height, or an invalid one. */
export function heightOf(endpoint: Endpoint, record: ListedRecord): number | undefined {
  if (record instanceof RecordText) return record.height;
  const { height } = lookUpsOf(endpoint);
  const text = height === undefined ? undefined : wireValue(height, record);
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
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

/** The record's value in a column in its wire spelling; undefined where it is missing or empty. */
export function textOf(
  endpoint: Endpoint,
  record: ListedRecord,
  column: string,
): string | undefined {
  if (record instanceof RecordText) return record.valueIn(column);
  const field = fieldFor(endpoint, column);
  return field === undefined ? undefined : wireValue(field, record);
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

function wireValue(field: Field, listed: ListedRecord): string | undefined {
  const record = parsedRecord(listed);
  const value = record[field.wire];
  if (value !== undefined && value !== null && value !== '') return String(value);
  for (const name of field.aliases) {
    const other = record[name];
    if (other !== undefined && other !== null && other !== '') return String(other);
  }
  return undefined;
}

/** Fields of an entry that are needed for every record. */
interface LookUps {
  readonly stable: readonly Field[];
  readonly height: Field | undefined;
}

const lookUps = new WeakMap<Endpoint, LookUps>();

function lookUpsOf(endpoint: Endpoint): LookUps {
  const known = lookUps.get(endpoint);
  if (known !== undefined) return known;
  const stable = stableFields(endpoint);
  const height = fieldFor(endpoint, datasetNamed(endpoint.dataset).heightColumn);
  lookUps.set(endpoint, { stable, height });
  return { stable, height };
}
