import type { Endpoint, Field } from './entry.ts';
import { memoised } from './memoised.ts';

/** A record as the service sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * The canonical form of a record: by column (`tx_hash`, `from_address`, `amount` ...), the text in
 * canonical spelling, a flag, or null.
 */
export type CanonicalRecord = Readonly<Record<string, string | boolean | null>>;

/** A record whose values are canonical texts by column, as far as it has any. */
export interface RewrittenRecord {
  readonly values: Readonly<Record<string, string>>;
  readonly deviation: Deviation;
}

/** The parts of a record that its canonical values do not show. */
export interface Deviation {
  /** Names that the catalogue does not know. */
  readonly unknown: readonly string[];
  /** Stable fields that the record lacks; an empty field is present. */
  readonly lacking: readonly Field[];
  /** Fields with odd values. */
  readonly odd: readonly Field[];
  /** The odd values of stable fields; '' where there are none. */
  readonly oddText: string;
  readonly sent: WireRecord;
}

/** The column of unknown fields and odd values, as a JSON object in the order of its names. */
export const EXTRA = 'extra';

/**
 * Rewrites a record of any spelling. An odd value costs itself: `extra` has it, under the names of
 * its field.
 */
export function canonicalRecord(entry: Endpoint, sent: WireRecord): RewrittenRecord {
  const values: Record<string, string> = {};
  const lacking: Field[] = [];
  const odd: Field[] = [];
  for (const field of entry.fields) {
    const text = wireText(field, sent);
    if (text === undefined) {
      const isLacking = field.volatile !== true && namesOf(field).every((name) => !(name in sent));
      if (isLacking) lacking.push(field);
      continue;
    }
    const value = text === null ? undefined : field.kind.canonical(text);
    if (value === undefined) odd.push(field);
    else values[field.column] = value;
  }
  const entryNames = namesOfEntry(entry);
  const unknown = Object.keys(sent).filter((name) => !entryNames.has(name));
  const extra = [...unknown, ...odd.flatMap((field) => namesIn(sent, field))];
  if (extra.length > 0) values[EXTRA] = membersText(sent, extra);
  const stable = odd.filter(({ volatile }) => volatile !== true);
  const oddNames = stable.flatMap((field) => namesIn(sent, field));
  const oddText = oddNames.length === 0 ? '' : membersText(sent, oddNames);
  return { values, deviation: { unknown, lacking, odd, oddText, sent } };
}

/** Why a field of a record has no value. */
export function missing(field: Field, sent: WireRecord): string {
  const shown = namesIn(sent, field).map((name) => JSON.stringify(sent[name]));
  if (shown.length === 0) return `the record has no ${field.wire}`;
  return `${field.wire} is not of the kind ${field.kind.name}: ${shown.join(' and ').slice(0, 80)}`;
}

/**
 * The text of a field under any of its names. undefined where the record lacks it or it is empty;
 * null where it has no one text: its names differ, or its value is not text, a flag or a safe whole
 * number.
 */
function wireText({ wire, aliases }: Field, record: WireRecord): string | null | undefined {
  let fieldText = asText(record[wire]);
  for (const name of aliases) {
    const text = asText(record[name]);
    if (text === undefined || text === fieldText) continue;
    if (fieldText !== undefined) return null;
    fieldText = text;
  }
  return fieldText;
}

function asText(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : null;
}

function namesOf({ wire, aliases }: Field): readonly string[] {
  return [wire, ...aliases];
}

/** The names under which a record has a value of the field. */
function namesIn(record: WireRecord, field: Field): readonly string[] {
  return namesOf(field).filter((name) => (record[name] ?? '') !== '');
}

function membersText(record: WireRecord, names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries([...names].sort().map((name) => [name, record[name]])));
}

/** The names of all fields. */
const namesOfEntry = memoised(({ fields }: Endpoint) => new Set(fields.flatMap(namesOf)));
