import type { Cell } from '../../src/catalogue/column-kind.ts';
import { columnsOf, type Field } from '../../src/catalogue/entry.ts';
import { filledBy } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { List } from '../../src/coverage/list.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';

/**
 * Decoding by its rules alone, one record and one field at a time: slow, plain, and without any
 * code of the decoder in src. It knows the kinds by their names.
 */

export interface PlainRow {
  readonly height: number;
  readonly touches: readonly string[];
  readonly cells: readonly Cell[];
  readonly occurrence: number;
  readonly listPosition: number | null;
}

export interface PlainDecoded {
  readonly rows: PlainRow[];
  readonly broken: { readonly reason: string; readonly raw: string }[];
  readonly drift: Map<string, number>;
  readonly absent: Map<string, number>;
}

export function plainDecode(
  list: List,
  records: readonly WireRecord[],
  readAt?: number,
): PlainDecoded {
  const decoded: PlainDecoded = { rows: [], broken: [], drift: new Map(), absent: new Map() };
  const occurrences = new Map<string, number>();
  const positions = new Map<string, number>();
  const { fields } = list.entry;
  const known = fields.flatMap(({ wire, aliases }) => [wire, ...aliases]);
  const stable = fields.filter(({ volatile }) => volatile !== true);
  for (const record of records) {
    const unknown = Object.keys(record).filter((name) => !known.includes(name));
    for (const name of unknown) increment(decoded.drift, name);
    try {
      const byColumn = cellsOf(list, record, unknown, readAt);
      const lacking = stable.filter(({ wire, aliases }) => {
        return ![wire, ...aliases].some((name) => name in record);
      });
      checkPresence(list, byColumn, lacking);
      const height = byColumn.get(list.dataset.heightColumn);
      if (typeof height !== 'bigint') throw new RangeError('the record has no height');
      const { keyColumns } = list;
      const touches =
        keyColumns === undefined ? [''] : plainKeys(keyColumns.map((name) => byColumn.get(name)));
      const content = stable.flatMap(columnsOf).map(({ name }) => shown(byColumn.get(name)));
      const place = `${height} ${touches.join()}`;
      const { list: kind, reply } = list.entry;
      decoded.rows.push({
        height: Number(height),
        touches,
        cells: tableColumns(list.dataset.name).map(({ name }) => byColumn.get(name) ?? null),
        occurrence: increment(occurrences, JSON.stringify(content)),
        listPosition:
          kind === 'by-key' && reply.shape === 'paged' ? increment(positions, place) : null,
      });
      for (const { wire } of lacking) increment(decoded.absent, wire);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      decoded.broken.push({ reason: error.message, raw: JSON.stringify(record) });
    }
  }
  return decoded;
}

function cellsOf(
  { entry, filters, dataset }: List,
  record: WireRecord,
  unknown: readonly string[],
  readAt: number | undefined,
): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const field of entry.fields) {
    const text = plainText(field, record);
    if (text === undefined) continue;
    const decoded = plainCells(field, text);
    columnsOf(field).forEach(({ name }, i) => {
      cells.set(name, decoded[i] ?? null);
    });
  }
  for (const [{ column }, value] of filledBy(entry, filters)) cells.set(column, value);
  if (entry.list === 'snapshot' && readAt !== undefined) {
    cells.set(dataset.heightColumn, BigInt(readAt));
  }
  if (unknown.length > 0) {
    const extra = [...unknown].sort().map((name) => [name, record[name]] as const);
    cells.set('extra', JSON.stringify(Object.fromEntries(extra)));
  }
  return cells;
}

function checkPresence(
  { entry, dataset }: List,
  cells: ReadonlyMap<string, Cell>,
  lacking: readonly Field[],
): void {
  for (const { column, wire } of lacking) {
    if (dataset.essential.includes(column)) throw new RangeError(`the record has no ${wire}`);
  }
  for (const field of entry.fields) {
    if (!dataset.identity.includes(field.column)) continue;
    const isEmpty = columnsOf(field).every(({ name }) => (cells.get(name) ?? null) === null);
    if (isEmpty) throw new RangeError(`the record has no ${field.wire}`);
  }
}

function plainText({ wire, aliases }: Field, record: WireRecord): string | undefined {
  const names = [wire, ...aliases];
  const texts: string[] = [];
  for (const name of names) {
    const value = record[name];
    if (value === undefined || value === null || value === '') continue;
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isWhole) {
      throw new RangeError(`${name} is neither text, flag nor a safe whole number`);
    }
    texts.push(String(value));
    if (texts[0] !== texts.at(-1)) {
      throw new RangeError(`${names.join(' and ')} are present together and differ`);
    }
  }
  return texts[0];
}

function plainCells({ kind, wire }: Field, text: string): Cell[] {
  const only = (pattern: RegExp): void => {
    if (pattern.test(text)) return;
    throw new RangeError(`${wire} is no ${kind.name}: ${JSON.stringify(text.slice(0, 80))}`);
  };
  switch (kind.name) {
    case 'hash':
      only(/^0x[0-9a-fA-F]+$/);
      return [text.toLowerCase()];
    case 'party':
      only(/^\s*[^\s,]+\s*(,\s*[^\s,]+\s*)*$/);
      return [text.toLowerCase(), addresses(text)];
    case 'address':
      only(/^\S+$/);
      return [text.toLowerCase()];
    case 'height':
    case 'count':
      only(/^[0-9]+$/);
      if (BigInt(text) >= 2n ** 63n) throw new RangeError(`${text} does not fit a 64-bit integer`);
      return [BigInt(text)];
    case 'quantity':
      only(/^[0-9]+$/);
      if (BigInt(text) >= 10n ** 38n) throw new RangeError(`${text} does not fit DECIMAL(38,0)`);
      return [BigInt(text)];
    case 'integer':
      only(/^[0-9]+$/);
      return [text];
    case 'time':
      only(/^[0-9]{1,15}$/);
      return [BigInt(text) * 1000n];
    case 'amount':
      only(/^[0-9]+(\.[0-9]+)?$/);
      return [text, plainScaled(text)];
    case 'flag':
      only(/^(true|false)$/);
      return [text === 'true'];
    case 'text':
      return [text];
    default:
      throw new Error(`no rule for the kind ${kind.name}`);
  }
}

function plainScaled(text: string): bigint | null {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > 18) return null;
  const value = BigInt(whole) * 10n ** 18n + BigInt(digits.padEnd(18, '0'));
  if (value >= 10n ** 38n) return null;
  return text.startsWith('-') ? -value : value;
}

function plainKeys(cells: readonly (Cell | undefined)[]): string[] {
  return [...new Set(cells.flatMap((cell) => (typeof cell === 'string' ? addresses(cell) : [])))];
}

function addresses(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim().toLowerCase());
  return parts.filter((part) => part !== '');
}

function shown(cell: Cell | undefined): unknown {
  return typeof cell === 'bigint' ? String(cell) : (cell ?? null);
}

function increment(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** The stable fields of a record in their wire spelling, as one text. */
export function plainContent({ entry }: List, record: WireRecord): string {
  const stable = entry.fields.filter((field) => field.volatile !== true);
  return JSON.stringify(stable.map((field) => plainSpelling(field, record) ?? ''));
}

/** The height of an undecoded record; undefined where it is missing or has other than 1-15 digits. */
export function plainHeight({ entry, dataset }: List, record: WireRecord): number | undefined {
  // The height column of the dataset that the endpoint has without filters is the same.
  const field = entry.fields.find(({ column }) => column === dataset.heightColumn);
  const text = field === undefined ? undefined : plainSpelling(field, record);
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The keys among the given ones that an undecoded record names. */
export function plainMatches(list: List, record: WireRecord, keys: readonly string[]): string[] {
  const { entry, keyColumns } = list;
  if (keyColumns === undefined) return [...keys];
  const texts = keyColumns.map((column) => {
    const field = entry.fields.find((each) => each.column === column);
    return field === undefined ? undefined : plainSpelling(field, record);
  });
  const named = plainKeys(texts);
  return keys.filter((key) => named.includes(key));
}

/** The identity of an undecoded record; undefined where one of its columns is empty. */
export function plainIdentity({ entry, dataset }: List, record: WireRecord): string | undefined {
  const { identity, words = [] } = dataset;
  const carried = identity.filter((column) => words.every((word) => word.column !== column));
  const values = carried.map((column) => {
    const field = entry.fields.find((each) => each.column === column);
    return field === undefined ? undefined : plainSpelling(field, record)?.toLowerCase();
  });
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return values.join(' ');
}

function plainSpelling({ wire, aliases }: Field, record: WireRecord): string | undefined {
  const values = [wire, ...aliases].map((name) => record[name]);
  const found = values.find((value) => value !== undefined && value !== null && value !== '');
  return found === undefined ? undefined : String(found);
}
