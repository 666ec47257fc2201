import type { Axis } from '../../catalogue/entry.ts';
import { datasets, endpoints } from '../../catalogue/index.ts';
import { type Interval, normalise } from '../../coverage/ranges.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import { changedSince, heightsOfKeys, withSmallIntervals } from '../../curate/dirty-heights.ts';
import { cutByRows, joinByRows, rowsIn } from '../../curate/heights/chunks.ts';
import type { MadeFrom } from '../../curate/made-from.ts';
import type { RawVersion } from '../../curate/raw-versions.ts';
import { listsTable } from '../../curate/rule/coverage-tables.ts';
import { fillLakeTable } from '../../curate/rule/lake-tables.ts';
import { rangeRowsSql, withinSql } from '../../curate/rule/range-rows.ts';
import { RangeSession } from '../../curate/rule/range-session.ts';
import type { SqlFile } from '../../curate/rule/sql-files.ts';
import { EVERY_HEIGHT } from '../../land/delta/changed-heights.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { noRowsSql } from '../../land/storage/scan.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { compareLists, narrowSuspects, SUSPECTS_SQL } from './suspects.ts';

/**
 * The evidence of checks: rows that the queries of `sql/evidence` find at one height, from its raw
 * rows and their coverage alone. The findings of these checks are a query over the evidence of all
 * heights, so only heights that changed are read again.
 */

export interface EvidenceLimits {
  /** Raw rows that are read at once: the memory of a check grows with them. */
  readonly chunkRows: number;
  /** Changed heights with up to this many raw rows between them are read together; -1: none. */
  readonly gapRows: number;
}

const LIMITS: EvidenceLimits = { chunkRows: 5_000_000, gapRows: 100_000 };

export interface EvidenceOptions {
  readonly axis: Axis;
  /** The raw tables of the axis. */
  readonly raw: readonly RawVersion[];
  /** Files of `sql/evidence`. */
  readonly queries: readonly SqlFile[];
  /** Earlier evidence of the same queries, and the raw versions that it was made from. */
  readonly former?: { readonly path: string; readonly made: MadeFrom } | undefined;
  readonly limits?: EvidenceLimits | undefined;
  readonly spilledTo: string;
  readonly memoryBytes: number;
}

/** A query of `sql/evidence` returns some of these columns after the first two. */
const COLUMNS = `check_name VARCHAR, axis VARCHAR, height BIGINT, dataset VARCHAR,
  endpoint VARCHAR, variant VARCHAR, key VARCHAR, subject VARCHAR, declared BIGINT,
  records BIGINT, examples VARCHAR[], lists VARCHAR[], copies BIGINT[]`;

/** SQL for the evidence of one check in these Parquet files. */
export function evidenceSql(check: string, paths: readonly string[]): string {
  const columns = COLUMNS.split(',').map((column) => column.trim());
  const none = columns.map((column) => {
    const [name, type] = column.split(' ');
    return `NULL::${type} AS ${name}`;
  });
  const parts = paths.map((path) => `SELECT * FROM read_parquet(${literal(path)})`);
  const all = [...parts, `SELECT ${none.join(', ')} WHERE false`].join(' UNION ALL ');
  return `SELECT * EXCLUDE (check_name) FROM (${all}) WHERE check_name = ${literal(check)}`;
}

/** Writes the evidence of one axis as a Parquet file, which must not exist yet. */
export async function writeEvidence(options: EvidenceOptions, path: string): Promise<void> {
  const { raw, queries, former, limits = LIMITS } = options;
  const rule = { macros: [], queries: new Map() };
  const session = await RangeSession.open({ ...options, rule });
  try {
    await prepare(session);
    const { connection } = session;
    if (former !== undefined) {
      await connection.run(`INSERT INTO evidence FROM read_parquet(${literal(former.path)})`);
    }
    const files = raw.flatMap((table) => table.files);
    const isSmall = (interval: Interval) => rowsIn(interval, files) <= limits.gapRows;
    const changed =
      former === undefined ? EVERY_HEIGHT : await dirtyOf(session, raw, former.made, isSmall);
    const dirty = joinByRows(changed, files, limits.gapRows);
    await connection.run(`DELETE FROM evidence WHERE ${withinSql('height', dirty)}`);
    for (const chunk of cutByRows(dirty, files, limits.chunkRows)) {
      await addEvidence(session, queries, chunk);
    }
    await connection.run(
      `COPY (FROM evidence ORDER BY ALL) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
    );
  } finally {
    session.close();
  }
}

/** Adds the evidence of a chunk of heights. Its coverage is read only if a query needs it. */
async function addEvidence(
  session: RangeSession,
  queries: readonly SqlFile[],
  chunk: Interval,
): Promise<void> {
  await session.enterBare(chunk);
  const isOfLists = ({ sql }: SqlFile): boolean => sql.includes('known.suspects_of');
  const suspects = queries.some(isOfLists) ? await compareLists(session, chunk) : 0;
  const wanted = queries.filter((query) => !isOfLists(query) || suspects > 0);
  if (wanted.some(({ sql }) => sql.includes('known.'))) await session.enter([chunk]);
  if (suspects > 0) await narrowSuspects(session, chunk);
  for (const { name, sql } of wanted) {
    await session.connection.run(
      `INSERT INTO evidence BY NAME
       SELECT ${literal(name)} AS check_name, ${literal(session.axis)} AS axis, *
       FROM (${sql.trim().replace(/;$/, '')})`,
    );
  }
}

/** Creates the tables and views that queries of evidence read, other than the rows of a range. */
async function prepare(session: RangeSession): Promise<void> {
  const { connection, axis } = session;
  const lists = listsTable(session.lists);
  const columns = lists.columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  await connection.run(
    `CREATE TABLE evidence (${COLUMNS}); CREATE TABLE lake.lists (${columns}); ${SUSPECTS_SQL}`,
  );
  await fillLakeTable(connection, lists);
  // Odd values are in `extra` under the names of their fields.
  const fields = endpoints.flatMap(({ path, fields: own }) => {
    return own.flatMap(({ wire, aliases, column }) => {
      return [wire, ...aliases].map((name) => `(${[path, name, column].map(literal).join(', ')})`);
    });
  });
  await connection.run(
    `CREATE TABLE bare.fields AS
     FROM (VALUES ${fields.join(', ')}) AS fields (endpoint, name, column_name)`,
  );
  // Queries name the datasets of both axes, whose heights are unrelated.
  for (const { name, axis: own } of datasets) {
    if (own === axis) continue;
    const rowsSql = noRowsSql(tableColumns(name));
    const none = rangeRowsSql(name, [{ traits: undefined, rowsSql, hasSeveral: false }]);
    for (const schema of ['known', 'bare']) {
      await connection.run(`CREATE VIEW ${schema}.${identifier(name)} AS ${none}`);
    }
  }
}

/** The heights whose evidence may differ since it was made from these versions. */
async function dirtyOf(
  session: RangeSession,
  raw: readonly RawVersion[],
  made: MadeFrom,
  isSmall: (interval: Interval) => boolean,
): Promise<Interval[]> {
  const { heights, keyed } = withSmallIntervals(await changedSince(raw, [made]), isSmall);
  for (const table of CURATED_TABLES) {
    if (table.axis === session.axis) await session.addStored(table.name, []);
  }
  const named = await heightsOfKeys(session, keyed);
  // Rows that a later reading removed are not there any more, but their evidence is.
  const left = await session.connection.runAndReadAll(
    `SELECT DISTINCT height FROM evidence WHERE ${withinSql('height', normalise(keyed))}`,
  );
  const former = left.getRows().map(([height]) => ({ from: Number(height), to: Number(height) }));
  return normalise([...heights, ...named, ...former]);
}
