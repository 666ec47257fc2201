import type { WireRecord } from '../../../catalogue/record.ts';
import type { Interval } from '../../../coverage/ranges.ts';

/** A part of the interval, with what is known of it. Parts do not overlap. */
export type Segment =
  | { readonly kind: 'whole'; readonly interval: Interval; readonly records: readonly WireRecord[] }
  /** The answer for this part was empty, which alone proves nothing. */
  | { readonly kind: 'empty'; readonly interval: Interval; readonly records: readonly [] }
  /** One height whose records do not fit on a page, or may not; these were shown. */
  | {
      readonly kind: 'crowded';
      readonly interval: Interval;
      /** The page was not full: only a record cap could have cut it. */
      readonly isDoubt: boolean;
      readonly records: readonly WireRecord[];
    }
  /** The service kept contradicting itself; these records were shown. */
  | {
      readonly kind: 'contradictory';
      readonly interval: Interval;
      readonly reason: string;
      readonly records: readonly WireRecord[];
    };

export function wholeSegment(
  { from, to }: Interval,
  records: readonly WireRecord[],
): Segment & { readonly kind: 'whole' } {
  return { kind: 'whole', interval: { from, to }, records };
}

export function crowdedSegment(
  { from, to }: Interval,
  records: readonly WireRecord[],
  isDoubt = false,
): Segment {
  return { kind: 'crowded', interval: { from, to }, isDoubt, records };
}

export function emptySegment({ from, to }: Interval): Segment {
  return { kind: 'empty', interval: { from, to }, records: [] };
}

/** Adjacent whole segments as one, in order of height. */
export function joined(segments: readonly Segment[]): Segment[] {
  const sorted = [...segments].sort((a, b) => a.interval.from - b.interval.from);
  const result: { interval: Interval; records: WireRecord[] }[] = [];
  for (const { interval, records } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && last.interval.to + 1 === interval.from) {
      last.interval = { from: last.interval.from, to: interval.to };
      for (const record of records) last.records.push(record);
    } else result.push({ interval, records: [...records] });
  }
  return result.map((each) => ({ kind: 'whole', ...each }));
}
