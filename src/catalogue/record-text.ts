import type { Endpoint, Field } from './entry.ts';
import { columnsOf, stableFields } from './entry.ts';
import { datasetNamed, datasetsOf, fieldFor, paramOf } from './index.ts';
import type { WireRecord } from './record.ts';
import { RepeatedAddresses, union } from './repeated-addresses.ts';

/**
 * Records as the text that the service sent. A record whose values all have their usual spelling
 * (`UsualSpelling`) is valid, so windrow neither parses nor decodes it itself: one regular
 * expression per endpoint and order of names checks it and reads the few values that walks need.
 */

/** White space in JSON, as a pattern. */
export const SPACE = '[ \\t\\n\\r]*';

const ADDRESSES = new RepeatedAddresses();

/** The text of a valid record without unknown fields. */
export class RecordText {
  readonly format: TextFormat;
  /** A JSON object. */
  readonly text: string;
  /** The height; at most 15 digits, so it is exact. */
  readonly height: number;
  /** The value at the format's `nameAt`. */
  readonly #name: string | undefined;
  /** The values that the format reads; undefined once the keys are known. */
  #values: Values | undefined;
  #parsed: WireRecord | undefined;
  #keyColumns: readonly string[] | undefined;
  #keys = NO_KEYS;
  #content: string | undefined;

  constructor(format: TextFormat, values: Values) {
    this.format = format;
    this.text = values[0] ?? '';
    this.height = Number(values[format.heightAt]);
    this.#name = values[format.nameAt];
    this.#values = values;
  }

  /** The value in a column in its wire spelling; undefined where it is missing or empty. */
  valueIn(column: string): string | undefined {
    const at = this.format.valuesAt.get(column);
    const value = at === undefined ? this.#parsedValue(column) : this.#valueAt(at);
    return value === '' ? undefined : value;
  }

  /** The addresses in these columns, lower-cased, each once. */
  keysIn(columns: readonly string[]): readonly string[] {
    if (columns === this.#keyColumns) return this.#keys;
    let keys = NO_KEYS;
    for (const column of columns) {
      const text = this.valueIn(column);
      if (text !== undefined) keys = union(keys, ADDRESSES.in(text));
    }
    this.#keys = keys;
    this.#keyColumns = columns;
    // The record lives until its walk ends, and without these values it takes half the memory.
    this.#values = undefined;
    return keys;
  }

  /** The values of the stable fields as a JSON list; undefined where one of them is no text. */
  get content(): string | undefined {
    // A walk compares the records of some blocks several times.
    if (this.#content !== undefined) return this.#content;
    const { text, format } = this;
    const values = format.stableValues(text);
    if (text.includes('\\')) this.#content = values && JSON.stringify(values);
    else this.#content = values && `["${values.join('","')}"]`;
    return this.#content;
  }

  /** The record as an object. */
  get parsed(): WireRecord {
    this.#parsed ??= JSON.parse(this.text) as WireRecord;
    return this.#parsed;
  }

  #valueAt(at: number): string | undefined {
    if (at === this.format.nameAt) return this.#name;
    return (this.#values ?? this.format.valuesIn(this.text, 0))?.[at];
  }

  #parsedValue(column: string): string | undefined {
    const name = this.format.names.get(column);
    const value = name === undefined ? undefined : this.parsed[name];
    return value === undefined || value === null ? undefined : String(value);
  }
}

/** A record's text, and the values in it that walks read. */
type Values = readonly (string | undefined)[];

const NO_KEYS: readonly string[] = [];

/** A record as walks get it. */
export type ListedRecord = WireRecord | RecordText;

/** The record as an object. */
export function parsedRecord(record: ListedRecord): WireRecord {
  return record instanceof RecordText ? record.parsed : record;
}

/** The records of an endpoint whose fields have these names in this order. */
export class TextFormat {
  readonly entry: Endpoint;
  /** The name of each field in the record, by its column. */
  readonly names: ReadonlyMap<string, string>;
  /** The fields that the records lack. */
  readonly lacking: readonly Field[];
  /** Index of the value, by column, of the columns that walks read. */
  readonly valuesAt: ReadonlyMap<string, number>;
  readonly heightAt: number;
  /** Index of the value that names a record; 0, that of the whole text, where there is none. */
  readonly nameAt: number;
  readonly #pattern: RegExp;
  readonly #members: readonly Member[];
  /** Made when it is needed first. */
  #stable: StablePattern | undefined;

  private constructor(entry: Endpoint, members: readonly Member[], height: string) {
    const { pattern, valuesAt } = patternOf(entry, members, namingColumns(entry));
    this.entry = entry;
    this.names = new Map(members.map(({ name, field }) => [field.column, name]));
    this.lacking = entry.fields.filter(({ column }) => !this.names.has(column));
    this.valuesAt = valuesAt;
    this.heightAt = valuesAt.get(height) ?? 0;
    const { identity, sortedBy } = datasetNamed(entry.dataset);
    this.nameAt = valuesAt.get(identity[0] ?? sortedBy[0] ?? '') ?? 0;
    this.#pattern = pattern;
    this.#members = members;
  }

  /** The format of these names; undefined where records with them need more than their text. */
  static of(entry: Endpoint, names: readonly string[]): TextFormat | undefined {
    const height = heightColumnOf(entry);
    const members = membersOf(entry, names);
    if (height === undefined || members === undefined) return undefined;
    const present = new Set(members.map(({ field }) => field.column));
    const isWhole = [...essential(entry), ...required(entry)].every((column) => {
      return present.has(column) || !entry.fields.some((field) => field.column === column);
    });
    if (!isWhole || !present.has(height)) return undefined;
    return new TextFormat(entry, members, height);
  }

  /**
   * The values of the endpoint's stable fields in the text of a record, in the order of
   * `stableFields`, '' where they are missing. undefined where a stable field is no text.
   */
  stableValues(text: string): string[] | undefined {
    this.#stable ??= this.#stablePattern();
    const { pattern, places } = this.#stable;
    if (pattern === undefined) return undefined;
    pattern.lastIndex = 0;
    const found = pattern.exec(text);
    return found === null ? undefined : places.map((at) => unescaped(found[at] ?? ''));
  }

  #stablePattern(): StablePattern {
    const fields = stableFields(this.entry);
    if (fields.some(({ kind }) => kind.wire !== 'string'))
      return { pattern: undefined, places: [] };
    const columns = new Set(fields.map(({ column }) => column));
    const { pattern, valuesAt } = patternOf(this.entry, this.#members, columns);
    return { pattern, places: fields.map(({ column }) => valuesAt.get(column) ?? -1) };
  }

  /** The record that begins at this place of the body; undefined where it has another format. */
  read(body: string, at: number): RecordText | undefined {
    const values = this.valuesIn(body, at);
    return values === undefined ? undefined : new RecordText(this, values);
  }

  /** The text of the record that begins at this place, and the values that walks read. */
  valuesIn(body: string, at: number): Values | undefined {
    this.#pattern.lastIndex = at;
    return this.#pattern.exec(body) ?? undefined;
  }
}

interface Member {
  readonly name: string;
  readonly field: Field;
}

interface Pattern {
  readonly pattern: RegExp;
  /** Index of the value by column. */
  readonly valuesAt: ReadonlyMap<string, number>;
}

/** The text that the inside of a JSON string stands for. */
function unescaped(value: string): string {
  return value.includes('\\') ? (JSON.parse(`"${value}"`) as string) : value;
}

/** The pattern of a record that reads the values of its stable fields. */
interface StablePattern {
  /** undefined where a value is no text. */
  readonly pattern: RegExp | undefined;
  /** Index of each stable field's value; -1 where records lack it. */
  readonly places: readonly number[];
}

/** The pattern of a record that reads the values of these columns. */
function patternOf(
  entry: Endpoint,
  members: readonly Member[],
  read: ReadonlySet<string>,
): Pattern {
  const valuesAt = new Map<string, number>();
  const parts = members.map(({ name, field }) => {
    const isRead = read.has(field.column) && field.kind.wire === 'string';
    if (isRead) valuesAt.set(field.column, valuesAt.size + 1);
    const value = valuePattern(field, isRead, required(entry).has(field.column));
    return `${JSON.stringify(name)}${SPACE}:${SPACE}${value}`;
  });
  const body = parts.join(`${SPACE},${SPACE}`);
  return { pattern: new RegExp(`\\{${SPACE}${body}${SPACE}\\}`, 'y'), valuesAt };
}

/** The fields in the order of their names; undefined for unknown, repeated or similar names. */
function membersOf(entry: Endpoint, names: readonly string[]): Member[] | undefined {
  const members: Member[] = [];
  const columns = new Set<string>();
  const spellings = new Set<string>();
  for (const name of names) {
    const own = entry.fields.filter(({ wire, aliases }) => [wire, ...aliases].includes(name));
    const [field] = own;
    if (field === undefined || own.length > 1) return undefined;
    // SQL ignores the case of names.
    if (/[^\w]/.test(name) || spellings.has(name.toLowerCase())) return undefined;
    spellings.add(name.toLowerCase());
    for (const each of columnsOf(field)) {
      if (columns.has(each.name)) return undefined;
      columns.add(each.name);
    }
    members.push({ name, field });
  }
  return members;
}

function valuePattern({ kind }: Field, isRead: boolean, isRequired: boolean): string {
  const value = isRead ? `(${kind.usual.pattern})` : `(?:${kind.usual.pattern})`;
  const text = isRequired ? `"(?!")${value}"` : `"${value}?"`;
  const all = [text];
  if (kind.wire === 'boolean') all.push(kind.usual.pattern);
  if (!isRequired) all.push('null');
  return `(?:${all.join('|')})`;
}

/**
 * Columns whose values walks read: heights, keys, identities and the first sort column. None of
 * them is a text, whose values may have escapes.
 */
function namingColumns(entry: Endpoint): ReadonlySet<string> {
  const keys = paramOf(entry, 'keys')?.columns ?? [];
  const named = datasetsOf(entry).flatMap((name) => {
    const { identity, heightColumn, sortedBy } = datasetNamed(name);
    return [heightColumn, ...identity, ...sortedBy.slice(0, 1)];
  });
  return new Set([...keys, ...named]);
}

/** Columns that no valid record leaves empty. */
function required(entry: Endpoint): ReadonlySet<string> {
  return new Set(
    datasetsOf(entry).flatMap((name) => {
      const { identity, heightColumn } = datasetNamed(name);
      return [heightColumn, ...identity];
    }),
  );
}

function essential(entry: Endpoint): string[] {
  return datasetsOf(entry).flatMap((name) => [...datasetNamed(name).essential]);
}

/** The column of the records' height; undefined for records without a height of their own. */
function heightColumnOf(entry: Endpoint): string | undefined {
  if (entry.list === 'snapshot' || entry.list === 'submission') return undefined;
  const columns = new Set(datasetsOf(entry).map((name) => datasetNamed(name).heightColumn));
  const [column] = columns;
  if (column === undefined || columns.size > 1) return undefined;
  return fieldFor(entry, column)?.kind.name === 'height' ? column : undefined;
}
