/** What earlier commits landed of one list. */
export interface Density {
  readonly rows: number;
  /** Keys x blocks that these rows were found on. */
  readonly keyBlocks: number;
  /** Bytes of Parquet per row. */
  readonly bytesPerRow: number;
  /** What all walks of it took so far, also those that were repeated. */
  readonly walked: Walked;
}

export interface Walked {
  readonly slices: number;
  readonly requests: number;
  /** Keys x blocks of these slices. */
  readonly keyBlocks: number;
}

/** By `listKey`; lists that were never landed are absent. */
export type Densities = ReadonlyMap<string, Density>;
