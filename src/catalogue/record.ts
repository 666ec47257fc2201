import type { Endpoint, Field } from './entry.ts';
import { fieldFor } from './index.ts';

/** A record as the service sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * The canonical form of a record: by column (`tx_hash`, `from_address`, `amount` ...), the text in
 * canonical spelling, a flag, or null.
 */
export type CanonicalRecord = Readonly<Record<string, string | boolean | null>>;

/**
 * The text of a field under any of its names. undefined where the record lacks it or it is empty;
 * null where it has no one text: its names differ, or its value is not text, a flag or a safe whole
 * number.
 */
export function wireText(
  { wire, aliases }: Pick<Field, 'wire' | 'aliases'>,
  record: WireRecord,
): string | null | undefined {
  let found = asText(record[wire]);
  for (const name of aliases) {
    const text = asText(record[name]);
    if (text === undefined || text === found) continue;
    if (found !== undefined) return null;
    found = text;
  }
  return found;
}

function asText(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : null;
}

/** The record's value in a column, in canonical spelling; undefined where it has none. */
export function canonicalText(
  endpoint: Endpoint,
  record: WireRecord,
  column: string,
): string | undefined {
  const field = fieldFor(endpoint, column);
  const text = field && wireText(field, record);
  return text === undefined || text === null ? undefined : field?.kind.canonical(text);
}
