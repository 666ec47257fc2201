import type { Dataset, Endpoint } from '../catalogue/entry.ts';
import { columnsOf } from '../catalogue/entry.ts';
import { datasets, datasetsOf, endpoints } from '../catalogue/index.ts';
import { CURATED_TABLES } from '../curate/curated-tables.ts';
import { type SqlFile, sqlFiles } from '../curate/rule/sql-files.ts';
import { tableColumns } from '../land/rows/columns.ts';
import type { WarehouseRelation } from './warehouse-relations.ts';

/**
 * Endpoints, datasets and SQL files as plain data: for the verb `describe`, for documents, and as
 * JSON. All of it comes from the catalogue and from the heads of the files in `sql/`.
 * describe-text.ts turns it into text.
 */
export interface Description {
  readonly endpoints: readonly EndpointDescription[];
  readonly datasets: readonly DatasetDescription[];
  readonly views: readonly SqlDescription[];
  /** Views under the names of other sites. */
  readonly familiar: readonly SqlDescription[];
  readonly macros: readonly SqlDescription[];
  readonly checks: readonly SqlDescription[];
  readonly examples: readonly SqlDescription[];
}

export type EndpointDescription = ReturnType<typeof describeEndpoint>;
export type DatasetDescription = ReturnType<typeof describeDataset>;
export type SqlDescription = ReturnType<typeof describeSql>;

/**
 * Describes all endpoints, datasets and files of `sql/`. The types of columns are those of the
 * relations of the empty warehouse, and '' without these.
 */
export async function describeAll(relations: readonly WarehouseRelation[]): Promise<Description> {
  const types = columnTypes(relations);
  const [views, familiar, macros, checks, examples] = await Promise.all(
    (['views', 'familiar', 'macros', 'checks', 'examples'] as const).map(async (folder) =>
      (await sqlFiles(folder)).map((file) => describeSql(file, types)),
    ),
  );
  const curated = (await sqlFiles('curated')).filter(({ name }) => isShown(name, views ?? []));
  return {
    endpoints: endpoints.map(describeEndpoint),
    datasets: datasets.map(describeDataset),
    views: [...(views ?? []), ...curated.map((file) => describeSql(file, types))].sort(byName),
    familiar: familiar ?? [],
    macros: macros ?? [],
    checks: checks ?? [],
    examples: examples ?? [],
  };
}

/** Whether a curated table is a view of its own, and not below one that adds labels to it. */
function isShown(name: string, views: readonly SqlDescription[]): boolean {
  return (
    CURATED_TABLES.some((table) => table.name === name) && !views.some((view) => view.name === name)
  );
}

const byName = (a: SqlDescription, b: SqlDescription): number => (a.name < b.name ? -1 : 1);

/** Types of columns by `view.column`. */
type ColumnTypes = ReadonlyMap<string, string>;

function columnTypes(relations: readonly WarehouseRelation[]): ColumnTypes {
  return new Map(
    relations.flatMap(({ name, columns }) =>
      columns.map((column) => [`${name}.${column.name}`, column.type] as const),
    ),
  );
}

/** A file of `sql/`. Names and texts that it does not have are ''. */
function describeSql(file: SqlFile, types: ColumnTypes) {
  const { name, alias, meaning, example, columns, sql } = file;
  return {
    name,
    alias,
    meaning,
    /** `exact_sum(amount_text)`; '' for anything but macros. */
    signature: new RegExp(`^CREATE MACRO (${name}\\([^)]*\\))`, 'm').exec(sql)?.[1] ?? '',
    example,
    /** Types are those of DuckDB, and '' for the columns of checks and examples. */
    columns: [...columns].map(([column, text]) => {
      return { name: column, type: types.get(`${name}.${column}`) ?? '', meaning: text };
    }),
    sql,
  };
}

function describeDataset({ name, axis, summary, identity }: Dataset) {
  return {
    name,
    axis,
    summary,
    /** Columns that identify a record; empty if equal records are all kept. */
    identity,
    columns: tableColumns(name),
    fedBy: endpoints.filter((entry) => datasetsOf(entry).includes(name)).map(({ path }) => path),
  };
}

function describeEndpoint(entry: Endpoint) {
  const { path, method, axis, summary, list } = entry;
  return {
    path,
    method,
    axis,
    summary,
    list,
    datasets: datasetsOf(entry),
    params: entry.params.map((param) => ({
      name: param.name,
      type: param.type,
      required: param.required,
      role: param.role,
      meaning: param.meaning,
      /** The allowed values; empty if every value is allowed. */
      values: param.values ?? [],
      default: param.default,
    })),
    limits: limitsOf(entry),
    fields: entry.fields.map((field) => ({
      wire: field.wire,
      aliases: field.aliases,
      /** Columns that it lands in. */
      columns: columnsOf(field).map((column) => column.name),
      kind: field.kind.name,
      unit: field.unit,
      volatile: field.volatile === true,
      meaning: field.meaning,
    })),
    contradictions: entry.contradictions ?? [],
  };
}

/** Limits of requests, one sentence each. */
function limitsOf({ params, limits }: Endpoint): string[] {
  const keys = params.find((param) => param.role === 'keys');
  const sentences: [limit: number | undefined, sentence: (limit: string) => string][] = [
    [limits.blockSpan, (n) => `At most ${n} blocks between the first and the last one asked.`],
    [limits.depthBlocks, (n) => `Only about the newest ${n} blocks.`],
    [limits.depthRecords, (n) => `At most ${n} records, by definition.`],
    [limits.depthYears, (n) => `At most ${n} year before the newest record of the key.`],
    [
      keys?.role === 'keys' ? keys.max : undefined,
      (n) => (n === '1' ? 'One key a request.' : `At most ${n} keys a request.`),
    ],
  ];
  const { pageSize } = limits;
  const said = sentences.flatMap(([limit, sentence]) =>
    limit === undefined ? [] : [sentence(limit.toLocaleString('en'))],
  );
  if (pageSize === undefined) return said;
  return [`Pages of at most ${pageSize.max} records, ${pageSize.default} by default.`, ...said];
}
