import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '@duckdb/node-api';
import type { Column } from '../catalogue/entry.ts';
import { datasets, pendingStateOf } from '../catalogue/index.ts';
import { curatedShapes } from '../curate/curate.ts';
import { CURATED_TABLES, type CuratedTable } from '../curate/curated-tables.ts';
import { COVERAGE_VIEW, coverageTables } from '../curate/rule/coverage-tables.ts';
import { tablesTable } from '../curate/rule/lake-tables.ts';
import { PART_MACRO } from '../curate/rule/range-rows.ts';
import { isMacro, ruleSql } from '../curate/rule/rule-sql.ts';
import { inOrderOfUse, type SqlFile, sqlFiles } from '../curate/rule/sql-files.ts';
import { CAPTURED_TABLES, capturedColumns } from '../land/captured-table.ts';
import { COVERAGE_COLUMNS } from '../land/coverage-index.ts';
import { NAME_SHAPES } from '../land/names.ts';
import { QUARANTINE, QUARANTINE_SUMMARY } from '../land/quarantine/quarantine.ts';
import { QUARANTINE_COLUMNS } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { EMPTY_LOOK_UPS } from '../land/rows/empty-look-ups.ts';
import { pendingColumns, pendingName, pendingSummary } from '../land/rows/pending-rows.ts';
import { declared } from '../land/storage/appending.ts';
import { withDatabase } from '../land/storage/connection.ts';
import { ifThere, localDisk } from '../land/storage/disk.ts';
import { columnList, noRowsSql } from '../land/storage/scan.ts';
import { withScratchFile } from '../land/storage/scratch.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { PUBLICATION_TABLE } from './query/publication.ts';
import { hasNamesSql, KNOWN_TABLES } from './tables/known-tables.ts';
import { RUNS_TABLE } from './tables/runs-table.ts';
import { WAITING_TABLE } from './tables/waiting-table.ts';

/**
 * The empty warehouse has all tables, views, macros and comments of the warehouse, and no rows. It
 * depends only on the version of windrow and of DuckDB. DuckDB needs a second to create it, so the
 * build stores it in `dist`, and a publication starts from a copy.
 *
 * Schemas: `main` has the views for users, `curated` the curated tables and `lake` the raw ones, as
 * they are on disk. `dune`, `bigquery`, `etherscan` and the schemas of these sites show the curated
 * tables under the names of these sites (`sql/familiar`). `files` and `curated_files` have the data
 * files of the newest versions, and `known` the coverage that views look up; users need none of
 * these.
 */
export interface EmptyWarehouse {
  /** Another one for every other content. */
  readonly name: string;
  readonly bytes: () => Promise<Uint8Array>;
  /** Views for users: `lake.transactions`, `transactions` ... */
  readonly views: readonly string[];
}

/** The folder of the stored file, from `src/load` as from `dist/load`. */
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The empty warehouse stored in `folder`; it is built if the stored one is of another version. */
export async function emptyWarehouse(folder = DIST): Promise<EmptyWarehouse> {
  const { views, statements, name } = await definition();
  const bytes = async (): Promise<Uint8Array> => {
    const stored = await ifThere(localDisk.readBytes(join(folder, `${name}.duckdb`)));
    return stored ?? build(await statements());
  };
  return { name, views, bytes };
}

/** The empty warehouse, built now, with the path at which `emptyWarehouse` looks for it. */
export async function builtWarehouse(): Promise<{ path: string; bytes: Uint8Array }> {
  const { statements, name } = await definition();
  return { path: join(DIST, `${name}.duckdb`), bytes: await build(await statements()) };
}

/** Names the content, so that a file of another version is never used. */
function nameOf(statements: readonly string[]): string {
  const hash = createHash('sha256').update([version(), ...statements].join('\n'));
  return `empty-warehouse-${hash.digest('hex').slice(0, 16)}`;
}

function build(statements: readonly string[]): Promise<Uint8Array> {
  return withScratchFile(async (path) => {
    await withDatabase(path, async (connection) => {
      await connection.run('BEGIN');
      for (const statement of statements) await connection.run(statement);
      await connection.run('COMMIT; CHECKPOINT');
    });
    return localDisk.readBytes(path);
  });
}

interface Definition {
  /** Names the stored file; another one for every other content. */
  readonly name: string;
  readonly statements: () => Promise<readonly string[]>;
  readonly views: readonly string[];
}

/** The definition, which is read from `sql/` once. */
function definition(): Promise<Definition> {
  memoized ??= readDefinition();
  return memoized;
}

let memoized: Promise<Definition> | undefined;

async function readDefinition(): Promise<Definition> {
  const lake = lakeViews();
  const folders = await Promise.all((['macros', 'views', 'familiar'] as const).map(sqlFiles));
  const files = inOrderOfUse(folders.flat());
  const first = ['CREATE SCHEMA lake; CREATE SCHEMA files; CREATE SCHEMA known'];
  first.push('CREATE SCHEMA curated; CREATE SCHEMA curated_files');
  const named = files.flatMap(namesOf).filter((name) => name.includes('.'));
  const schemas = [...new Set(named.map((name) => name.replace(/\..*/, '')))].sort();
  const familiar = schemas.map((schema) => `CREATE SCHEMA ${schema}`);
  first.push(...familiar, ...tableSql('files.publication', PUBLICATION_TABLE));
  const filled: readonly Table[] = [tablesTable([]), WAITING_TABLE, RUNS_TABLE];
  for (const table of [...coverageTables([]), ...filled])
    first.push(...tableSql(`lake.${table.name}`, table));
  first.push(...lake.flatMap(lakeViewSql), ...coverageSql(), ...knownSql());
  const last = files.flatMap((file) => [file.sql, ...fileComments(file), ...aliasSql(file)]);
  const { queries, macros } = await ruleSql();
  const rule = [...queries.values()].map(({ sql }) => sql);
  const tables = CURATED_TABLES.filter(({ name }) => !files.some((file) => file.name === name));
  const direct = tables.filter(({ file, name }) => file === name);
  return {
    name: nameOf([...first, ...macros, ...rule, ...last]),
    statements: async () => [...first, ...(await curatedSql(direct)), ...last],
    views: [
      ...lake.map(({ name }) => `lake.${name}`),
      ...direct.map(({ name }) => name),
      ...files.filter((file) => !isMacro(file)).flatMap(namesOf),
    ],
  };
}

/**
 * `curated.<table>` over `curated_files.<table>`, which a publication replaces, and the views that
 * show some of these as they are.
 */
async function curatedSql(shown: readonly CuratedTable[]): Promise<string[]> {
  const statements: string[] = [];
  for (const [table, { columns, summary }] of await curatedShapes()) {
    const name = identifier(table.name);
    const view = { comment: summary, columns };
    const all = `SELECT ${columnList(columns)} FROM`;
    statements.push(
      `CREATE VIEW curated_files.${name} AS ${noRowsSql(columns)}`,
      `CREATE VIEW curated.${name} AS ${all} curated_files.${name}`,
      ...comments('VIEW', `curated.${name}`, view),
    );
    if (!shown.includes(table)) continue;
    statements.push(`CREATE VIEW ${name} AS ${all} curated.${name}`);
    statements.push(...comments('VIEW', name, view));
  }
  return statements;
}

interface Commented {
  readonly comment: string;
  readonly columns: readonly { readonly name: string; readonly comment: string }[];
}

interface Table extends Commented {
  readonly name: string;
  readonly columns: readonly Column[];
}

function tableSql(name: string, table: Table): string[] {
  return [`CREATE TABLE ${name} (${declared(table.columns)})`, ...comments('TABLE', name, table)];
}

/** The tables of the lake with data files. */
function lakeViews(): Table[] {
  const rows = datasets.map(({ name, summary }) => {
    return { name, comment: summary, columns: tableColumns(name) };
  });
  const pending = datasets
    .filter(({ name }) => pendingStateOf(name) !== undefined)
    .map(({ name }) => ({
      name: pendingName(name),
      comment: pendingSummary(name),
      columns: pendingColumns(name),
    }));
  const quarantine = { comment: QUARANTINE_SUMMARY, columns: QUARANTINE_COLUMNS };
  const captured = CAPTURED_TABLES.map((shape) => ({ ...shape, columns: capturedColumns(shape) }));
  const others = [EMPTY_LOOK_UPS, ...captured, ...NAME_SHAPES].map(({ name, summary, columns }) => {
    return { name, comment: summary, columns };
  });
  return [...rows, { name: QUARANTINE, ...quarantine }, ...pending, ...others];
}

/** `lake.<name>` over `files.<name>`, which a publication replaces. */
function lakeViewSql(view: Table): string[] {
  const name = identifier(view.name);
  return [
    `CREATE VIEW files.${name} AS ${noRowsSql(view.columns)}`,
    `CREATE VIEW lake.${name} AS SELECT ${columnList(view.columns)} FROM files.${name}`,
    ...comments('VIEW', `lake.${name}`, view),
  ];
}

/** `lake.coverage` over `files.coverage`, which a publication replaces. */
function coverageSql(): string[] {
  const { name, sql } = COVERAGE_VIEW;
  return [
    `CREATE VIEW files.${name} AS ${noRowsSql(COVERAGE_COLUMNS)}`,
    `CREATE VIEW lake.${name} AS ${sql}`,
    ...comments('VIEW', `lake.${name}`, COVERAGE_VIEW),
  ];
}

function knownSql(): string[] {
  const { name: macro, comment, sql } = PART_MACRO;
  const tables = KNOWN_TABLES.flatMap((table) => tableSql(`known.${table.name}`, table));
  const commented = `COMMENT ON MACRO ${macro} IS ${literal(comment)}`;
  return [sql, commented, ...tables, ...hasNamesSql(true)];
}

/** The names of a view: its own, and the one that a site gives it. */
function namesOf({ name, alias }: SqlFile): string[] {
  return alias === '' ? [name] : [name, alias];
}

/** A view by another name, with the comments of the first one. */
function aliasSql(file: SqlFile): string[] {
  if (file.alias === '') return [];
  const view = `CREATE VIEW ${file.alias} AS FROM ${file.name}`;
  return [view, ...fileComments({ ...file, name: file.alias })];
}

function fileComments(file: SqlFile): string[] {
  const { name, sql, meaning } = file;
  if (isMacro(file)) {
    const kind = / AS TABLE\b/.test(sql) ? 'MACRO TABLE' : 'MACRO';
    return [`COMMENT ON ${kind} ${identifier(name)} IS ${literal(meaning)}`];
  }
  const columns = [...file.columns].map(([column, comment]) => ({ name: column, comment }));
  return comments('VIEW', name, { comment: meaning, columns });
}

/** Comments on a view and its columns, which analysts read in the database. */
function comments(kind: 'TABLE' | 'VIEW', id: string, { comment, columns }: Commented): string[] {
  return [
    `COMMENT ON ${kind} ${id} IS ${literal(comment)}`,
    ...columns.map(
      ({ name, comment: text }) =>
        `COMMENT ON COLUMN ${id}.${identifier(name)} IS ${literal(text)}`,
    ),
  ];
}
