import type { DuckDBConnection, DuckDBDataChunk, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { Fault, shellQuoted, suggestion } from '../../fault.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { withoutBackticks } from './backticks.ts';
import { adviceOn, messageOf, withWarehouse } from './open-warehouse.ts';
import { checkStatement, refusedStatement } from './statement.ts';
import { type Guard, type TimeLimits, withinTime } from './time-limit.ts';

/**
 * Answers too large for memory. The warehouse is opened as for `query` (read-only, locked down to
 * its data root, one SELECT), but read in chunks or written to a file by DuckDB itself.
 */

/** A view by its name, or one SELECT of the analyst's own. */
export type ViewOrSelect = { readonly view: string } | { readonly sql: string };

/** A part of a selection. */
export interface Narrowing {
  /** A condition in SQL over the columns of the selection. */
  readonly where?: string;
  /** Names of columns, in the order of the result; default: all. */
  readonly columns?: readonly string[];
  /** Columns to order rows by; `all` for every column from the left. Default: as selected. */
  readonly order?: readonly string[] | 'all';
  /** Most rows of the result. */
  readonly limit?: number;
}

export interface SelectedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** One SELECT whose columns are known and whose rows have not been read yet. */
export interface PreparedSelect {
  /** Names are unique: of equal ones, the later ones get a numeric suffix. */
  readonly columns: readonly SelectedColumn[];
  /** Rows of these expressions over the selection, in chunks of at most 2,048. */
  read(expressions: string): Promise<Streamed>;
  /** Aggregates over all rows: the values of one row. */
  measure(expressions: string): Promise<readonly DuckDBValue[]>;
  /**
   * Lets DuckDB write them to a new file, one of `files`, and returns how many rows it wrote.
   * `options` are those of COPY.
   */
  copy(expressions: string, file: string, options: string): Promise<number>;
}

export interface Streamed {
  readonly types: readonly DuckDBType[];
  readonly chunks: AsyncIterable<DuckDBDataChunk>;
}

export interface OpenWarehouse {
  /** Names of all views: `transactions`, `lake.transactions` ... */
  views(): Promise<string[]>;
  /** Throws Fault('query') for unknown views and columns, and for SQL that is not one SELECT. */
  select(query: ViewOrSelect, narrowing?: Narrowing): Promise<PreparedSelect>;
}

/**
 * Opens the warehouse once for all selections of `use`, so that they read one version of each
 * table. They may write `files`, or below them. Throws Fault('query') like `query`, and
 * Fault('interrupted') after `stop`.
 */
export async function withSelections<T>(
  warehousePath: string,
  limits: TimeLimits & {
    readonly root?: string;
    readonly files?: readonly string[];
    /** Memory of DuckDB; by default that of `memoryLimitBytes`. */
    readonly memoryBytes?: number;
  },
  use: (warehouse: OpenWarehouse) => Promise<T>,
): Promise<T> {
  const ask = (connection: DuckDBConnection): Promise<T> =>
    withinTime(connection, limits, askedWrongly, (guard) => use(new Reader(connection, guard)));
  return withWarehouse(warehousePath, ask, limits.root, limits.files, limits.memoryBytes);
}

function askedWrongly(error: unknown): Fault {
  // DuckDB would show a line of the statement that wraps the SELECT.
  const message = messageOf(error).split('\n\nLINE ')[0] ?? '';
  return new Fault('query', message, { advice: adviceOn(message), cause: error });
}

class Reader implements OpenWarehouse {
  readonly #connection: DuckDBConnection;
  readonly #guard: Guard;
  #selections = 0;

  constructor(connection: DuckDBConnection, guard: Guard) {
    this.#connection = connection;
    this.#guard = guard;
  }

  async views(): Promise<string[]> {
    const rows = await this.#rows(
      `SELECT if(table_schema = 'main', '', table_schema || '.') || table_name
       FROM information_schema.tables WHERE table_catalog = current_database()
       ORDER BY table_schema <> 'main', table_schema, table_name`,
    );
    return rows.map(([name]) => String(name));
  }

  async select(query: ViewOrSelect, narrowing: Narrowing = {}): Promise<PreparedSelect> {
    const chosen = 'sql' in query ? withoutBackticks(query.sql) : await this.#viewSql(query.view);
    if ('sql' in query) await this.#guard(() => checkStatement(this.#connection, chosen));
    const whole = await this.#define(chosen);
    const source = await this.#narrowed(whole, narrowing);
    const columns = await this.#columnsOf(source);
    const limit = narrowing.limit === undefined ? '' : ` LIMIT ${narrowing.limit}`;
    const order = await this.#orderOf(source, narrowing.order);
    const rows = `(FROM ${source}${order}${limit})`;
    return {
      columns,
      read: (expressions) => this.#read(`SELECT ${expressions} FROM ${rows}`),
      measure: async (expressions) => {
        const [first = []] = await this.#rows(
          `SELECT ${expressions} FROM (FROM ${source}${limit})`,
        );
        return first;
      },
      copy: async (expressions, file, options) => {
        const written = await this.#rows(
          `COPY (SELECT ${expressions} FROM ${rows}) TO ${literal(file)} (${options})`,
        );
        return Number(written[0]?.[0] ?? 0);
      },
    };
  }

  /** Gives a SELECT a name, which is returned. */
  async #define(sql: string): Promise<string> {
    this.#selections += 1;
    // The text stands last and alone in a statement of its own: nothing is spliced around it.
    const view = `windrow_selection_${this.#selections}`;
    const text = `CREATE TEMP VIEW ${view} AS ${sql}`;
    const statements = await this.#connection.extractStatements(text).catch(() => undefined);
    if (statements?.count !== 1) throw refusedStatement('Only a SELECT can be written to a file.');
    await this.#guard(() => this.#connection.run(text));
    return `temp.${view}`;
  }

  /** The selection restricted to some columns, and to the rows that meet a condition. */
  async #narrowed(source: string, { where, columns }: Narrowing): Promise<string> {
    if (where === undefined && columns === undefined) return source;
    const names = columns && (await this.#checkedNames(source, columns)).map(identifier).join(', ');
    // A comment at the end of the condition must not hide the bracket.
    const condition = where === undefined ? '' : ` WHERE (${where}\n)`;
    const sql = withoutBackticks(`SELECT ${names ?? '*'} FROM ${source}${condition}`);
    await this.#guard(() => checkStatement(this.#connection, sql));
    return this.#define(sql);
  }

  async #orderOf(source: string, order: Narrowing['order']): Promise<string> {
    if (order === undefined) return '';
    if (order === 'all') return ' ORDER BY ALL';
    return ` ORDER BY ${(await this.#checkedNames(source, order)).map(identifier).join(', ')}`;
  }

  async #checkedNames(source: string, names: readonly string[]): Promise<readonly string[]> {
    const columns = (await this.#columnsOf(source)).map(({ name }) => name);
    const unknown = names.find((name) => !columns.includes(name));
    if (unknown === undefined) return names;
    throw new Fault('query', `There is no column ${JSON.stringify(unknown)} here.`, {
      advice: suggestion(unknown, columns),
    });
  }

  async #columnsOf(source: string): Promise<readonly SelectedColumn[]> {
    const described = await this.#guard(() => this.#connection.prepare(`FROM ${source}`));
    const columns = Array.from({ length: described.columnCount }, (_, i) => ({
      name: described.columnName(i),
      type: described.columnType(i),
    }));
    described.destroySync();
    return columns;
  }

  async #viewSql(name: string): Promise<string> {
    const views = await this.views();
    const view = [name, `lake.${name}`].find((candidate) => views.includes(candidate));
    if (view !== undefined) return `FROM ${view.split('.').map(identifier).join('.')}`;
    const text = name.endsWith('.sql') ? `"$(cat ${name})"` : shellQuoted(name);
    throw new Fault('query', `The warehouse has no view ${JSON.stringify(name)}.`, {
      advice: /\.sql$|\s/.test(name)
        ? `To export the answer of a query, give its text: --sql ${text} --name NAME.`
        : suggestion(name, views),
    });
  }

  async #read(sql: string): Promise<Streamed> {
    const guard = this.#guard;
    const connection = this.#connection;
    const result = await guard(() => connection.stream(sql));
    async function* chunks(): AsyncGenerator<DuckDBDataChunk> {
      while (true) {
        const chunk = await guard(() => result.fetchChunk());
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk;
      }
    }
    return { types: result.columnTypes(), chunks: chunks() };
  }

  async #rows(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
    return this.#guard(async () => (await this.#connection.runAndReadAll(sql)).getRows());
  }
}
