import type { Endpoint, Field } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import type { Cell } from '../../catalogue/kind.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { List } from '../../coverage/list.ts';
import type { Landable } from '../rule/merge.ts';
import { type RowShape, rowContent, rowShape, touchesOf } from './row-shape.ts';

/** A record as it will stand in the table, with what merging needs to know of it. */
export interface Row extends Landable {
  /** One cell per column of the table, in its order; the lineage is filled in when landing. */
  readonly cells: readonly Cell[];
  /** 1 for the first of several records of the walk that are equal in every stable column. */
  readonly occurrence: number;
  /**
   * Place in the answer, from 1, among the records of the same block (lists asked by height) or of
   * the same key (lists asked by hash); null in lists of other kinds, and where it is not known.
   */
  readonly listPosition: number | null;
}

/** A record that breaks its contract: kept as it came, with the reason. */
export interface BrokenRecord {
  readonly reason: string;
  readonly raw: string;
}

export interface DecodedRecords {
  readonly rows: readonly Row[];
  readonly broken: readonly BrokenRecord[];
  /** Fields the catalogue does not know, with how many records had them. */
  readonly drift: ReadonlyMap<string, number>;
  /** Fields that rows should have had and had not, not even empty; with how many rows. */
  readonly absent: ReadonlyMap<string, number>;
}

interface FieldPlan {
  readonly field: Field;
  readonly names: readonly string[];
  readonly positions: readonly number[];
}

/**
 * Decodes the records of one walk into rows of the endpoint's dataset. Empty text becomes NULL and
 * nothing is invented; a value outside its field's pattern, aliases that disagree, a missing height
 * or name, or the absence of a field that every record has breaks the record, never the walk.
 * Records of snapshots carry no height: they lie at `readAt`, the head when they were read.
 */
export function decode(
  list: List,
  records: readonly WireRecord[],
  readAt?: number,
): DecodedRecords {
  const plan = recordPlan(list, readAt);
  const rows: Row[] = [];
  const broken: BrokenRecord[] = [];
  const drift = new Map<string, number>();
  const absent = new Map<string, number>();
  const seen = new Map<string, number>();
  const placed = new Map<string, number>();
  for (const record of records) {
    // Of broken records, too: a field that is missed may have another name by now.
    const unknown = Object.keys(record).filter((name) => !plan.known.has(name));
    for (const name of unknown) countOne(drift, name);
    try {
      const { row, lacking } = rowOf(record, unknown, plan);
      const occurrence = countOne(seen, rowContent(plan.shape, row.cells));
      const of = `${row.height} ${row.touches.join()}`;
      const listPosition = isInAnswerOrder(list.entry) ? countOne(placed, of) : null;
      rows.push({ ...row, occurrence, listPosition });
      for (const { field } of lacking) countOne(absent, field.wire);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      broken.push({ reason: error.message, raw: JSON.stringify(record) });
    }
  }
  return { rows, broken, drift, absent };
}

/**
 * Whether the order of the endpoint's records says something: pages of one block or of one hash,
 * such as the calls of a transaction. Ranges of blocks are read in parts, and look-ups that are not
 * paged have one record a key.
 */
export function isInAnswerOrder({ list, reply }: Endpoint): boolean {
  return list === 'by-key' && reply.shape === 'paged';
}

/** Where the fields of an endpoint's records go, and what no record may be without. */
interface RecordPlan {
  readonly shape: RowShape;
  readonly fields: readonly FieldPlan[];
  /** The names of all fields. */
  readonly known: ReadonlySet<string>;
  readonly extraAt: number;
  /** What stands in every row, whatever the record says. */
  readonly fixed: readonly (readonly [at: number, cell: Cell])[];
  readonly essential: readonly string[];
  /** Fields that name a record: none of them may be empty. */
  readonly naming: readonly FieldPlan[];
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
  return {
    shape,
    fields,
    known: new Set(fields.flatMap(({ names }) => names)),
    extraAt: position('extra'),
    fixed,
    essential,
    naming: fields.filter(({ field }) => identity.includes(field.column)),
  };
}

/** The record's row, and the fields it should have and has not; RangeError for a broken record. */
function rowOf(
  record: WireRecord,
  unknown: readonly string[],
  { shape, fields, extraAt, fixed, essential, naming }: RecordPlan,
): {
  readonly row: Omit<Row, 'occurrence' | 'listPosition'>;
  readonly lacking: readonly FieldPlan[];
} {
  const cells: Cell[] = new Array<Cell>(shape.columns.length).fill(null);
  for (const field of fields) decodeField(field, record, cells);
  for (const [at, cell] of fixed) cells[at] = cell;
  if (unknown.length > 0) cells[extraAt] = extraText(record, unknown);
  const lacking = fields.filter(({ names, field }) => {
    return field.volatile !== true && !names.some((name) => name in record);
  });
  const vital = lacking.find(({ field }) => essential.includes(field.column));
  if (vital !== undefined) throw new RangeError(`the record has no ${vital.field.wire}`);
  const nameless = naming.find(({ positions }) => positions.every((at) => cells[at] === null));
  if (nameless !== undefined) throw new RangeError(`the record has no ${nameless.field.wire}`);
  const height = cells[shape.heightAt];
  if (typeof height !== 'bigint') throw new RangeError('the record has no height');
  return { row: { height: Number(height), touches: touchesOf(shape, cells), cells }, lacking };
}

function decodeField(plan: FieldPlan, record: WireRecord, cells: Cell[]): void {
  const text = wireText(plan, record);
  if (text === undefined) return;
  const { kind, wire } = plan.field;
  if (!kind.pattern.test(text)) {
    throw new RangeError(`${wire} is no ${kind.name}: ${JSON.stringify(text.slice(0, 80))}`);
  }
  const decoded = kind.decode(text);
  plan.positions.forEach((at, i) => {
    cells[at] = decoded[i] ?? null;
  });
}

/** The field's text under whichever of its names is present; undefined for null and empty. */
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
  // A JSON number above 2^53 has lost digits before anybody could look at it.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`${name} is neither text, flag nor a safe whole number`);
}

function extraText(record: WireRecord, unknown: readonly string[]): string {
  return JSON.stringify(
    Object.fromEntries([...unknown].sort().map((name) => [name, record[name]])),
  );
}

/** Counts one more, and returns how many there are by then. */
function countOne(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
