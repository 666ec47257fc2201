import type { Endpoint, Field, Param } from '../../catalogue/entry.ts';
import { BY_KEY, datasetNamed, fieldFor } from '../../catalogue/index.ts';
import type { WireRecord } from '../../catalogue/record.ts';
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
export function contentOf(endpoint: Endpoint, record: WireRecord): string {
  const { stable } = lookUpsOf(endpoint);
  return JSON.stringify(stable.map((field) => wireValue(field, record) ?? ''));
}

/** undefined where the record has no height, or an invalid one. */
export function heightOf(endpoint: Endpoint, record: WireRecord): number | undefined {
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
  record: WireRecord,
): string | undefined {
  const { identity, words = [] } = slice.list.dataset;
  const carried = identity.filter((column) => !words.some((each) => each.column === column));
  const values = carried.map((column) => {
    const field = fieldFor(endpoint, column);
    return field === undefined ? undefined : wireValue(field, record)?.toLowerCase();
  });
  const isWhole = values.length > 0 && values.every((value) => value !== undefined);
  return isWhole ? values.join(' ') : undefined;
}

/** The record's value in a column in its wire spelling; undefined where it is missing or empty. */
export function textOf(endpoint: Endpoint, record: WireRecord, column: string): string | undefined {
  const field = fieldFor(endpoint, column);
  return field === undefined ? undefined : wireValue(field, record);
}

/** The slice's keys that the record matches, each once; `['']` for endpoints without keys. */
export function matchedKeys(endpoint: Endpoint, record: WireRecord, slice: Slice): string[] {
  const { keyColumns } = slice.list;
  if (keyColumns === undefined) return [...slice.keys];
  const named = keysNamedIn(keyColumns.map((column) => textOf(endpoint, record, column)));
  return slice.keys.filter((key) => named.includes(key));
}

function wireValue(field: Field, record: WireRecord): string | undefined {
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
  const stable = endpoint.fields.filter((field) => field.volatile !== true);
  const height = fieldFor(endpoint, datasetNamed(endpoint.dataset).heightColumn);
  lookUps.set(endpoint, { stable, height });
  return { stable, height };
}
