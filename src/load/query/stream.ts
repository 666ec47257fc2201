import type { DuckDBConnection, DuckDBDataChunk, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { suggestion } from '../../config/nearest.ts';
import { Fault } from '../../fault.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { messageOf, withWarehouse } from './open-warehouse.ts';
import { checkStatement, refusedStatement } from './statement.ts';
import { type Guard, type TimeLimits, withinTime } from './time-limit.ts';

/**
 * Answers too large for memory. The warehouse is opened as for `query` (read-only, locked down to
 * its data root, one SELECT), but read in chunks or written to a file by DuckDB itself.
 */

/** A view by its name, or one SELECT of the analyst's own. */
export type ViewOrSelect = { readonly view: string } | { readonly sql: string };

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
  /**
   * Lets DuckDB write them to a new file, which must lie under the data root, and returns how many
   * rows it wrote. `options` are those of COPY.
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
  /** Throws Fault('query') for an unknown view, and for SQL that is not one SELECT. */
  select(asked: ViewOrSelect): Promise<PreparedSelect>;
}

/**
 * Opens the warehouse once for all selections of `use`, so that they read one version of each
 * table. Throws Fault('query') like `query`, and Fault('interrupted') after `stop`.
 */
export async function withSelections<T>(
  warehousePath: string,
  limits: TimeLimits & { readonly root?: string },
  use: (warehouse: OpenWarehouse) => Promise<T>,
): Promise<T> {
  const ask = (connection: DuckDBConnection): Promise<T> =>
    withinTime(connection, limits, askedWrongly, (guard) => use(new Reader(connection, guard)));
  return withWarehouse(warehousePath, ask, limits.root);
}

function askedWrongly(error: unknown): Fault {
  // DuckDB would show a line of the statement that wraps the SELECT.
  const message = messageOf(error).split('\n\nLINE ')[0] ?? '';
  return new Fault('query', message, {
    advice:
      'windrow describe lists all views. If files are missing because the data root was moved, ' +
      'or because another program rewrote tables and deleted their older files, run windrow ' +
      'load: it rebuilds the warehouse.',
    cause: error,
  });
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

  async select(asked: ViewOrSelect): Promise<PreparedSelect> {
    const sql = 'sql' in asked ? asked.sql : await this.#viewSql(asked.view);
    if ('sql' in asked) await this.#guard(() => checkStatement(this.#connection, asked.sql));
    this.#selections += 1;
    // The text stands last and alone in a statement of its own: nothing is spliced around it.
    const view = `windrow_selection_${this.#selections}`;
    const text = `CREATE TEMP VIEW ${view} AS ${sql}`;
    const statements = await this.#connection.extractStatements(text).catch(() => undefined);
    if (statements?.count !== 1) throw refusedStatement('Only a SELECT can be written to a file.');
    await this.#guard(() => this.#connection.run(text));
    const source = `temp.${view}`;
    const described = await this.#guard(() => this.#connection.prepare(`FROM ${source}`));
    const columns = Array.from({ length: described.columnCount }, (_, i) => ({
      name: described.columnName(i),
      type: described.columnType(i),
    }));
    described.destroySync();
    return {
      columns,
      read: (expressions) => this.#read(`SELECT ${expressions} FROM ${source}`),
      copy: async (expressions, file, options) => {
        const rows = await this.#rows(
          `COPY (SELECT ${expressions} FROM ${source}) TO ${literal(file)} (${options})`,
        );
        return Number(rows[0]?.[0] ?? 0);
      },
    };
  }

  async #viewSql(name: string): Promise<string> {
    const known = await this.views();
    const found = [name, `lake.${name}`].find((each) => known.includes(each));
    if (found !== undefined) return `FROM ${found.split('.').map(identifier).join('.')}`;
    throw new Fault('query', `The warehouse has no view ${JSON.stringify(name)}.`, {
      advice: suggestion(name, known),
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
