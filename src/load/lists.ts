import { equalsParams, findEndpoint, keyColumns } from '../catalogue/index.ts';
import { fromAddress, toAddress } from '../catalogue/vocabulary.ts';
import { variantOf } from '../plan/slice.ts';

/** What was asked of one endpoint with one set of filters: the unit that coverage speaks of. */
export interface List {
  readonly dataset: string;
  readonly endpoint: string;
  /** Id of the variant: `name=value` joined by `&`. */
  readonly variant: string;
}

/** Which records of an address a list holds: those it sent, those it received, or both. */
export type Side = 'from' | 'to' | 'both';

/** The side of a list; undefined for lists whose keys are not the sender or the recipient. */
export function sideOf(list: List): Side | undefined {
  const endpoint = findEndpoint(list.endpoint);
  if (endpoint === undefined) return undefined;
  const columns = keyColumns(endpoint, variantOf(list.variant).params) ?? [];
  const sent = columns.includes(fromAddress.column);
  const received = columns.includes(toAddress.column);
  if (sent && received) return 'both';
  if (sent) return 'from';
  return received ? 'to' : undefined;
}

/**
 * Whether a record can stand in both lists. Lists of one dataset share their records unless both
 * ask one column for a value, and not for the same; sides never keep them apart, because a record
 * has both.
 */
export function mayShareRecords(one: List, other: List): boolean {
  if (one.dataset !== other.dataset) return false;
  if (one.endpoint === other.endpoint && one.variant === other.variant) return false;
  const wanted = askedColumns(other);
  return [...askedColumns(one)].every(([column, value]) => (wanted.get(column) ?? value) === value);
}

/** The columns whose value a list asks for. */
function askedColumns(list: List): ReadonlyMap<string, string> {
  const endpoint = findEndpoint(list.endpoint);
  const { params } = variantOf(list.variant);
  const asked = new Map<string, string>();
  for (const param of endpoint === undefined ? [] : equalsParams(endpoint)) {
    const value = params[param.name];
    if (value !== undefined) asked.set(param.column.column, value);
  }
  return asked;
}
