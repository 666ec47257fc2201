import type { ListedRecord } from '../../../catalogue/record-text.ts';
import type { Interval } from '../../../coverage/ranges.ts';

/** A part of the interval with the result of reading it. Parts do not overlap. */
export type Segment =
  | {
      readonly kind: 'whole';
      readonly interval: Interval;
      readonly records: readonly ListedRecord[];
    }
  /** The answer for this part was empty, which alone is no proof. */
  | { readonly kind: 'empty'; readonly interval: Interval; readonly records: readonly [] }
  /** One height whose records may exceed a page; `records` are those shown. */
  | {
      readonly kind: 'overflow';
      readonly interval: Interval;
      /** The page was not full, so only a record cap could have cut it. */
      readonly isDoubt: boolean;
      readonly records: readonly ListedRecord[];
    }
  /** Repeated answers contradicted each other; `records` are those shown. */
  | {
      readonly kind: 'contradictory';
      readonly interval: Interval;
      readonly reason: string;
      readonly records: readonly ListedRecord[];
    };

export function wholeSegment(
  { from, to }: Interval,
  records: readonly ListedRecord[],
): Segment & { readonly kind: 'whole' } {
  return { kind: 'whole', interval: { from, to }, records };
}

export function overflowSegment(
  { from, to }: Interval,
  records: readonly ListedRecord[],
  isDoubt = false,
): Segment {
  return { kind: 'overflow', interval: { from, to }, isDoubt, records };
}

export function emptySegment({ from, to }: Interval): Segment {
  return { kind: 'empty', interval: { from, to }, records: [] };
}

/** Joins adjacent whole segments, in order of height. */
export function joined(segments: readonly Segment[]): Segment[] {
  const sorted = [...segments].sort((a, b) => a.interval.from - b.interval.from);
  const result: { interval: Interval; records: ListedRecord[] }[] = [];
  for (const { interval, records } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && last.interval.to + 1 === interval.from) {
      last.interval = { from: last.interval.from, to: interval.to };
      for (const record of records) last.records.push(record);
    } else result.push({ interval, records: [...records] });
  }
  return result.map((segment) => ({ kind: 'whole', ...segment }));
}
