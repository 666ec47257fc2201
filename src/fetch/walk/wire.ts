import type { Endpoint, Field, Param } from '../../catalogue/entry.ts';
import { BY_KEY, datasetNamed, fieldFor } from '../../catalogue/index.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import { keysNamedIn } from '../../coverage/list.ts';
import type { Slice } from '../../coverage/slice.ts';

/** What a walk needs to see of records it has not decoded, and how it asks for them. */

/** The query of one page of a slice, by parameter name, in the order of the entry. */
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
      // A height that may be left out is a filter of lists that are asked by their bounds.
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

/** The record's stable content as text: equal for records that are copies of each other. */
export function contentOf(endpoint: Endpoint, record: WireRecord): string {
  const stable = endpoint.fields.filter((field) => field.volatile !== true);
  return JSON.stringify(stable.map((field) => wireValue(field, record) ?? ''));
}

/** undefined when the record does not say, or not as a number. */
export function heightOf(endpoint: Endpoint, record: WireRecord): number | undefined {
  const field = fieldFor(endpoint, datasetNamed(endpoint.dataset).heightColumn);
  const text = field === undefined ? undefined : wireValue(field, record);
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * What tells the record from all others of a walk, as text; undefined where its dataset has no
 * identity. Columns that no record carries are the same for the whole walk.
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

/** The record's value in a column, as the wire spells it; undefined where it says nothing. */
export function textOf(endpoint: Endpoint, record: WireRecord, column: string): string | undefined {
  const field = fieldFor(endpoint, column);
  return field === undefined ? undefined : wireValue(field, record);
}

/** Which of the slice's keys the record matches: each once; `['']` for endpoints without keys. */
export function matchedKeys(endpoint: Endpoint, record: WireRecord, slice: Slice): string[] {
  const { keyColumns } = slice.list;
  if (keyColumns === undefined) return [...slice.keys];
  const named = keysNamedIn(keyColumns.map((column) => textOf(endpoint, record, column)));
  return slice.keys.filter((key) => named.includes(key));
}

function wireValue(field: Field, record: WireRecord): string | undefined {
  for (const name of [field.wire, ...field.aliases]) {
    const value = record[name];
    if (value !== undefined && value !== null && value !== '') return String(value);
  }
  return undefined;
}
