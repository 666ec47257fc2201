import type { Cell } from '../../catalogue/column-kind.ts';
import type { Endpoint, Field } from '../../catalogue/entry.ts';
import { columnsOf, stableFields } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { List } from '../../coverage/list.ts';
import { type RowShape, rowShape } from './row-shape.ts';

/** How the cells of a row follow from the fields of its record. */

interface FieldPlan {
  readonly field: Field;
  readonly names: readonly string[];
  readonly positions: readonly number[];
}

const NONE: readonly never[] = [];

/** Columns of an endpoint's fields, and the fields that every record must have. */
export interface RecordPlan {
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
  readonly stable: readonly Field[];
  /** The field with the cell at `namedAt`, and the index among the cells of the field. */
  readonly named: { readonly field: Field; readonly at: number } | undefined;
}

/** Plans of lists whose records have a height of their own; every walk needs one. */
const plans = new WeakMap<List, RecordPlan>();

export function planOf(list: List, readAt: number | undefined): RecordPlan {
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
    stable: stableFields(entry),
    named: named && { field: named.field, at: named.positions.indexOf(shape.namedAt ?? -1) },
    known: new Set(fields.flatMap(({ names }) => names)),
    extraAt: position('extra'),
    fixed,
    essential,
    naming: fields.filter(({ field }) => identity.includes(field.column)),
  };
}

export function unknownNames(record: WireRecord, { known }: RecordPlan): readonly string[] {
  let unknown: string[] | undefined;
  for (const name of Object.keys(record)) {
    if (known.has(name)) continue;
    unknown ??= [];
    unknown.push(name);
  }
  return unknown ?? NONE;
}

/** The cells of a record and the stable fields that it lacks. Throws RangeError if it is broken. */
export function decodedCells(
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

export function heightIn(cells: readonly Cell[], { heightAt }: RowShape): number {
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
