/** What a writer of one format says of the file it made. */
export interface Written {
  readonly rows: number;
  /** What readers of the file should know: columns that are text for want of an exact type ... */
  readonly notes: readonly string[];
}
