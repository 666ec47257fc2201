import type { Endpoint, Limits } from '../catalogue/entry.ts';
import { columnsOf } from '../catalogue/entry.ts';
import { datasets, datasetsOf, endpoints } from '../catalogue/index.ts';
import { CURATED_TABLES } from '../curate/curated-tables.ts';
import { type SqlFile, sqlFiles } from '../curate/rule/sql-files.ts';
import { tableColumns } from '../land/rows/columns.ts';
import type { WarehouseRelation } from './warehouse-relations.ts';

/**
 * Endpoints, datasets and SQL files as plain data: for the verb `describe`, for documents, and as
 * JSON. All of it comes from the catalogue and from the heads of the files in `sql/`.
 * `descriptionText` in describe-text.ts turns it into text.
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

export interface EndpointDescription {
  readonly path: string;
  readonly method: string;
  /** Axis of its heights: `primary` or `zone`. */
  readonly axis: string;
  readonly summary: string;
  /** How its list behaves: ranged, positional, by-key, snapshot or submission. */
  readonly list: string;
  readonly datasets: readonly string[];
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    /** Its role for windrow. */
    readonly role: string;
    readonly meaning: string;
    /** The allowed values; empty if every value is allowed. */
    readonly values: readonly string[];
    readonly default: string | undefined;
  }[];
  /** One sentence each. */
  readonly limits: readonly string[];
  readonly fields: readonly {
    /** Name in the interface. */
    readonly wire: string;
    readonly aliases: readonly string[];
    /** Columns it lands in. */
    readonly columns: readonly string[];
    readonly kind: string;
    readonly unit: string | undefined;
    /** May change later, so comparisons skip it. */
    readonly volatile: boolean;
    readonly meaning: string;
  }[];
  /** Contradictions and ambiguities of the interface, and how windrow treats them. */
  readonly contradictions: readonly string[];
}

export interface DatasetDescription {
  readonly name: string;
  readonly axis: string;
  readonly summary: string;
  /** Columns that identify a record; empty if equal records are all kept. */
  readonly identity: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** The meaning, with the unit in brackets. */
    readonly comment: string;
    readonly volatile: boolean;
  }[];
  /** Paths of the endpoints that feed it. */
  readonly fedBy: readonly string[];
}

/** A file of `sql/`. */
export interface SqlDescription {
  readonly name: string;
  /** Another name of the view; '' if there is none. */
  readonly alias: string;
  readonly meaning: string;
  /** `exact_sum(amount_text)`; '' for anything but macros. */
  readonly signature: string;
  /** A query; '' if there is none. */
  readonly example: string;
  /** Types are those of DuckDB, and '' for the columns of checks and examples. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly meaning: string;
  }[];
  /** The whole file. */
  readonly sql: string;
}

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
    datasets: datasets.map(({ name, axis, summary, identity }) => ({
      name,
      axis,
      summary,
      identity,
      columns: tableColumns(name),
      fedBy: endpoints.filter((each) => datasetsOf(each).includes(name)).map(({ path }) => path),
    })),
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

function byName(a: SqlDescription, b: SqlDescription): number {
  return a.name < b.name ? -1 : 1;
}

/** Types of columns by `view.column`. */
type ColumnTypes = ReadonlyMap<string, string>;

function columnTypes(relations: readonly WarehouseRelation[]): ColumnTypes {
  return new Map(
    relations.flatMap(({ name, columns }) =>
      columns.map((column) => [`${name}.${column.name}`, column.type] as const),
    ),
  );
}

function describeSql(file: SqlFile, types: ColumnTypes): SqlDescription {
  const { name, alias, meaning, example, columns, sql } = file;
  return {
    name,
    alias,
    meaning,
    signature: new RegExp(`^CREATE MACRO (${name}\\([^)]*\\))`, 'm').exec(sql)?.[1] ?? '',
    example,
    columns: [...columns].map(([column, text]) => {
      return { name: column, type: types.get(`${name}.${column}`) ?? '', meaning: text };
    }),
    sql,
  };
}

function describeEndpoint(of: Endpoint): EndpointDescription {
  const { path, method, axis, summary, list } = of;
  return {
    path,
    method,
    axis,
    summary,
    list,
    datasets: datasetsOf(of),
    params: of.params.map((param) => ({
      name: param.name,
      type: param.type,
      required: param.required,
      role: param.role,
      meaning: param.meaning,
      values: param.values ?? [],
      default: param.default,
    })),
    limits: limitsOf(of),
    fields: of.fields.map((field) => ({
      wire: field.wire,
      aliases: field.aliases,
      columns: columnsOf(field).map((column) => column.name),
      kind: field.kind.name,
      unit: field.unit,
      volatile: field.volatile === true,
      meaning: field.meaning,
    })),
    contradictions: of.contradictions ?? [],
  };
}

function limitsOf(of: Endpoint): string[] {
  const keys = of.params.find((param) => param.role === 'keys');
  const sentences: [limit: number | undefined, sentence: (limit: string) => string][] = [
    [of.limits.blockSpan, (n) => `At most ${n} blocks between the first and the last one asked.`],
    [of.limits.depthBlocks, (n) => `Only about the newest ${n} blocks.`],
    [of.limits.depthRecords, (n) => `At most ${n} records, by definition.`],
    [of.limits.depthYears, (n) => `At most ${n} year before the newest record of the key.`],
    [
      keys?.role === 'keys' ? keys.max : undefined,
      (n) => (n === '1' ? 'One key a request.' : `At most ${n} keys a request.`),
    ],
  ];
  const said = sentences.flatMap(([limit, sentence]) =>
    limit === undefined ? [] : [sentence(limit.toLocaleString('en'))],
  );
  return [...pageLimit(of.limits), ...said];
}

function pageLimit({ pageSize }: Limits): string[] {
  if (pageSize === undefined) return [];
  return [`Pages of at most ${pageSize.max} records, ${pageSize.default} by default.`];
}
