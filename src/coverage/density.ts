/** Totals of one list over all commits. */
export interface Density {
  readonly rows: number;
  /** Keys x blocks of the intervals with these rows. */
  readonly keyBlocks: number;
  /** Bytes of Parquet per row. */
  readonly bytesPerRow: number;
  /** Totals of all walks, including repeated ones. */
  readonly walked: WalkTotals;
}

export interface WalkTotals {
  readonly slices: number;
  readonly requests: number;
  /** Keys x blocks of these slices. */
  readonly keyBlocks: number;
}

/** Densities by `listKey`, for lists with at least one commit. */
export type Densities = ReadonlyMap<string, Density>;
