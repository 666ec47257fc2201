import type { WireRecord } from '../../catalogue/record.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { heightOf, textOf } from '../walk/wire.ts';

/** What the first page of a list tells of all of it. */

export interface FirstPage {
  readonly slice: Slice;
  readonly records: readonly WireRecord[];
  /** Records of the whole slice, as far as the page tells. */
  readonly count: number;
  /** Pages of the whole list; 1 where it does not count them. */
  readonly pages: number;
}

/**
 * The records of first pages that begin with the newest, down to the height that all of them reach.
 */
export function ofSameBlocks(pages: readonly FirstPage[]): FirstPage[] {
  const heightsOf = ({ slice, records }: FirstPage): number[] =>
    records.map((record) => heightOf(slice.list.entry, record) ?? 0);
  const cut = pages.filter((page) => page.pages > 1);
  const lowest = Math.max(0, ...cut.map((page) => Math.min(...heightsOf(page))));
  return pages.map((page) => {
    const heights = heightsOf(page);
    return { ...page, records: page.records.filter((_, i) => (heights[i] ?? 0) >= lowest) };
  });
}

/** The last of several pages is half full on average. */
export function toldBy(totalPage: number, limit: number, shown: number): number {
  return totalPage < 2 ? shown : Math.round((totalPage - 0.5) * limit);
}

/** As many for each block as on the page. */
export function atDensity(slice: Slice, records: readonly WireRecord[]): number {
  const entry = slice.list.entry;
  const heights = records
    .map((record) => heightOf(entry, record))
    .filter((height) => height !== undefined);
  if (heights.length === 0) return records.length;
  const blocks = Math.max(...heights) - Math.min(...heights) + 1;
  return Math.round((records.length / blocks) * blocksIn(slice.interval));
}

/** A slice cut into so many equal parts, or fewer where it has not so many blocks. */
export function equalParts(slice: Slice, count: number): Slice[] {
  const { from, to } = slice.interval;
  const size = Math.ceil((to - from + 1) / count);
  return Array.from({ length: Math.ceil((to - from + 1) / size) }, (_, i) => {
    const begin = from + i * size;
    return { ...slice, interval: { from: begin, to: Math.min(to, begin + size - 1) } };
  });
}

/** The keys that stand in a column of the records, but for those that have another one filled. */
export function keysIn(
  pages: readonly FirstPage[],
  column: string,
  without: string | undefined,
): Set<string> {
  const keys = new Set<string>();
  for (const { slice, records } of pages) {
    const entry = slice.list.entry;
    for (const record of records) {
      if (without !== undefined && textOf(entry, record, without) !== undefined) continue;
      const key = textOf(entry, record, column);
      if (key !== undefined) keys.add(key.toLowerCase());
    }
  }
  return keys;
}
