import type { ListedRecord } from '../../catalogue/record-text.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';

/** Estimates about a whole list from its first page. */

export interface FirstPage {
  readonly slice: Slice;
  readonly records: readonly ListedRecord[];
  /** Records of the whole slice, estimated from the page. */
  readonly count: number;
  /** Pages of the whole list; 1 where the list has no page count. */
  readonly pages: number;
}

/**
 * The records of first pages in newest-first order, limited to the heights that all pages cover.
 */
export function ofSameBlocks(pages: readonly FirstPage[]): FirstPage[] {
  const heightsOf = ({ records }: FirstPage): number[] =>
    records.map((record) => record.height ?? 0);
  const cut = pages.filter((page) => page.pages > 1);
  const lowest = Math.max(0, ...cut.map((page) => Math.min(...heightsOf(page))));
  return pages.map((page) => {
    const heights = heightsOf(page);
    return { ...page, records: page.records.filter((_, i) => (heights[i] ?? 0) >= lowest) };
  });
}

/** Estimated records by the page count: the last of several pages is half full on average. */
export function announcedCount(totalPage: number, limit: number, shown: number): number {
  return totalPage < 2 ? shown : Math.round((totalPage - 0.5) * limit);
}

/** Estimated records of the slice at the density per block of the page. */
export function atDensity(slice: Slice, records: readonly ListedRecord[]): number {
  const heights = records.map((record) => record.height).filter((height) => height !== undefined);
  if (heights.length === 0) return records.length;
  const blocks = Math.max(...heights) - Math.min(...heights) + 1;
  return Math.round((records.length / blocks) * blocksIn(slice.interval));
}

/** The slice cut into `count` equal parts, or fewer where it has fewer blocks. */
export function equalParts(slice: Slice, count: number): Slice[] {
  const { from, to } = slice.interval;
  const size = Math.ceil((to - from + 1) / count);
  return Array.from({ length: Math.ceil((to - from + 1) / size) }, (_, i) => {
    const begin = from + i * size;
    return { ...slice, interval: { from: begin, to: Math.min(to, begin + size - 1) } };
  });
}

/** The keys in a column of the records, except records with a value in the column `without`. */
export function keysIn(
  pages: readonly FirstPage[],
  column: string,
  without: string | undefined,
): Set<string> {
  const keys = new Set<string>();
  for (const { records } of pages) {
    for (const record of records) {
      if (without !== undefined && record.valueIn(without) !== undefined) continue;
      const key = record.valueIn(column);
      if (key !== undefined) keys.add(key.toLowerCase());
    }
  }
  return keys;
}
