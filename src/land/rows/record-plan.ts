import type { Cell } from '../../catalogue/column-kind.ts';
import type { Endpoint, Field } from '../../catalogue/entry.ts';
import { columnsOf, stableFields } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import { type WireRecord, wireText } from '../../catalogue/record.ts';
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

/** Cells of a record. */
interface DecodedCells {
  readonly cells: readonly Cell[];
  /** Stable fields that the record lacks. */
  readonly lacking: readonly FieldPlan[];
  /** A key column that is NULL because of an odd value, with the value in words. */
  readonly oddKey: string | undefined;
}

/**
 * Decodes a record. An odd value costs itself: its columns are NULL, and `extra` has it under the
 * names of its field. Throws RangeError if the record lacks an essential field, or has no value of
 * its height or identity.
 */
export function decodedCells(
  record: WireRecord,
  unknown: readonly string[],
  { shape, fields, extraAt, fixed, essential, naming }: RecordPlan,
): DecodedCells {
  const cells: Cell[] = new Array<Cell>(shape.columns.length).fill(null);
  let lacking: FieldPlan[] | undefined;
  let odd: FieldPlan[] | undefined;
  for (const plan of fields) {
    const text = wireText(plan.field, record);
    if (text === undefined) {
      if (plan.field.volatile === true || plan.names.some((name) => name in record)) continue;
      lacking ??= [];
      lacking.push(plan);
    } else if (text === null || !decodeField(plan, text, cells)) {
      odd ??= [];
      odd.push(plan);
    }
  }
  for (const [at, cell] of fixed) cells[at] = cell;
  const extra = [...unknown, ...(odd ?? NONE).flatMap(({ names }) => namesIn(record, names))];
  if (extra.length > 0) cells[extraAt] = extraText(record, extra);
  const vital = lacking?.find(({ field }) => essential.includes(field.column));
  if (vital !== undefined) throw new RangeError(`the record has no ${vital.field.wire}`);
  const nameless = naming.find(({ positions }) => positions.every((at) => cells[at] === null));
  if (nameless !== undefined) throw new RangeError(missing(nameless, record));
  if (cells[shape.heightAt] === null) {
    const height = fields.find(({ positions }) => positions.includes(shape.heightAt));
    throw new RangeError(
      height === undefined ? 'the record has no height' : missing(height, record),
    );
  }
  const key = odd?.find(({ positions }) => positions.some((at) => shape.keysAt?.includes(at)));
  return { cells, lacking: lacking ?? NONE, oddKey: key && missing(key, record) };
}

/** False for an odd text. */
function decodeField({ field, positions }: FieldPlan, text: string, cells: Cell[]): boolean {
  const decoded = field.kind.decode(text);
  if (decoded === undefined) return false;
  for (let i = 0; i < positions.length; i += 1) {
    cells[positions[i] ?? 0] = decoded[i] ?? null;
  }
  return true;
}

/** Why a field has no value. */
function missing({ field: { wire, kind }, names }: FieldPlan, record: WireRecord): string {
  const shown = namesIn(record, names).map((name) => JSON.stringify(record[name]));
  if (shown.length === 0) return `the record has no ${wire}`;
  return `${wire} is not of the kind ${kind.name}: ${shown.join(' and ').slice(0, 80)}`;
}

/** The names under which a record has a value. */
function namesIn(record: WireRecord, names: readonly string[]): readonly string[] {
  return names.filter((name) => (record[name] ?? '') !== '');
}

function extraText(record: WireRecord, unknown: readonly string[]): string {
  return JSON.stringify(
    Object.fromEntries([...unknown].sort().map((name) => [name, record[name]])),
  );
}
