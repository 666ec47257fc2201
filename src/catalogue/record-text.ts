import { addressesIn } from './column-kind.ts';
import type { Endpoint, Field } from './entry.ts';
import { canonicalRecord, type Deviation, type WireRecord } from './record.ts';
import { TextFormat, type TextValues } from './text-format.ts';

const NO_KEYS: readonly string[] = [];

/**
 * A record on its way from the reply to the table: the text that the service sent if all values
 * have their usual spelling, and otherwise a text with canonical values.
 */
export class ListedRecord {
  readonly format: TextFormat;
  /** A JSON object. */
  readonly text: string;
  /** undefined where the record has none, or an odd one; at most 15 digits, so it is exact. */
  readonly height: number | undefined;
  /** The odd parts of a record that was rewritten; undefined for the usual spelling. */
  readonly deviation: Deviation | undefined;
  /** The value at the format's `nameAt`. */
  readonly #name: string | undefined;
  /** The values that the format reads; undefined once the keys are known. */
  #values: TextValues | undefined;
  #keyColumns: readonly string[] | undefined;
  #keys = NO_KEYS;
  #content: string | undefined;

  constructor(format: TextFormat, values: TextValues, deviation?: Deviation) {
    const height = values[format.heightAt];
    this.format = format;
    this.text = values[0] ?? '';
    this.height = height === undefined ? undefined : Number(height);
    this.deviation = deviation;
    this.#name = values[format.nameAt];
    this.#values = values;
  }

  /** The record that begins at this place of a body; undefined where it has another format. */
  static in(body: string, at: number, format: TextFormat): ListedRecord | undefined {
    const values = format.naming.read(body, at);
    return values === undefined ? undefined : new ListedRecord(format, values);
  }

  /** A record of any spelling. */
  static fromWire(entry: Endpoint, sent: WireRecord): ListedRecord {
    const format = TextFormat.rewritten(entry);
    const { values, deviation } = canonicalRecord(entry, sent);
    const named = [...format.naming.at.keys()].map((column) => values[column]);
    return new ListedRecord(format, [JSON.stringify(values), ...named], deviation);
  }

  /**
   * The value in a column; undefined where it is missing, empty or odd. Hex digits may be capitals.
   */
  valueIn(column: string): string | undefined {
    const { naming, nameAt } = this.format;
    const at = naming.at.get(column);
    if (at === undefined) return this.format.valueIn(this.text, column);
    if (at === nameAt) return this.#name;
    return (this.#values ?? naming.read(this.text, 0))?.[at];
  }

  /** Whether the value in the column is odd. */
  isOdd(column: string): boolean {
    return this.deviation?.odd.some((field) => field.column === column) ?? false;
  }

  /** The addresses in these columns, lower-cased, each once. */
  keysIn(columns: readonly string[]): readonly string[] {
    if (columns === this.#keyColumns) return this.#keys;
    let keys = NO_KEYS;
    for (const column of columns) {
      const text = this.valueIn(column);
      if (text !== undefined) keys = union(keys, repeatedAddressesIn(text));
    }
    this.#keys = keys;
    this.#keyColumns = columns;
    // The record lives until its walk ends, and without these values it takes half the memory.
    this.#values = undefined;
    return keys;
  }

  /** A text that few records share, equal for records with equal content. */
  get name(): string | undefined {
    return this.format.nameAt === 0 ? undefined : this.#name?.toLowerCase();
  }

  /** A text that is equal only for records of one list with equal stable columns. */
  get content(): string {
    // A walk compares the records of some blocks several times.
    this.#content ??= this.format.contentOf(this.text);
    return this.#content;
  }

  /** The stable fields that the record lacks. */
  get lacking(): readonly Field[] {
    return this.deviation?.lacking ?? this.format.lacking;
  }
}

/** Most texts that are kept: they take a few MiB. */
const MOST_TEXTS = 16_384;

const kept = new Map<string, readonly string[]>();

/**
 * `addressesIn`, with the same strings for equal texts, because a few addresses are in most of the
 * records: maps find these faster than copies, and V8 keeps the text of a whole page in memory for
 * every string that is cut out of it.
 */
export function repeatedAddressesIn(text: string): readonly string[] {
  const cached = kept.get(text);
  if (cached !== undefined) return cached;
  // A new string, which is not cut out of the page.
  const copy = Buffer.from(text, 'utf8').toString('utf8');
  // UTF-8 cannot express a lone surrogate, so the new string would be another text.
  if (copy !== text) return addressesIn(text);
  const addresses = addressesIn(copy);
  if (kept.size === MOST_TEXTS) kept.clear();
  kept.set(copy, addresses);
  return addresses;
}

/**
 * The distinct addresses of both lists. An array that grows by pushing or spreading gets room
 * for 17, which a commit would keep for every row.
 */
function union(addresses: readonly string[], more: readonly string[]): readonly string[] {
  const [only = ''] = more;
  if (more.length !== 1) return [...new Set([...addresses, ...more])];
  if (addresses.length === 0) return more;
  if (addresses.includes(only)) return addresses;
  const [first = ''] = addresses;
  return addresses.length === 1 ? [first, only] : addresses.concat(more);
}
