import { datasetNamed } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { isWithin, partyColumns, valuesIn, valuesNamed } from '../protocol/record-values.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';

/**
 * Records of one dataset, found by height and by key. A record's position is its place in the
 * chain's order. Lists run through the positions backwards, newest first.
 */
export interface RecordIndex {
  /** The positions of the selected records. */
  match(selection: Selection): Matches;
  /** The record at a position of a match. */
  record(position: number): CanonicalRecord;
  /** The newest height, or -1. */
  readonly newest: number;
}

/** Positions in ascending order; with `oncePerKey` a position may occur several times in a row. */
export interface Matches {
  readonly length: number;
  at(index: number): number;
}

/** Positions by key, ascending and distinct. */
type Postings = ReadonlyMap<string, readonly number[]>;

/** Positions `first` to `end`, the last one excluded. */
interface Span {
  readonly first: number;
  readonly end: number;
}

/**
 * An index over records in the order of their heights; a record without a height counts as height
 * 0. A column is indexed on first use; a party is indexed under each of its addresses.
 */
export function recordIndex(dataset: string, records: readonly CanonicalRecord[]): RecordIndex {
  const { heightColumn } = datasetNamed(dataset);
  const heights = Float64Array.from(records, (record) => Number(record[heightColumn] ?? 0));
  const parties = partyColumns(dataset);
  const postingsByColumn = new Map<string, Postings>();

  const record = (position: number): CanonicalRecord => {
    const entry = records[position];
    if (entry === undefined) throw new RangeError(`no record at ${position}`);
    return entry;
  };
  const postings = (column: string): Postings => {
    const cached = postingsByColumn.get(column);
    if (cached !== undefined) return cached;
    const built = postingsOf(records, column, parties.has(column));
    postingsByColumn.set(column, built);
    return built;
  };
  return {
    record,
    newest: heights.at(-1) ?? -1,
    match: ({ interval, keys, filters, bounds, oncePerKey }) => {
      const span = spanOf(heights, interval);
      // The keys are looked up; without keys, the first filter is looked up instead.
      const [first, ...others] = keys === undefined ? filters : [keys, ...filters];
      if (first === undefined && bounds.length === 0) return allOf(span);
      const twice = keys !== undefined && oncePerKey;
      const positions =
        first === undefined ? positionsIn(span) : positionsOf(first, postings, span, twice);
      if (others.length === 0 && bounds.length === 0) return matches(positions);
      return matches(
        positions.filter((position) => {
          const candidate = record(position);
          return (
            others.every((naming) => valuesNamed(candidate, naming, parties) > 0) &&
            bounds.every((bound) => isWithin(candidate, bound))
          );
        }),
      );
    },
  };
}

function matches(positions: readonly number[]): Matches {
  return { length: positions.length, at: (index) => positions[index] ?? -1 };
}

function allOf({ first, end }: Span): Matches {
  return { length: end - first, at: (index) => first + index };
}

function positionsIn({ first, end }: Span): readonly number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** A page of an index, newest first. */
export function pageIn(index: RecordIndex, { offset, count, ...selection }: Query): Found {
  const positions = index.match(selection);
  const records: CanonicalRecord[] = [];
  for (let at = positions.length - 1 - offset; at >= 0 && records.length < count; at -= 1) {
    records.push(index.record(positions.at(at)));
  }
  return { total: positions.length, records };
}

function postingsOf(
  records: readonly CanonicalRecord[],
  column: string,
  isParty: boolean,
): Postings {
  const postings = new Map<string, number[]>();
  records.forEach((record, position) => {
    for (const key of valuesIn(record[column] ?? null, isParty)) {
      const list = postings.get(key);
      if (list === undefined) postings.set(key, [position]);
      else list.push(position);
    }
  });
  return postings;
}

/** Positions that name one of the keys, ascending. */
function positionsOf(
  keys: Naming,
  postings: (column: string) => Postings,
  span: Span,
  oncePerKey: boolean,
): readonly number[] {
  const columns = keys.columns.map(postings);
  const ofKeys: (readonly number[])[] = [];
  for (const value of keys.values) {
    const named: (readonly number[])[] = [];
    for (const column of columns) {
      const positions = within(column.get(value), span);
      if (positions.length > 0) named.push(positions);
    }
    // A record may name the same key in two columns, and still matches that key once.
    if (named.length > 0) ofKeys.push(merged(named, true));
  }
  return merged(ofKeys, !oncePerKey);
}

function within(positions: readonly number[] | undefined, span: Span): readonly number[] {
  if (positions === undefined) return [];
  return positions.slice(lowerBound(positions, span.first), lowerBound(positions, span.end));
}

/** Merges ascending lists; with `distinct`, each position occurs once. */
function merged(lists: readonly (readonly number[])[], distinct: boolean): readonly number[] {
  const [only = [], ...others] = lists;
  if (others.length === 0) return only;
  const sorted = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let length = 0;
  for (const list of lists) {
    sorted.set(list, length);
    length += list.length;
  }
  sorted.sort();
  const wanted = distinct ? sorted.filter((position, at) => position !== sorted[at - 1]) : sorted;
  return Array.from(wanted);
}

function spanOf(heights: Float64Array, interval: Interval): Span {
  const first = lowerBound(heights, interval.from);
  return { first, end: Math.max(first, lowerBound(heights, interval.to + 1)) };
}

/** The index of the first value in an ascending list that is not below `bound`. */
function lowerBound(ascending: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
