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
  readonly broken: { reason: string; raw: string; height: number | undefined }[];
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
  const names = fields.flatMap(({ wire, aliases }) => [wire, ...aliases]);
  const stable = fields.filter(({ volatile }) => volatile !== true);
  for (const record of records) {
    const unknown = Object.keys(record).filter((name) => !names.includes(name));
    for (const name of unknown) increment(decoded.drift, name);
    try {
      const { cells: byColumn, odd } = cellsOf(list, record, unknown, readAt);
      const lacking = stable.filter(({ wire, aliases }) => {
        return ![wire, ...aliases].some((name) => name in record);
      });
      checkPresence(list, byColumn, lacking, record);
      const height = byColumn.get(list.dataset.heightColumn);
      if (typeof height !== 'bigint') {
        const field = fields.find(({ column }) => column === list.dataset.heightColumn);
        throw new RangeError(field ? plainReason(field, record) : 'the record has no height');
      }
      const { keyColumns } = list;
      const touches =
        keyColumns === undefined ? [''] : plainKeys(keyColumns.map((name) => byColumn.get(name)));
      const oddKey = odd.find(({ column }) => keyColumns?.includes(column));
      if (oddKey !== undefined && touches.length === 0) {
        throw new RangeError(plainReason(oddKey, record));
      }
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
      const height = plainHeight(list, record);
      decoded.broken.push({ reason: error.message, raw: JSON.stringify(record), height });
    }
  }
  return decoded;
}

function cellsOf(
  { entry, filters, dataset }: List,
  record: WireRecord,
  unknown: readonly string[],
  readAt: number | undefined,
): { readonly cells: Map<string, Cell>; readonly odd: readonly Field[] } {
  const cells = new Map<string, Cell>();
  const odd: Field[] = [];
  for (const field of entry.fields) {
    const text = plainText(field, record);
    if (text === undefined) continue;
    const decoded = text === null ? undefined : plainCells(field, text);
    if (decoded === undefined) {
      odd.push(field);
      continue;
    }
    columnsOf(field).forEach(({ name }, i) => {
      cells.set(name, decoded[i] ?? null);
    });
  }
  for (const [{ column }, value] of filledBy(entry, filters)) cells.set(column, value);
  if (entry.list === 'snapshot' && readAt !== undefined) {
    cells.set(dataset.heightColumn, BigInt(readAt));
  }
  if (unknown.length + odd.length > 0) {
    const extra = [...unknown, ...odd.flatMap((field) => namesIn(field, record))]
      .sort()
      .map((name) => [name, record[name]] as const);
    cells.set('extra', JSON.stringify(Object.fromEntries(extra)));
  }
  return { cells, odd };
}

function checkPresence(
  { entry, dataset }: List,
  cells: ReadonlyMap<string, Cell>,
  lacking: readonly Field[],
  record: WireRecord,
): void {
  for (const { column, wire } of lacking) {
    if (dataset.essential.includes(column)) throw new RangeError(`the record has no ${wire}`);
  }
  for (const field of entry.fields) {
    if (!dataset.identity.includes(field.column)) continue;
    const isEmpty = columnsOf(field).every(({ name }) => (cells.get(name) ?? null) === null);
    if (isEmpty) throw new RangeError(plainReason(field, record));
  }
}

function namesIn({ wire, aliases }: Field, record: WireRecord): string[] {
  return [wire, ...aliases].filter((name) => (record[name] ?? '') !== '');
}

function plainReason(field: Field, record: WireRecord): string {
  const values = namesIn(field, record).map((name) => JSON.stringify(record[name]));
  if (values.length === 0) return `the record has no ${field.wire}`;
  return `${field.wire} is not of the kind ${field.kind.name}: ${values.join(' and ').slice(0, 80)}`;
}

/** null where the names differ, or the value is no text. */
function plainText({ wire, aliases }: Field, record: WireRecord): string | null | undefined {
  const names = [wire, ...aliases];
  const texts: string[] = [];
  for (const name of names) {
    const value = record[name];
    if (value === undefined || value === null || value === '') continue;
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isWhole) return null;
    texts.push(String(value));
    if (texts[0] !== texts.at(-1)) return null;
  }
  return texts[0];
}

/** undefined for an odd text. */
function plainCells({ kind }: Field, raw: string): Cell[] | undefined {
  const text = kind.name === 'text' ? raw : bare(raw);
  const number = plainNumber(text);
  const whole = number !== undefined && /^[0-9]+$/.test(number) ? number : undefined;
  const below = (digits: number): bigint | undefined => {
    return whole !== undefined && /^0*[0-9]+$/.test(whole) && BigInt(whole) < 10n ** BigInt(digits)
      ? BigInt(whole)
      : undefined;
  };
  const single = (cell: Cell | undefined): Cell[] | undefined => {
    return cell === undefined ? undefined : [cell];
  };
  switch (kind.name) {
    case 'hash':
      return single(plainHash(text));
    case 'party': {
      const parts = text.split(',').map((part) => plainAddress(bare(part)));
      const right = parts.filter((part) => part !== undefined);
      return right.length < parts.length ? undefined : [right.join(','), right];
    }
    case 'address':
      return single(plainAddress(text));
    case 'height':
      return single(below(15));
    case 'count':
      return single(below(18));
    case 'unsigned':
      return single(below(20));
    case 'quantity':
      return single(below(38));
    case 'integer':
      return single(whole);
    case 'time':
      return whole === undefined || whole.length > 15 ? undefined : [BigInt(whole) * 1000n];
    case 'amount':
      return number === undefined ? undefined : [number, plainScaled(number)];
    case 'flag':
      return text === 'true' || text === 'false' ? [text === 'true'] : undefined;
    case 'text':
      // Half characters have no UTF-8.
      return [Buffer.from(text).toString()];
    default:
      throw new Error(`no rule for the kind ${kind.name}`);
  }
}

function bare(text: string): string {
  return text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '').replace(/[\s\p{Cc}\p{Cf}]+$/u, '');
}

function plainHash(text: string): string | undefined {
  if (/^0x[0-9a-f]+$/i.test(text)) return text.toLowerCase();
  return /^[A-Za-z]+_0x[0-9a-fA-F]{40}$/.test(text) ? text : undefined;
}

function plainAddress(text: string): string | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
  return /^[A-Z][A-Z_]+$/.test(text) ? text : undefined;
}

/** The number in plain digits: as written, if it has a digit on both sides of its point. */
function plainNumber(text: string): string | undefined {
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return text;
  const match = /^-?([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?$/.exec(text);
  const [, before = '', after = '', exponent = '0'] = match ?? [];
  if (before + after === '') return undefined;
  const shift = Number(exponent);
  const digits = '0'.repeat(100) + before + after + '0'.repeat(100);
  const point = 100 + before.length + shift;
  const whole = digits.slice(0, point).replace(/^0+(?=.)/, '');
  const fraction = digits.slice(point).replace(/0+$/, '');
  const number = fraction === '' ? whole : `${whole}.${fraction}`;
  return text.startsWith('-') && number !== '0' ? undefined : number;
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
  const parts = text.split(',').map(bare);
  const spelled = parts.map((part) => (/^0x/i.test(part) ? part.toLowerCase() : part));
  return spelled.filter((part) => part !== '');
}

function shown(cell: Cell | undefined): unknown {
  return typeof cell === 'bigint' ? String(cell) : (cell ?? null);
}

function increment(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** The stable fields of a record, or the names and values of odd ones, as one text. */
export function plainContent({ entry }: List, record: WireRecord): string {
  const stable = entry.fields.filter((field) => field.volatile !== true);
  return JSON.stringify(
    stable.map((field) => {
      const text = plainText(field, record);
      if (text === undefined) return null;
      const cells = text === null ? undefined : plainCells(field, text);
      return cells === undefined
        ? namesIn(field, record).map((name) => [name, record[name]])
        : shown(cells[0]);
    }),
  );
}

/** The height of an undecoded record; undefined where it is missing or odd. */
export function plainHeight({ entry, dataset }: List, record: WireRecord): number | undefined {
  // The height column of the dataset that the endpoint has without filters is the same.
  const field = entry.fields.find(({ column }) => column === dataset.heightColumn);
  const text = field === undefined ? undefined : plainSpelling(field, record);
  return text === undefined ? undefined : Number(text);
}

/** The keys among the given ones that an undecoded record names. */
export function plainMatches(list: List, record: WireRecord, keys: readonly string[]): string[] {
  const { entry, keyColumns } = list;
  if (keyColumns === undefined) return [...keys];
  const texts = keyColumns.map((column) => {
    const field = entry.fields.find((candidate) => candidate.column === column);
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
    const field = entry.fields.find((candidate) => candidate.column === column);
    return field === undefined ? undefined : plainSpelling(field, record)?.toLowerCase();
  });
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return values.join(' ');
}

/** The canonical text; undefined where it is missing or odd. */
function plainSpelling(field: Field, record: WireRecord): string | undefined {
  const text = plainText(field, record);
  const cells = text === undefined || text === null ? undefined : plainCells(field, text);
  return cells === undefined ? undefined : String(cells[0]);
}
