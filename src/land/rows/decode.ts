import type { Cell } from '../../catalogue/column-kind.ts';
import type { Endpoint } from '../../catalogue/entry.ts';
import { canonicalText, type WireRecord } from '../../catalogue/record.ts';
import {
  type ListedRecord,
  parsedRecord,
  RecordText,
  type TextFormat,
} from '../../catalogue/record-text.ts';
import type { List } from '../../coverage/list.ts';
import type { Landable } from '../rule/claim.ts';
import { type Comparison, ofCells, repeatsOf } from './occurrences.ts';
import { decodedCells, planOf, type RecordPlan, unknownNames } from './record-plan.ts';
import { exactContent, type RowShape, rowContent, touchesOf } from './row-shape.ts';

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
  /** undefined where it cannot be read. */
  readonly height: number | undefined;
}

export interface DecodedRecords {
  readonly rows: readonly Row[];
  readonly broken: readonly BrokenRecord[];
  /** Number of records by field that the catalogue does not know. */
  readonly drift: ReadonlyMap<string, number>;
  /** Number of rows by stable field that they lack; an empty field is present. */
  readonly absent: ReadonlyMap<string, number>;
}

/**
 * Decodes the records of one walk into rows of the endpoint's dataset. Empty text and odd values
 * become NULL. A record is broken if its height or an identity column has no value, if an essential
 * field is missing, or if it names none of the requested `keys` and one of its key columns is odd;
 * its walk continues. Records of snapshots have no height and get `readAt`, the head when they were
 * read. Records that are texts are valid, and DuckDB decodes them when they are written
 * (`text-rows.ts`).
 */
export function decode(
  list: List,
  records: readonly ListedRecord[],
  readAt?: number,
  keys?: readonly string[],
): DecodedRecords {
  const plan = planOf(list, readAt);
  const rows: NumberedRow[] = [];
  const broken: BrokenRecord[] = [];
  const drift = new Map<string, number>();
  const absent = new Map<string, number>();
  const placed = new Map<string, number>();
  const isOrdered = isInAnswerOrder(list.entry);
  for (const listed of records) {
    if (listed instanceof RecordText && plan.textOf === listed.format.entry) {
      const row = new TextRow(listed, plan);
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
      const { cells, lacking, oddKey } = decodedCells(record, unknown, plan);
      const height = Number(cells[plan.shape.heightAt]);
      const touches = touchesOf(plan.shape, cells);
      // The odd value may be the requested key.
      const isKeyed = oddKey === undefined || touches.some((key) => keys?.includes(key) ?? true);
      if (!isKeyed) throw new RangeError(oddKey);
      const listPosition = isOrdered ? countOne(placed, placeOf({ height, touches })) : null;
      rows.push({ height, touches, cells, occurrence: 1, listPosition });
      for (const { field } of lacking) countOne(absent, field.wire);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const height = canonicalText(list.entry, record, list.dataset.heightColumn);
      const raw = JSON.stringify(record);
      broken.push({
        reason: error.message,
        raw,
        height: height === undefined ? height : Number(height),
      });
    }
  }
  const repeats = repeatsOf(rows, comparison(plan.shape));
  for (const [row, occurrence] of repeats) row.occurrence = occurrence;
  return { rows, broken, drift, absent };
}

/** A row whose occurrence follows from the other rows of the walk. */
interface NumberedRow extends Row {
  occurrence: number;
}

function comparison(shape: RowShape): Comparison<Row> {
  const { nameOf, contentOf } = ofCells(shape);
  return {
    nameOf: (row) => (row instanceof TextRow ? row.name : nameOf(row)),
    contentOf: (row) => (row instanceof TextRow ? row.content : contentOf(row)),
  };
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

/**
 * A row of a record that is still a text. Its cells are decoded only where they are needed. It does
 * not keep the record, whose other values would stay in memory until the commit.
 */
export class TextRow implements Row {
  readonly text: string;
  readonly format: TextFormat;
  readonly height: number;
  readonly touches: readonly string[];
  /** The cell at `namedAt`. */
  readonly name: Cell;
  occurrence = 1;
  listPosition: number | null = null;
  readonly #plan: RecordPlan;

  constructor(record: RecordText, plan: RecordPlan) {
    const { keyColumns } = plan;
    this.text = record.text;
    this.format = record.format;
    this.height = record.height;
    this.touches = keyColumns === undefined ? NO_KEYS : record.keysIn(keyColumns);
    this.name = nameOfText(record, plan);
    this.#plan = plan;
  }

  /** As `rowContent` of its cells. */
  get content(): string {
    const { stable, shape } = this.#plan;
    const values = this.format.stableValues(this.text);
    if (values === undefined) return rowContent(shape, this.cells);
    return exactContent(
      stable.map(({ kind }, i) => {
        const text = values[i] ?? '';
        return text === '' ? null : kind.firstCell(text);
      }),
    );
  }

  get cells(): readonly Cell[] {
    return decodedCells(JSON.parse(this.text) as WireRecord, [], this.#plan).cells;
  }
}

function nameOfText(record: RecordText, { named }: RecordPlan): Cell {
  if (named === undefined) return null;
  const text = record.valueIn(named.field.column);
  return text === undefined ? null : (named.field.kind.decode(text)?.[named.at] ?? null);
}

const NO_KEYS: readonly string[] = [''];

/** Increments the count of a name and returns it. */
function countOne(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
