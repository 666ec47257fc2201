import {
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  stepped,
} from '../../../catalogue/decimal.ts';
import type { ListedRecord } from '../../../catalogue/record-text.ts';
import { listOf } from '../../../coverage/list.ts';
import type { Interval } from '../../../coverage/ranges.ts';
import { textOf } from '../record-reader.ts';
import type { Reading } from '../walk.ts';
import { ContradictionError } from './positions.ts';
import { PositionalList } from './walk-positions.ts';

/**
 * Reads lists that exceed the record cap by splitting them by amount.
 *
 * Invariant: the parts together contain exactly the records of the whole. Bounds are inclusive, so
 * two parts are separated by one unit in the last decimal place seen. Counts prove that no amount
 * lies between them or in both: the number of records up to a height does not change while a list
 * grows at its front, and the first pages of a capped list still show it. The counts of the parts
 * must therefore add up to the count of the whole at each height.
 */

export interface ByAmounts {
  readonly records: readonly ListedRecord[];
  /** Set where a single amount exceeds the cap: all records above this height are included. */
  readonly lowest?: number;
  readonly reason: string;
}

/** Most parts, far more than any token needs. */
const MAX_PARTS = 500;
/** Minimum decimal places of the step, tried in turn while the parts do not add up. */
const MORE_DECIMALS = [0, 18, 77];

/** Bounds within those of the slice; a missing end stays as the slice has it. */
interface Bounds {
  readonly least?: Decimal;
  readonly most?: Decimal;
}

/** The list keeps its count, so it cannot return empty when it is read. */
interface Piece {
  readonly bounds: Bounds;
  readonly list: PositionalList;
}

/**
 * The records of an interval of a list that exceeds the cap; undefined where the endpoint has no
 * amount bounds.
 */
export async function collectByAmounts(
  reading: Reading,
  interval: Interval,
  list: PositionalList,
): Promise<ByAmounts | undefined> {
  const { params } = reading.endpoint;
  const least = params.find((param) => param.role === 'at-least');
  const most = params.find((param) => param.role === 'at-most');
  if (least?.role !== 'at-least' || most === undefined) return undefined;
  const { column } = least.column;
  const given = reading.slice.list.filters;
  const records: ListedRecord[] = [];
  let lowest: number | undefined;
  let parts = 0;
  await divide({ bounds: {}, list });
  const reason = 'the service lists only a part of the records of one amount';
  return { records, reason, ...(lowest === undefined ? {} : { lowest }) };

  async function collect(piece: Piece): Promise<void> {
    parts += 1;
    if (parts > MAX_PARTS)
      throw new ContradictionError(`the list has more than ${MAX_PARTS} parts by amount`);
    const whole = await piece.list.collect(interval, false);
    if (whole.kind === 'collected') records.push(...whole.records);
    else await divide(piece);
  }

  async function divide(piece: Piece): Promise<void> {
    const pieces = await split(piece);
    if (pieces !== undefined) {
      for (const each of pieces) await collect(each);
      return;
    }
    const capped = await pieceOf(piece.bounds).list.collect(interval, true);
    records.push(...capped.records);
    lowest = Math.max(lowest ?? 0, capped.lowest);
  }

  /** Parts that are proven to add up; undefined where the list has only one amount. */
  async function split({ list, bounds }: Piece): Promise<readonly Piece[] | undefined> {
    const seen = amountsOf(list.seen);
    const height = heightToCount(list, interval);
    const due = await list.countTo(height);
    if (due === undefined)
      throw new ContradictionError(`the list does not reach down to height ${height}`);
    const places = Math.max(0, ...seen.map(({ scale }) => scale));
    let found = 0;
    for (const more of MORE_DECIMALS) {
      const pieces = piecesOf(bounds, seen, Math.max(places, more))?.map(pieceOf);
      if (pieces === undefined) return undefined;
      const counts = await Promise.all(pieces.map((piece) => piece.list.countTo(height)));
      found = counts.reduce<number>((sum, count) => sum + (count ?? Number.NaN), 0);
      if (found === due) return pieces;
    }
    throw new ContradictionError(
      `the parts by amount have ${found} of ${due} records up to height ${height}`,
    );
  }

  function pieceOf(bounds: Bounds): Piece {
    const { least: low, most: high } = bounds;
    const params = { ...given };
    if (least !== undefined && low !== undefined) params[least.name] = decimalText(low);
    if (most !== undefined && high !== undefined) params[most.name] = decimalText(high);
    const slice = { ...reading.slice, list: listOf(reading.endpoint, params) };
    return { bounds, list: new PositionalList({ ...reading, slice }) };
  }

  /** The distinct amounts of the records, in order. */
  function amountsOf(sample: readonly ListedRecord[]): Decimal[] {
    const texts = new Set(sample.map((record) => textOf(reading.endpoint, record, column) ?? ''));
    const sorted = [...texts].filter((text) => decimalOf(text) !== undefined).sort(compareDecimals);
    return sorted
      .filter((text, i) => i === 0 || compareDecimals(sorted[i - 1] ?? '', text) !== 0)
      .flatMap((text) => decimalOf(text) ?? []);
  }
}

/** A height that the first page of a list shows, and that is final if possible. */
function heightToCount(list: PositionalList, interval: Interval): number {
  const newest = list.newest ?? interval.to;
  return interval.to >= newest ? newest : newest - 1;
}

/**
 * Cuts at the median of the amounts seen. A single amount becomes a part of its own, and cannot be
 * cut once the bounds contain only that amount.
 */
function piecesOf(
  bounds: Bounds,
  seen: readonly Decimal[],
  decimals: number,
): Bounds[] | undefined {
  const cut = seen[(seen.length - 1) >> 1];
  if (cut === undefined) return undefined;
  const above = { ...bounds, least: stepped(cut, 1n, decimals) };
  if (seen.length > 1) return [{ ...bounds, most: cut }, above];
  const { least, most } = bounds;
  const isLeast = least !== undefined && isEqual(least, cut);
  const isMost = most !== undefined && isEqual(most, cut);
  if (isLeast && isMost) return undefined;
  const below = { ...bounds, most: stepped(cut, -1n, decimals) };
  return [...(isLeast ? [] : [below]), { least: cut, most: cut }, ...(isMost ? [] : [above])];
}

function isEqual(a: Decimal, b: Decimal): boolean {
  return decimalText(a) === decimalText(b);
}
