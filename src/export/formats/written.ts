/** Result of the writer of one format. */
export interface Written {
  readonly rows: number;
  /** Notes for readers of the file: columns that are text for lack of an exact type ... */
  readonly notes: readonly string[];
}
