import { openConnection, openDatabase } from '../../land/storage/connection.ts';
import { literal } from '../../land/storage/sql-text.ts';

/** The content that a warehouse was published with, as digests. */
export interface Publication {
  readonly lakeDigest: string;
  readonly runsDigest: string;
}

/** The table of one row that names it. */
export const PUBLICATION_TABLE = {
  name: 'publication',
  comment: 'Digests of the content of this warehouse: a warehouse with other content has others',
  columns: [
    { name: 'lake', type: 'VARCHAR', comment: 'Digest of logs, files, labels and names [sha256]' },
    { name: 'runs', type: 'VARCHAR', comment: 'Digest of the list of runs [sha256]' },
  ],
};

/** SQL that stores it. */
export function publicationSql({ lakeDigest, runsDigest }: Publication): string {
  return `DELETE FROM files.publication;
    INSERT INTO files.publication VALUES (${literal(lakeDigest)}, ${literal(runsDigest)})`;
}

/** Undefined if there is no warehouse, or none that can be read. */
export async function publicationOf(path: string): Promise<Publication | undefined> {
  try {
    const instance = await openDatabase(path, { access_mode: 'READ_ONLY' });
    try {
      const connection = await openConnection(instance);
      const found = await connection.runAndReadAll('SELECT lake, runs FROM files.publication');
      connection.closeSync();
      const [row] = found.getRows();
      return row && { lakeDigest: String(row[0]), runsDigest: String(row[1]) };
    } finally {
      instance.closeSync();
    }
  } catch {
    return undefined;
  }
}
