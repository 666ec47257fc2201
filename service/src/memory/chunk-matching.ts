import { isExactAsDouble } from '../../../src/catalogue/decimal.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { timesListed } from '../protocol/record-values.ts';
import type { Bound, Naming, Selection } from '../protocol/source.ts';
import type { BoundedColumn, ChunkColumns, Marks, NamedColumn } from './chunk-columns.ts';
import { hashMark, SEVERAL } from './chunk-columns.ts';
import { lowerBound } from './record-index.ts';

/** Finds the records of a chunk that a selection names, from columns wherever these suffice. */

/**
 * Positions of records, ascending; a position occurs several times if it is listed several times.
 */
export interface Positions {
  readonly length: number;
  at(index: number): number;
}

/** A chunk's records of one dataset. */
export interface ChunkRecords {
  readonly columns: ChunkColumns;
  readonly marks: Marks;
  /** The first height of the chunk. */
  readonly first: number;
  /** Columns in which a value may name several addresses. */
  readonly parties: ReadonlySet<string>;
  record(position: number): CanonicalRecord;
}

/** How often a condition lists the record at a position: 0 if it does not match, or UNSURE. */
type Test = (position: number) => number;
/** The columns do not decide. */
const UNSURE = -1;

/** The positions of the selected records. */
export function positionsIn(of: ChunkRecords, asked: Selection): Positions {
  const { first, end } = spanOf(of, asked.interval);
  const { keys, filters, bounds, oncePerKey } = asked;
  if (keys === undefined && filters.length === 0 && bounds.length === 0) {
    return { length: end - first, at: (index) => first + index };
  }
  const tests = [
    ...(keys === undefined ? [] : [namingTest(of, keys, oncePerKey)]),
    ...filters.map((each) => namingTest(of, each, false)),
    ...bounds.map((each) => boundTest(of, each)),
  ];
  const found: number[] = [];
  for (let position = first; position < end; position += 1) {
    let times = decided(tests, position);
    if (times === UNSURE) times = timesListed(of.record(position), asked, of.parties);
    for (let i = 0; i < times; i += 1) found.push(position);
  }
  const positions = Uint32Array.from(found);
  return { length: positions.length, at: (index) => positions[index] ?? -1 };
}

/** The position of the record whose column has this hash; undefined if there is none. */
export function positionOfHash(of: ChunkRecords, column: string, value: string) {
  const marks = of.columns.named.get(column)?.marks;
  const mark = hashMark(value);
  for (let at = marks?.indexOf(mark) ?? -1; at >= 0; at = marks?.indexOf(mark, at + 1) ?? -1) {
    if (of.record(at)[column] === value) return at;
  }
  return undefined;
}

/** A failed test decides; otherwise one unsure test makes the result unsure. */
function decided(tests: readonly Test[], position: number): number {
  let times = 1;
  for (const test of tests) {
    const each = test(position);
    if (each === 0) return 0;
    if (each === UNSURE || times === UNSURE) times = UNSURE;
    else times *= each;
  }
  return times;
}

function namingTest({ columns, marks }: ChunkRecords, asked: Naming, oncePerKey: boolean): Test {
  const among = asked.columns.map((name): Test => {
    const column = columns.named.get(name);
    if (column === undefined) return () => UNSURE;
    const own = asked.values.flatMap((value) => {
      return column.isExact ? (marks.find(value) ?? []) : hashMark(value);
    });
    return markTest(column, new Set(own), oncePerKey);
  });
  return (position) => {
    let times = 0;
    for (const test of among) {
      const each = test(position);
      if (each === UNSURE) return UNSURE;
      // Two columns may name the same key, which counts once.
      if (oncePerKey && each > 0 && times > 0) return UNSURE;
      times += each;
    }
    return oncePerKey ? times : Math.min(1, times);
  };
}

function markTest({ marks, several, isExact }: NamedColumn, own: Set<number>, all: boolean): Test {
  return (position) => {
    const mark = marks[position] ?? 0;
    if (isExact && mark === SEVERAL) {
      const named = several.get(position)?.filter((each) => own.has(each)).length ?? 0;
      return all ? named : Math.min(1, named);
    }
    if (!own.has(mark)) return 0;
    return isExact ? 1 : UNSURE;
  };
}

function boundTest({ columns }: ChunkRecords, { column, least, most }: Bound): Test {
  const bounded = columns.bounded.get(column);
  if (bounded === undefined) return () => UNSURE;
  const tests = [
    ...(least === undefined ? [] : [edgeTest(bounded, least, 1)]),
    ...(most === undefined ? [] : [edgeTest(bounded, most, -1)]),
  ];
  return (position) => {
    // A value that is not a number lies between no bounds.
    return Number.isNaN(bounded.numbers[position]) ? 0 : decided(tests, position);
  };
}

/** Rounding preserves the order of numbers, so only numbers that become equal are undecided. */
function edgeTest({ numbers, exact }: BoundedColumn, edge: string, side: 1 | -1): Test {
  const at = Number(edge);
  const isExact = isExactAsDouble(edge);
  return (position) => {
    const beyond = ((numbers[position] ?? 0) - at) * side;
    // Numbers too large for a double are infinite, and their difference is NaN.
    if (Number.isNaN(beyond)) return UNSURE;
    if (beyond !== 0) return beyond > 0 ? 1 : 0;
    return isExact && exact[position] === 1 ? 1 : UNSURE;
  };
}

/** Positions from `first` up to, but without, `end` have heights in the interval. */
function spanOf({ columns, first }: ChunkRecords, interval: Interval) {
  const start = lowerBound(columns.heights, interval.from - first);
  const end = lowerBound(columns.heights, interval.to + 1 - first);
  return { first: start, end: Math.max(start, end) };
}
