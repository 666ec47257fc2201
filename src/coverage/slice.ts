import { createHash } from 'node:crypto';
import type { Interval } from './ranges.ts';

/**
 * What is asked beside keys and blocks, as parameters: the filters of a query. Two walks with
 * different variants never cover for each other.
 */
export interface Variant {
  /** Canonical text: `name=value` joined by `&` in the order of the names; '' for none. */
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
}

export function variant(params: Readonly<Record<string, string>>): Variant {
  const names = Object.keys(params).sort();
  return { id: names.map((name) => `${name}=${params[name]}`).join('&'), params };
}

/** The variant with this id. */
export function variantOf(id: string): Variant {
  const pairs = id.split('&').filter((pair) => pair !== '');
  const params = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [name, value.join('=')] as const;
  });
  return { id, params: Object.fromEntries(params) };
}

/** The unit of fetching, retrying and committing: endpoint x variant x keys x interval. */
export interface Slice {
  readonly endpoint: string;
  readonly variant: Variant;
  /** Up to the endpoint's keys per request, lower-case and sorted; `['']` for keyless lists. */
  readonly keys: readonly string[];
  readonly interval: Interval;
  /** Reaches to the safe height or above it, so its content may still change. */
  readonly provisional: boolean;
  /** Why it is not even asked for: no list reaches that far. */
  readonly unreachable?: string;
}

/** A short name for logs and lineage. Never an identity: coverage is per key and interval. */
export function sliceId(slice: Slice): string {
  const text = JSON.stringify([
    slice.endpoint,
    slice.variant.id,
    slice.keys,
    slice.interval.from,
    slice.interval.to,
  ]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
