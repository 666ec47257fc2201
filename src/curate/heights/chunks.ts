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

/** Neighbouring intervals in groups of at most `maxRows` rows, or of one interval. */
export function groupByRows(
  intervals: readonly Interval[],
  files: readonly CountedFile[],
  maxRows: number,
): Interval[][] {
  const groups: Interval[][] = [];
  let room = 0;
  for (const interval of intervals) {
    const rows = rowsIn(interval, files);
    const last = groups.at(-1);
    if (last !== undefined && rows <= room) last.push(interval);
    else {
      groups.push([interval]);
      room = maxRows;
    }
    room -= rows;
  }
  return groups.map(normalise);
}

/** Chunks with fewer rows take longer in sum, and leave small files. */
const LEAST_ROWS = 66_000;

/** Each chunk writes a file per table, and a question opens all files of a table. */
const MOST_CHUNKS = 128;
/** Rows of a chunk, however many chunks that makes. */
const MOST_ROWS = 500_000;

/**
 * The rows of a chunk: at most `maxRows`, or more where that would make more than `MOST_CHUNKS`,
 * and few enough that all sessions get equal work.
 */
export function rowsOfChunk(
  intervals: readonly Interval[],
  files: readonly CountedFile[],
  { sessions, maxRows }: { readonly sessions: number; readonly maxRows: number },
): number {
  const all = normalise(intervals).reduce((sum, interval) => sum + rowsIn(interval, files), 0);
  // A little more than an equal share: the rest that cutting leaves would be a chunk of its own.
  const most = all * 1.05;
  const largest = Math.max(maxRows, Math.min(MOST_ROWS, Math.ceil(most / MOST_CHUNKS)));
  const rounds = Math.max(1, Math.ceil(most / largest / sessions));
  return Math.min(largest, Math.max(LEAST_ROWS, Math.ceil(most / (rounds * sessions))));
}

/** At most `count` intervals that hold all of these: those with the smallest gaps are joined. */
export function joinToCount(intervals: readonly Interval[], count: number): Interval[] {
  const all = normalise(intervals);
  const gaps = all.slice(1).map(({ from }, i) => ({ at: i + 1, size: from - (all[i]?.to ?? 0) }));
  const widest = gaps.sort((a, b) => b.size - a.size).slice(0, count - 1);
  const starts = [0, ...widest.map(({ at }) => at)].sort((a, b) => a - b);
  return starts.flatMap((start, i) => {
    const [first, last] = [all[start], all[(starts[i + 1] ?? all.length) - 1]];
    return first === undefined || last === undefined ? [] : [{ from: first.from, to: last.to }];
  });
}

/** The number of rows at the heights of the interval, as the log tells it. */
export function rowsIn(interval: Interval, files: readonly CountedFile[]): number {
  return stretchesOf(interval, files).reduce((sum, stretch) => {
    return sum + blocksIn(stretch) * stretch.perBlock;
  }, 0);
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
