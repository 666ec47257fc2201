/** A file of up to this many times the other rows is merged with them. */
const GROWTH = 2;
/** Files with fewer rows are always merged. */
const FEW_ROWS = 2_000;

/**
 * Whether the rows of a file are worth copying to merge them with so many others. Merged files grow
 * by half or more each time, unless they have few rows, so a row is copied only a logarithmic
 * number of times.
 */
export function isWorthCopying(rows: number, others: number): boolean {
  return rows <= Math.max(FEW_ROWS, GROWTH * others);
}
