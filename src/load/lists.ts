import { equalsParams, findEndpoint, paramOf } from '../catalogue/index.ts';
import { fromAddress, toAddress } from '../catalogue/vocabulary.ts';

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
  const columns = paramOf(endpoint, 'keys')?.columns ?? [];
  const side = paramOf(endpoint, 'side');
  const asked = side === undefined ? undefined : valuesOf(list.variant).get(side.name);
  const isAsked = (column: string, other: string): boolean =>
    columns.includes(column) && asked !== other;
  const sent = isAsked(fromAddress.column, 'to');
  const received = isAsked(toAddress.column, 'from');
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
  const values = valuesOf(list.variant);
  const asked = new Map<string, string>();
  for (const param of endpoint === undefined ? [] : equalsParams(endpoint)) {
    const value = values.get(param.name);
    if (value !== undefined) asked.set(param.column.column, value);
  }
  return asked;
}

function valuesOf(variant: string): ReadonlyMap<string, string> {
  return new Map(
    variant
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return [name, value.join('=')];
      }),
  );
}
