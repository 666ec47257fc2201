import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { datasetNamed } from '../../../src/catalogue/index.ts';
import type { CoverageEntry } from '../../../src/coverage/coverage.ts';
import { curatedFiles } from '../../../src/curate/curate.ts';
import type { Lake } from '../../../src/land/lake.ts';
import type { LookUpsSql } from '../../../src/land/rows/empty-look-ups.ts';
import { Known, type Raw, type Row, type Text } from './known.ts';

/** Reads the tables of a lake as text, as any reader that follows their logs would. */
export class TableReader {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<TableReader> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new TableReader(instance, connection);
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #rows(paths: readonly string[], more = ''): Promise<Row[]> {
    if (paths.length === 0) return [];
    const list = paths.map((path) => `'${path}'`).join(', ');
    const read = await this.#connection.runAndReadAll(
      `SELECT COLUMNS(*)::VARCHAR${more} FROM read_parquet([${list}], union_by_name = true)`,
    );
    return read.getRowObjectsJS() as unknown as Row[];
  }

  /** Look-ups without a record, as entries of coverage. */
  async #emptyLookUps(lookUps: LookUpsSql | undefined): Promise<CoverageEntry[]> {
    if (lookUps === undefined) return [];
    const read = await this.#connection.runAndReadAll(lookUps.sql);
    return read.getRows().map(([endpoint, variant, key, from, to]) => ({
      ...{ endpoint: String(endpoint), variant: String(variant), key: String(key) },
      ...{ from: Number(from), to: Number(to), status: 'complete', reason: '' },
      ...{ head: 0, readAtMs: 0 },
    }));
  }

  /** The rows of every curated table, at its newest version. */
  async curated(lake: Lake): Promise<ReadonlyMap<string, Row[]>> {
    const tables = new Map<string, Row[]>();
    for (const [table, paths] of await curatedFiles(lake)) {
      tables.set(table, await this.#rows(paths));
    }
    return tables;
  }

  /** The rows and the coverage of all raw tables. */
  async raw(lake: Lake): Promise<Known> {
    const raw: Raw[] = [];
    const heightColumns: Record<string, string> = {};
    for (const table of await lake.tables()) {
      const snapshot = await table.snapshot();
      const { name } = table.dataset;
      heightColumns[name] = datasetNamed(name).heightColumn;
      const empty = await this.#emptyLookUps(await table.empty?.sql(snapshot));
      // Entries of the coverage override them, height by height.
      const left = empty.flatMap((entry) =>
        Array.from({ length: entry.to - entry.from + 1 }, (_, i) => entry.from + i)
          .map((height) => ({ ...entry, from: height, to: height }))
          .filter((single) => !snapshot.coverage.isKnown(single, single.key, single)),
      );
      raw.push({
        dataset: name,
        rows: await this.#rows(table.paths(snapshot), VALUES),
        coverage: [...snapshot.coverage.entries(), ...left],
      });
    }
    return new Known(raw, heightColumns);
  }
}

/** A hash of a row's values, as a column: it decides between rows of one reading. */
const VALUES = `, lpad(hash(*COLUMNS(lambda c: c !~ '_.*|.*addresses'))::VARCHAR, 20, '0') AS _values`;

/** Columns that rows of a curated table do not share with the model: rounded, or derived. */
const DERIVED = ['amount_double', 'signed_amount', 'signed_double'];

/** How two tables differ: rows that only one of them has, at most a few. */
export function differences(
  table: string,
  actual: readonly Row[],
  expected: readonly Row[],
): string[] {
  const columns = Object.keys(actual[0] ?? {}).filter((column) => !DERIVED.includes(column));
  return multisetDifferences(table, columns, actual, expected);
}

/** The same over every column. */
export function exactDifferences(
  table: string,
  actual: readonly Row[],
  expected: readonly Row[],
): string[] {
  const columns = Object.keys(actual[0] ?? expected[0] ?? {});
  return multisetDifferences(table, columns, actual, expected);
}

function multisetDifferences(
  table: string,
  columns: readonly string[],
  actual: readonly Row[],
  expected: readonly Row[],
): string[] {
  const counts = new Map<string, number>();
  const add = (row: Row, step: number): void => {
    const content = JSON.stringify(columns.map((column): Text => row[column] ?? null));
    counts.set(content, (counts.get(content) ?? 0) + step);
  };
  // Without columns there are no rows, and every expected row is missing.
  if (columns.length === 0 && expected.length > 0) return [`${table}: no rows at all`];
  for (const row of actual) add(row, 1);
  for (const row of expected) add(row, -1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([content, count]) => {
      const cells = JSON.parse(content) as Text[];
      const named = columns.flatMap((column, i) =>
        cells[i] === null ? [] : `${column}=${cells[i]}`,
      );
      return `${table}: ${count > 0 ? 'has' : 'lacks'} ${Math.abs(count)} of ${named.join(' ')}`;
    });
}
