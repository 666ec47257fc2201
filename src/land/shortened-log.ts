/** A table whose log ends before a version that it once had: entries of it, or all, are lost. */
export interface ShortenedLog {
  readonly dataset: string;
  /** Absolute path of the table's folder. */
  readonly folder: string;
  /** The newest version; -1 without entries. */
  readonly newest: number;
  /** The version that the table `coverage` was made from. */
  readonly version: number;
}

/** A sentence about the versions that are missing from the log of the table. */
export function shortenedText({ newest, version }: Pick<ShortenedLog, 'newest' | 'version'>) {
  const ends = newest < 0 ? 'has no entries' : `ends at version ${newest}`;
  return `The log ${ends}, but it once had version ${version}.`;
}
