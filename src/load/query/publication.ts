import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { column } from '../../catalogue/entry.ts';
import { withDatabase } from '../../land/storage/connection.ts';
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
    column('lake', 'VARCHAR', 'Digest of logs, files, labels and names [sha256]'),
    column('runs', 'VARCHAR', 'Digest of the list of runs [sha256]'),
    column('views', 'VARCHAR', 'Digest of its views and macros [sha256]'),
    column('checks', 'VARCHAR', 'Results of the checks, as JSON; NULL if none ran'),
  ],
};

const VIEWS_DIGEST = `(
  SELECT sha256(string_agg(of, chr(10) ORDER BY of)) FROM (
    SELECT concat_ws(' ', schema_name, view_name, sql) AS of
    FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT concat_ws(' ', schema_name, function_name, parameters::VARCHAR, macro_definition)
    FROM duckdb_functions() WHERE NOT internal AND database_name = current_database()))`;

/** SQL that stores it, without a digest of the views and without results of checks. */
export function publicationSql({ lakeDigest, runsDigest }: Publication): string {
  return `DELETE FROM files.publication;
    INSERT INTO files.publication
    VALUES (${literal(lakeDigest)}, ${literal(runsDigest)}, NULL, NULL)`;
}

/** SQL that stores another digest of the list of runs, and leaves the others. */
export function runsDigestSql({ runsDigest }: Pick<Publication, 'runsDigest'>): string {
  return `UPDATE files.publication SET runs = ${literal(runsDigest)}`;
}

/** SQL that stores the results of checks, and the digest of the views where it is missing. */
export function checksSql(results: string): string {
  const views = `coalesce(views, ${VIEWS_DIGEST})`;
  return `UPDATE files.publication SET checks = ${literal(results)}, views = ${views}`;
}

/** The stored results of checks; undefined if none ran over the content of this warehouse. */
export async function checksIn(connection: DuckDBConnection): Promise<string | undefined> {
  const [results = null] =
    (await firstRowIn(connection, 'SELECT checks FROM files.publication')) ?? [];
  return results === null ? undefined : String(results);
}

/**
 * Stores the digest of the views and macros of a warehouse that nothing has open. DuckDB shows the
 * text of a new view in another form until the database is opened again.
 */
export async function keepViewsDigest(path: string): Promise<void> {
  const sql = `UPDATE files.publication SET views = ${VIEWS_DIGEST}; CHECKPOINT`;
  await withDatabase(path, (connection) => connection.run(sql));
}

/** Whether the views or macros of a warehouse differ from those that it was published with. */
export async function hasOtherViews(path: string): Promise<boolean> {
  const differs = `SELECT views <> ${VIEWS_DIGEST} FROM files.publication`;
  return (await firstRow(path, differs))?.[0] === true;
}

/** Undefined if there is no warehouse, or none that can be read. */
export async function publicationOf(path: string): Promise<Publication | undefined> {
  const row = await firstRow(path, 'SELECT lake, runs FROM files.publication');
  return row && { lakeDigest: String(row[0]), runsDigest: String(row[1]) };
}

/** The first row of a query; undefined if the warehouse cannot be read, or has no such table. */
async function firstRow(path: string, sql: string): Promise<DuckDBValue[] | undefined> {
  const read = (connection: DuckDBConnection) => firstRowIn(connection, sql);
  return withDatabase(path, read, { access_mode: 'READ_ONLY' }).catch(() => undefined);
}

async function firstRowIn(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBValue[] | undefined> {
  return connection.runAndReadAll(sql).then(
    (answer) => answer.getRows()[0],
    () => undefined,
  );
}
