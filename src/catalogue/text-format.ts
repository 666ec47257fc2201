import { columnsOf, type Endpoint, type Field, stableFields } from './entry.ts';
import { datasetNamed, datasetsOf, fieldFor, paramOf } from './index.ts';
import { memoised } from './memoised.ts';
import type { WireRecord } from './record.ts';

/** White space in JSON, as a pattern. */
export const SPACE = '[ \\t\\n\\r]*';

/** A record's text, and values in it. */
export type TextValues = readonly (string | undefined)[];

/** Reads values of the record that begins at a place of a text; undefined for other formats. */
interface Reader {
  readonly read: (text: string, at: number) => TextValues | undefined;
  /** Index of the value by column. */
  readonly at: ReadonlyMap<string, number>;
}

interface Member {
  readonly name: string;
  readonly field: Field;
}

/**
 * The form of the texts of records. A text of the service has the usual spelling of all values
 * (`Kind.usual`) under these names in this order, so one regular expression checks it and reads the
 * few values that walks need. A rewritten text has canonical values under the names of the columns.
 */
export class TextFormat {
  readonly entry: Endpoint;
  readonly isRewritten: boolean;
  /** The name of each field in the record, by its column. */
  readonly names: ReadonlyMap<string, string>;
  /** The stable fields that the records lack; rewritten ones list their own. */
  readonly lacking: readonly Field[];
  /** Reads the values of heights, keys, identities and the first sort column. */
  readonly naming: Reader;
  readonly heightAt: number;
  /** Index of the value that names a record; 0, that of the whole text, where there is none. */
  readonly nameAt: number;
  readonly #members: readonly Member[];
  readonly #stableFields: readonly Field[];
  /** Reads the stable fields; made when it is needed first. */
  #stable: Reader | undefined;

  private constructor(entry: Endpoint, members: readonly Member[], isRewritten: boolean) {
    this.entry = entry;
    this.isRewritten = isRewritten;
    this.names = new Map(members.map(({ name, field }) => [field.column, name]));
    this.#stableFields = stableFields(entry);
    this.lacking = this.#stableFields.filter(({ column }) => !this.names.has(column));
    this.#members = members;
    this.naming = this.#readerOf(namingColumns(entry));
    const { heightColumn, identity, sortedBy } = datasetNamed(entry.dataset);
    this.heightAt = this.naming.at.get(heightColumn) ?? -1;
    this.nameAt = this.naming.at.get(identity[0] ?? sortedBy[0] ?? '') ?? 0;
  }

  /** The format of rewritten records. */
  static readonly rewritten = memoised((entry: Endpoint): TextFormat => {
    const members = entry.fields.map((field) => ({ name: field.column, field }));
    return new TextFormat(entry, members, true);
  });

  /** The format of these names; undefined where records with them need more than their text. */
  static forNames(entry: Endpoint, names: readonly string[]): TextFormat | undefined {
    const members = membersOf(entry, names);
    if (!hasHeights(entry) || members === undefined) return undefined;
    const present = new Set(members.map(({ field }) => field.column));
    const isWhole = [...essential(entry), ...required(entry)].every((column) => {
      return present.has(column) || fieldFor(entry, column) === undefined;
    });
    return isWhole ? new TextFormat(entry, members, false) : undefined;
  }

  /** A text that is equal only for records of the entry with equal stable columns. */
  contentOf(text: string): string {
    this.#stable ??= this.#readerOf(new Set(this.#stableFields.map(({ column }) => column)));
    const { at, read } = this.#stable;
    const texts = read(text, 0) ?? [];
    const isEscaped = text.includes('\\');
    const values = this.#stableFields.map(({ column, kind }) => {
      const value = texts[at.get(column) ?? -1] ?? '';
      if (this.isRewritten) return value;
      const sent = isEscaped ? (JSON.parse(`"${value}"`) as string) : value;
      return kind.isHex ? sent.toLowerCase() : sent;
    });
    return isEscaped ? JSON.stringify(values) : `["${values.join('","')}"]`;
  }

  /** The value in a column of a record, as its text has it. */
  valueIn(text: string, column: string): string | undefined {
    const record = JSON.parse(text) as WireRecord;
    const value = record[this.names.get(column) ?? ''] ?? '';
    return value === '' ? undefined : String(value);
  }

  #readerOf(columns: ReadonlySet<string>): Reader {
    const read = this.#members.filter(({ field }) => columns.has(field.column));
    const at = new Map(read.map(({ field }, i) => [field.column, i + 1]));
    if (this.isRewritten) {
      const valuesOf = (text: string): TextValues => {
        const record = JSON.parse(text) as Readonly<Record<string, string>>;
        return [text, ...read.map(({ name }) => record[name])];
      };
      return { at, read: valuesOf };
    }
    const pattern = patternOf(this.entry, this.#members, at);
    const valuesOf = (text: string, start: number): TextValues | undefined => {
      pattern.lastIndex = start;
      return pattern.exec(text) ?? undefined;
    };
    return { at, read: valuesOf };
  }
}

/** The pattern of a record that captures the values of these columns. */
function patternOf(
  entry: Endpoint,
  members: readonly Member[],
  read: ReadonlyMap<string, number>,
): RegExp {
  const needed = required(entry);
  const parts = members.map(({ name, field }) => {
    const value = valuePattern(field, read.has(field.column), needed.has(field.column));
    return `${JSON.stringify(name)}${SPACE}:${SPACE}${value}`;
  });
  const body = parts.join(`${SPACE},${SPACE}`);
  return new RegExp(`\\{${SPACE}${body}${SPACE}\\}`, 'y');
}

/** The fields in the order of their names; undefined for unknown, repeated or similar names. */
function membersOf(entry: Endpoint, names: readonly string[]): Member[] | undefined {
  const members: Member[] = [];
  const columns = new Set<string>();
  const spellings = new Set<string>();
  for (const name of names) {
    const fields = entry.fields.filter(({ wire, aliases }) => [wire, ...aliases].includes(name));
    const [field] = fields;
    if (field === undefined || fields.length > 1) return undefined;
    // SQL ignores the case of names.
    if (/[^\w]/.test(name) || spellings.has(name.toLowerCase())) return undefined;
    spellings.add(name.toLowerCase());
    for (const column of columnsOf(field)) {
      if (columns.has(column.name)) return undefined;
      columns.add(column.name);
    }
    members.push({ name, field });
  }
  return members;
}

function valuePattern({ kind }: Field, isRead: boolean, isRequired: boolean): string {
  const value = isRead ? `(${kind.usual})` : `(?:${kind.usual})`;
  const text = isRequired ? `"(?!")${value}"` : `"${value}?"`;
  const all = [text];
  if (kind.wire === 'boolean') all.push(`(?:${kind.usual})`);
  if (!isRequired) all.push('null');
  return `(?:${all.join('|')})`;
}

/** Columns whose values walks read. None of them is a text, whose values may have escapes. */
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

/** Whether records have one height of their own. */
function hasHeights(entry: Endpoint): boolean {
  if (entry.list === 'snapshot' || entry.list === 'submission') return false;
  const columns = new Set(datasetsOf(entry).map((name) => datasetNamed(name).heightColumn));
  const [column = ''] = columns;
  return columns.size === 1 && fieldFor(entry, column)?.kind.name === 'height';
}
