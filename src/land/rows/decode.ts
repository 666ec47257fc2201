import type { Cell } from '../../catalogue/column-kind.ts';
import type { Endpoint, Field } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import { type ListedRecord, parsedRecord, RecordText } from '../../catalogue/record-text.ts';
import type { List } from '../../coverage/list.ts';
import type { Landable } from '../rule/claim.ts';
import { Occurrences } from './occurrences.ts';
import { nameIn, type RowShape, rowShape, touchesOf } from './row-shape.ts';

/** A decoded record with the properties that merging needs. */
export interface Row extends Landable {
  /** One cell per column of the table, in its order; a commit fills in the lineage. */
  readonly cells: readonly Cell[];
  /** 1 for the first of several records of the walk with equal stable columns. */
  readonly occurrence: number;
  /**
   * Position in the answer, from 1, among the records of the same block (lists by height) or of the
   * same key (lists by hash); null in other lists and if it is unknown.
   */
  readonly listPosition: number | null;
}

/** A record that breaks its contract: its JSON text and the reason. */
export interface BrokenRecord {
  readonly reason: string;
  readonly raw: string;
}

export interface DecodedRecords {
  readonly rows: readonly Row[];
  readonly broken: readonly BrokenRecord[];
  /** Number of records by field that the catalogue does not know. */
  readonly drift: ReadonlyMap<string, number>;
  /** Number of rows by stable field that they lack; an empty field is present. */
  readonly absent: ReadonlyMap<string, number>;
}

interface FieldPlan {
  readonly field: Field;
  readonly names: readonly string[];
  readonly positions: readonly number[];
}

/**
 * Decodes the records of one walk into rows of the endpoint's dataset. Empty text becomes NULL. A
 * record is broken if a value does not match its field's pattern, if aliases disagree, or if the
 * height, an identity column or an essential field is missing; its walk continues. Records of
 * snapshots have no height and get `readAt`, the head when they were read. Records that are texts
 * are valid, and DuckDB decodes them when they are written (`text-rows.ts`).
 */
export function decode(
  list: List,
  records: readonly ListedRecord[],
  readAt?: number,
): DecodedRecords {
  const plan = planOf(list, readAt);
  const rows: Row[] = [];
  const broken: BrokenRecord[] = [];
  const drift = new Map<string, number>();
  const absent = new Map<string, number>();
  const occurrences = new Occurrences(plan.shape);
  const placed = new Map<string, number>();
  const isOrdered = isInAnswerOrder(list.entry);
  for (const listed of records) {
    if (listed instanceof RecordText && plan.textOf === listed.format.entry) {
      const row = new TextRow(listed, plan);
      row.occurrence = occurrences.next(row);
      if (isOrdered) row.listPosition = countOne(placed, placeOf(row));
      rows.push(row);
      for (const { wire, volatile } of listed.format.lacking) {
        if (volatile !== true) countOne(absent, wire);
      }
      continue;
    }
    const record = parsedRecord(listed);
    // Counted for broken records too: a missing field may have a new name.
    const unknown = unknownNames(record, plan);
    for (const name of unknown) countOne(drift, name);
    try {
      const { cells, lacking } = cellsOf(record, unknown, plan);
      const height = heightIn(cells, plan.shape);
      const touches = touchesOf(plan.shape, cells);
      const occurrence = occurrences.next({ cells, name: nameIn(cells, plan.shape), touches });
      const listPosition = isOrdered ? countOne(placed, placeOf({ height, touches })) : null;
      rows.push({ height, touches, cells, occurrence, listPosition });
      for (const { field } of lacking) countOne(absent, field.wire);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      broken.push({ reason: error.message, raw: JSON.stringify(record) });
    }
  }
  return { rows, broken, drift, absent };
}

/**
 * Whether the order of the endpoint's records has a meaning, as in pages of one block or one hash
 * (the calls of a transaction, for instance). Ranges of blocks are read in parts, and look-ups
 * without pages return one record per key.
 */
function isInAnswerOrder({ list, reply }: Endpoint): boolean {
  return list === 'by-key' && reply.shape === 'paged';
}

function placeOf({ height, touches }: Landable): string {
  return `${height} ${touches.join()}`;
}

/** A row of a record that is still a text. Its cells are decoded only where they are needed. */
export class TextRow implements Row {
  readonly record: RecordText;
  readonly height: number;
  readonly touches: readonly string[];
  occurrence = 1;
  listPosition: number | null = null;
  readonly #plan: RecordPlan;

  constructor(record: RecordText, plan: RecordPlan) {
    const { keyColumns } = plan;
    this.record = record;
    this.height = record.height;
    this.touches = keyColumns === undefined ? NO_KEYS : record.keysIn(keyColumns);
    this.#plan = plan;
  }

  get cells(): readonly Cell[] {
    return cellsOf(this.record.parsed, NONE, this.#plan).cells;
  }

  /** The cell at `namedAt`. */
  get name(): Cell {
    const { named } = this.#plan;
    if (named === undefined) return null;
    const text = this.record.valueIn(named.field.column);
    return text === undefined ? null : (named.field.kind.decode(text)[named.at] ?? null);
  }
}

const NO_KEYS: readonly string[] = [''];

const NONE: readonly never[] = [];

/** Columns of an endpoint's fields, and the fields that every record must have. */
interface RecordPlan {
  readonly shape: RowShape;
  readonly fields: readonly FieldPlan[];
  /** The names of all fields. */
  readonly known: ReadonlySet<string>;
  readonly extraAt: number;
  /** Cells with the same value in every row of the list. */
  readonly fixed: readonly (readonly [at: number, cell: Cell])[];
  readonly essential: readonly string[];
  /** Identity fields, none of which may be empty. */
  readonly naming: readonly FieldPlan[];
  /** The entry whose texts need no parsing; undefined where the list fills in vital cells. */
  readonly textOf: Endpoint | undefined;
  readonly keyColumns: readonly string[] | undefined;
  /** The field with the cell at `namedAt`, and the index among the cells of the field. */
  readonly named: { readonly field: Field; readonly at: number } | undefined;
}

/** Plans of lists whose records have a height of their own; every walk needs one. */
const plans = new WeakMap<List, RecordPlan>();

function planOf(list: List, readAt: number | undefined): RecordPlan {
  if (list.entry.list === 'snapshot') return recordPlan(list, readAt);
  const plan = plans.get(list) ?? recordPlan(list, undefined);
  plans.set(list, plan);
  return plan;
}

function recordPlan(list: List, readAt: number | undefined): RecordPlan {
  const { entry, filters, dataset } = list;
  const shape = rowShape(list);
  const columns = shape.columns.map((column) => column.name);
  const position = (name: string): number => columns.indexOf(name);
  const fields = entry.fields.map((field) => ({
    field,
    names: [field.wire, ...field.aliases],
    positions: columnsOf(field).map((column) => position(column.name)),
  }));
  const { identity, essential } = dataset;
  const fixed: [number, Cell][] = [];
  for (const [{ column }, value] of filledBy(entry, filters)) {
    fixed.push([position(column), value]);
  }
  if (entry.list === 'snapshot' && readAt !== undefined) {
    fixed.push([shape.heightAt, BigInt(readAt)]);
  }
  const named = fields.find(({ positions }) => positions.includes(shape.namedAt ?? -1));
  const vital = new Set([shape.heightAt, ...(shape.keysAt ?? []), shape.namedAt]);
  return {
    shape,
    fields,
    textOf: fixed.some(([at]) => vital.has(at)) ? undefined : entry,
    keyColumns: list.keyColumns,
    named: named && { field: named.field, at: named.positions.indexOf(shape.namedAt ?? -1) },
    known: new Set(fields.flatMap(({ names }) => names)),
    extraAt: position('extra'),
    fixed,
    essential,
    naming: fields.filter(({ field }) => identity.includes(field.column)),
  };
}

function unknownNames(record: WireRecord, { known }: RecordPlan): readonly string[] {
  let unknown: string[] | undefined;
  for (const name of Object.keys(record)) {
    if (known.has(name)) continue;
    unknown ??= [];
    unknown.push(name);
  }
  return unknown ?? NONE;
}

/** The cells of a record and the stable fields that it lacks. Throws RangeError if it is broken. */
function cellsOf(
  record: WireRecord,
  unknown: readonly string[],
  { shape, fields, extraAt, fixed, essential, naming }: RecordPlan,
): { readonly cells: readonly Cell[]; readonly lacking: readonly FieldPlan[] } {
  const cells: Cell[] = new Array<Cell>(shape.columns.length).fill(null);
  let lacking: FieldPlan[] | undefined;
  for (const plan of fields) {
    const text = wireText(plan, record);
    if (text !== undefined) decodeField(plan, text, cells);
    else if (plan.field.volatile !== true && !plan.names.some((name) => name in record)) {
      lacking ??= [];
      lacking.push(plan);
    }
  }
  for (const [at, cell] of fixed) cells[at] = cell;
  if (unknown.length > 0) cells[extraAt] = extraText(record, unknown);
  const vital = lacking?.find(({ field }) => essential.includes(field.column));
  if (vital !== undefined) throw new RangeError(`the record has no ${vital.field.wire}`);
  const nameless = naming.find(({ positions }) => positions.every((at) => cells[at] === null));
  if (nameless !== undefined) throw new RangeError(`the record has no ${nameless.field.wire}`);
  return { cells, lacking: lacking ?? NONE };
}

function heightIn(cells: readonly Cell[], { heightAt }: RowShape): number {
  const height = cells[heightAt];
  if (typeof height !== 'bigint') throw new RangeError('the record has no height');
  return Number(height);
}

function decodeField({ field, positions }: FieldPlan, text: string, cells: Cell[]): void {
  const { kind, wire } = field;
  if (!kind.pattern.test(text)) {
    throw new RangeError(`${wire} is no ${kind.name}: ${JSON.stringify(text.slice(0, 80))}`);
  }
  const decoded = kind.decode(text);
  for (let i = 0; i < positions.length; i += 1) {
    cells[positions[i] ?? 0] = decoded[i] ?? null;
  }
}

/** The field's text under any of its names; undefined for null and empty text. */
function wireText(plan: FieldPlan, record: WireRecord): string | undefined {
  let found: string | undefined;
  for (const name of plan.names) {
    const value = record[name];
    if (value === undefined || value === null || value === '') continue;
    const text = asText(value, name);
    if (found !== undefined && found !== text) {
      throw new RangeError(`${plan.names.join(' and ')} are present together and differ`);
    }
    found = text;
  }
  return found;
}

function asText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  // JSON.parse has already rounded numbers above 2^53.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`${name} is neither text, flag nor a safe whole number`);
}

function extraText(record: WireRecord, unknown: readonly string[]): string {
  return JSON.stringify(
    Object.fromEntries([...unknown].sort().map((name) => [name, record[name]])),
  );
}

/** Increments the count of a name and returns it. */
function countOne(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
