import { blocksIn, type Interval, normalise, overlaps } from '../../coverage/ranges.ts';

/** A raw data file: its rows are taken to lie evenly between its lowest and its highest height. */
interface CountedFile {
  readonly heights: Interval | undefined;
  readonly rows: number | undefined;
}

/**
 * Cuts intervals into chunks of about `maxRows` rows each. Every height of the intervals is in
 * exactly one chunk. Where rows lie unevenly, chunks have more or fewer rows.
 */
export function cutByRows(
  intervals: readonly Interval[],
  files: readonly CountedFile[],
  maxRows: number,
): Interval[] {
  return normalise(intervals).flatMap((interval) => cutOne(interval, files, maxRows));
}

function cutOne(interval: Interval, files: readonly CountedFile[], maxRows: number): Interval[] {
  const chunks: Interval[] = [];
  let from = interval.from;
  let rows = 0;
  for (const stretch of stretchesOf(interval, files)) {
    // Rows per block are constant in a stretch.
    for (let at = stretch.from; at <= stretch.to; ) {
      const room = Math.floor((maxRows - rows) / stretch.perBlock);
      if (room >= stretch.to - at + 1) {
        rows += (stretch.to - at + 1) * stretch.perBlock;
        break;
      }
      const end = Math.max(at, at + room - 1);
      chunks.push({ from, to: end });
      from = end + 1;
      at = from;
      rows = 0;
    }
  }
  if (from <= interval.to) chunks.push({ from, to: interval.to });
  return chunks;
}

/** Chunks whose rows are computed at once. */
export interface ChunkGroup {
  /** From the first to the last chunk, with the heights between them. */
  readonly whole: Interval;
  readonly chunks: readonly Interval[];
}

/**
 * Groups neighbouring chunks while all heights from the first to the last have at most `maxRows`
 * rows. Computing rows has a fixed cost, and changes are often at many single heights.
 */
export function grouped(
  chunks: readonly Interval[],
  files: readonly CountedFile[],
  maxRows: number,
): ChunkGroup[] {
  const groups: { whole: Interval; chunks: Interval[] }[] = [];
  for (const chunk of chunks) {
    const last = groups.at(-1);
    const joined = { from: last?.whole.from ?? chunk.from, to: chunk.to };
    if (last === undefined || rowsIn(joined, files) > maxRows) {
      groups.push({ whole: chunk, chunks: [chunk] });
    } else {
      last.whole = joined;
      last.chunks.push(chunk);
    }
  }
  return groups;
}

function rowsIn(interval: Interval, files: readonly CountedFile[]): number {
  const stretches = stretchesOf(interval, files);
  return stretches.reduce((sum, each) => sum + blocksIn(each) * each.perBlock, 0);
}

interface Stretch extends Interval {
  readonly perBlock: number;
}

/** The parts of the interval with rows, between the ends of files. */
function stretchesOf(interval: Interval, files: readonly CountedFile[]): Stretch[] {
  const changes = new Map<number, number>();
  const change = (height: number, perBlock: number): void => {
    changes.set(height, (changes.get(height) ?? 0) + perBlock);
  };
  for (const { heights, rows } of files) {
    if (heights === undefined || rows === undefined || !overlaps(heights, interval)) continue;
    const perBlock = rows / blocksIn(heights);
    change(Math.max(heights.from, interval.from), perBlock);
    change(Math.min(heights.to, interval.to) + 1, -perBlock);
  }
  const heights = [...changes.keys()].sort((a, b) => a - b);
  const stretches: Stretch[] = [];
  let perBlock = 0;
  heights.forEach((from, i) => {
    perBlock += changes.get(from) ?? 0;
    const to = (heights[i + 1] ?? from) - 1;
    // Sums of fractions leave a rest close to zero where no file has rows.
    if (to >= from && perBlock > 1e-9) stretches.push({ from, to, perBlock });
  });
  return stretches;
}
