import type { DuckDBConnection } from '@duckdb/node-api';
import { endpoints, paramOf } from '../../catalogue/index.ts';
import { EMPTY_LOOK_UPS } from '../../land/rows/empty-look-ups.ts';
import { withDatabase } from '../../land/storage/connection.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { withScratchFile } from '../../land/storage/scratch.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { emptyWarehouse } from '../empty-warehouse.ts';
import { RECONCILED } from '../tables/known-tables.ts';
import { DIALECTS, type Dialect, filledIn, textLiteral } from './dialects.ts';
import { type Macro, QueryPrinter, type Tree, Unsayable } from './query-printer.ts';

/** A Delta table with rows, by the relation of the warehouse that shows it. */
export interface DeltaPlace {
  readonly schema: 'curated' | 'lake' | 'files';
  readonly name: string;
  /** Name of the folder of its chain. */
  readonly chain: string;
  /** Absolute path or URL. */
  readonly place: string;
}

export interface EngineScript {
  readonly statements: readonly string[];
  /** Views of the warehouse that the engine has no SQL for, with the reason. */
  readonly absent: ReadonlyMap<string, string>;
}

/** The relations and macros of the warehouse, as DuckDB's parser reads them. */
interface Definitions {
  /** The query that fills `known.reconciled`. */
  readonly reconciled: Tree;
  /** Names and types. */
  readonly columns: ReadonlyMap<string, readonly (readonly [string, string])[]>;
  readonly views: ReadonlyMap<string, Tree>;
  readonly macros: ReadonlyMap<string, Macro>;
}

/**
 * Statements that register the tables with an engine and define the views of the warehouse over
 * them. Tables of the warehouse without a Delta table have no rows there.
 */
export async function engineScript(
  engine: keyof typeof DIALECTS,
  places: readonly DeltaPlace[],
): Promise<EngineScript> {
  const dialect: Dialect = DIALECTS[engine];
  const { reconciled, columns, views, macros } = await definitions();
  const quoted = (name: string): string => `${dialect.quote}${name}${dialect.quote}`;
  const nameOf = (relation: string): string =>
    `${quoted(schemaOf(relation))}.${quoted(relation.split('.').at(-1) ?? '')}`;
  const statements: string[] = [];
  const present = new Map<string, readonly string[]>();
  const define = (relation: string, query: string): void => {
    statements.push(`CREATE OR REPLACE VIEW ${nameOf(relation)} AS ${query};`);
  };
  for (const schema of new Set([...columns.keys(), FOLLOWED].map(schemaOf))) {
    statements.push(`CREATE ${dialect.database} IF NOT EXISTS ${quoted(schema)};`);
  }
  const isTable = (view: string): boolean =>
    /^(curated|lake|files)\./.test(view) && view !== 'lake.coverage';
  for (const relation of [...views.keys()].filter(isTable)) {
    const names = (columns.get(relation) ?? []).map(([name]) => name);
    present.set(relation, names);
    const stored = places.filter((place) => relationOf(place) === relation);
    const list = names.map(quoted).join(', ');
    const selects = stored.map(({ schema, name, chain, place }) => {
      const table = stored.length === 1 ? relation : `${schema}.${name}_${chain.toLowerCase()}`;
      statements.push(`${dialect.table(nameOf(table), textLiteral(dialect, place))};`);
      return `SELECT ${list} FROM ${nameOf(table)}`;
    });
    if (selects.length > 1) define(relation, selects.join(' UNION ALL '));
    if (selects.length === 0) define(relation, noRows(dialect, columns.get(relation) ?? []));
  }
  const kinds = endpoints.filter((entry) => paramOf(entry, 'keys')?.keyKind === 'address');
  const paths = kinds.map(({ path }) => textLiteral(dialect, path)).join(', ');
  const key = quoted('key');
  const followed = `endpoint IN (${paths}) AND ${key} <> '' GROUP BY ${key}`;
  define(FOLLOWED, `SELECT ${key} AS address FROM ${nameOf(COVERAGE)} WHERE ${followed}`);
  present.set(FOLLOWED, ['address']);
  const absent = new Map<string, string>();
  const printer = { dialect, macros, columns: present };
  const named = (relation: string): string => {
    if (present.has(relation)) return nameOf(relation);
    const why = absent.has(relation) ? 'is absent, too' : 'is a table of the warehouse alone';
    throw new Unsayable(`It reads ${relation}, which ${why}.`);
  };
  define(
    `known.${RECONCILED.name}`,
    new QueryPrinter({ ...printer, nameOf: named }).query(reconciled),
  );
  present.set(`known.${RECONCILED.name}`, []);
  const left = [...views].filter(([view]) => !isTable(view));
  // Every pass defines the views over those before it; the last one defines none.
  for (let before = -1; before !== present.size; ) {
    before = present.size;
    for (const [view, tree] of left.filter(([name]) => !present.has(name))) {
      try {
        define(view, new QueryPrinter({ ...printer, nameOf: named }).query(tree));
        const list = columns.get(view) ?? [];
        present.set(
          view,
          list.map(([name]) => name),
        );
        absent.delete(view);
      } catch (error) {
        if (!(error instanceof Unsayable)) throw error;
        absent.set(view, error.message);
      }
    }
  }
  return { statements, absent };
}

/** The look-ups without a record of all datasets are one relation. */
function relationOf({ schema, name }: DeltaPlace): string {
  const isOfLookUps = name.startsWith(`${EMPTY_LOOK_UPS.name}_`);
  return `${schema}.${isOfLookUps ? EMPTY_LOOK_UPS.name : name}`;
}

/** The coverage tables as they are on disk: `lake.coverage` also has facts of the lists. */
const COVERAGE = 'files.coverage';
const FOLLOWED = 'known.followed';

function noRows(dialect: Dialect, columns: readonly (readonly [string, string])[]): string {
  const values = columns.map(([name, type]) => {
    const [, id = type, size = ''] = /^(DECIMAL)(\(.*\))$/.exec(type) ?? [];
    const cast = filledIn(dialect.cast, ['NULL', `${dialect.types[id] ?? type}${size}`]);
    const value = type === 'VARCHAR[]' ? dialect.noList : cast;
    return `${value} AS ${dialect.quote}${name}${dialect.quote}`;
  });
  return `SELECT ${values.join(', ')} WHERE 1 = 0`;
}

/** The schema of a relation there: `windrow` for the views of `main`, else `windrow_<schema>`. */
function schemaOf(relation: string): string {
  return ['windrow', ...relation.split('.').slice(0, -1)].join('_');
}

/** Reads the empty warehouse. */
async function definitions(): Promise<Definitions> {
  const { bytes } = await emptyWarehouse();
  return withScratchFile(async (path) => {
    await localDisk.write(path, await bytes());
    const read = async (connection: DuckDBConnection): Promise<Definitions> => {
      const rowsOf = async (sql: string): Promise<string[][]> => {
        const rows = (await connection.runAndReadAll(sql)).getRowsJson();
        return rows.map((row) => row.map(String));
      };
      const isShown = `NOT internal AND (schema_name NOT IN ('files', 'curated_files', 'known')
        OR (schema_name = 'files' AND contains(sql, 'VIEW files.coverage ')))`;
      const views = await rowsOf(
        `SELECT if(schema_name = 'main', '', schema_name || '.') || view_name,
           json_serialize_sql(regexp_replace(sql, '^CREATE VIEW .*? AS ', '', 's')),
           (SELECT list([column_name, data_type] ORDER BY column_index)
            FROM duckdb_columns() AS c WHERE c.table_oid = v.view_oid)::JSON
         FROM duckdb_views() AS v WHERE ${isShown} ORDER BY view_oid`,
      );
      const macros = await rowsOf(
        `SELECT function_name, array_to_string(parameters, ','),
           json_serialize_sql('SELECT ' || macro_definition)
         FROM duckdb_functions() WHERE NOT internal AND function_type = 'macro'`,
      );
      const [[query = ''] = []] = await rowsOf(
        `SELECT json_serialize_sql(${literal(RECONCILED.rowsSql)})`,
      );
      return {
        reconciled: parsed(query),
        views: new Map(views.map(([name = '', text = '']) => [name, parsed(text)])),
        columns: new Map(
          views.map(([name = '', , list = '']) => [name, JSON.parse(list) as [string, string][]]),
        ),
        macros: new Map(
          macros.map(([name = '', parameters = '', text = '']) => {
            const [body] = parsed(text)['select_list'] as [Tree];
            return [name, { parameters: parameters.match(/\w+/g) ?? [], body }];
          }),
        ),
      };
    };
    return withDatabase(path, read, { access_mode: 'READ_ONLY' });
  });
}

function parsed(text: string): Tree {
  return (JSON.parse(text) as { statements: [{ node: Tree }] }).statements[0].node;
}
