import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { isWorthCopying } from '../../land/storage/file-growth.ts';

/** A data file of a curated table. */
export interface CuratedFile {
  readonly path: string;
  readonly rows: number | undefined;
  readonly heights: Interval | undefined;
}

/** The older files that are replaced when the rows of a chunk are written. */
export interface ChunkFiles<F> {
  /** Files whose remaining rows go into the file of the chunk. */
  readonly merged: readonly F[];
  /** Files whose remaining rows each get a file of their own. */
  readonly rewritten: readonly F[];
}

/** Rows of a file at most, unless one chunk has more. */
const FILE_ROWS = 1_000_000;

/**
 * Decides which files are replaced when chunks of heights are computed again, chunk by chunk.
 * Files that lose rows are rewritten without these heights. Small neighbours below a chunk are
 * merged with it, so that daily runs leave few files; because files grow with each merge, a row is
 * copied only a logarithmic number of times. Older rows that outnumber the new ones keep a file of
 * their own, which later runs leave alone.
 */
export class FilePlan<F extends CuratedFile> {
  readonly #left: Set<F>;
  readonly #removed: F[] = [];

  constructor(files: Iterable<F>) {
    this.#left = new Set(files);
  }

  /** Files that the commit removes, of all chunks so far. */
  get removed(): readonly F[] {
    return this.#removed;
  }

  /** The files that are left and may have rows of these heights. */
  overlapping(chunk: Interval): F[] {
    return [...this.#left].filter(({ heights }) => !heights || overlaps(heights, chunk));
  }

  /**
   * The files to be replaced together with a chunk that has this many new rows. Large files that
   * lose no rows stay.
   */
  next(
    chunk: Interval,
    newRows: number,
    losesRows: (file: F) => boolean = () => true,
  ): ChunkFiles<F> {
    const merged: F[] = [];
    const rewritten: F[] = [];
    for (const file of this.overlapping(chunk)) {
      const isWhole = isLarge(file, newRows) || newRows === 0;
      if (isWhole && !losesRows(file)) continue;
      this.#take(file);
      (isLarge(file, newRows) ? rewritten : merged).push(file);
    }
    let rows = newRows + merged.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    for (const file of this.#below(chunk)) {
      const size = file.rows ?? FILE_ROWS;
      if (rows === 0 || rows + size > FILE_ROWS || isLarge(file, rows)) break;
      this.#take(file);
      merged.push(file);
      rows += size;
    }
    return { merged, rewritten };
  }

  #take(file: F): void {
    this.#left.delete(file);
    this.#removed.push(file);
  }

  /** Files that end below the chunk, the nearest first. */
  #below(chunk: Interval): F[] {
    return [...this.#left]
      .filter(({ heights }) => heights !== undefined && heights.to < chunk.from)
      .sort((a, b) => (b.heights?.to ?? 0) - (a.heights?.to ?? 0));
  }
}

function isLarge(file: CuratedFile, rows: number): boolean {
  return !isWorthCopying(file.rows ?? FILE_ROWS, rows);
}
