import type { DuckDBConnection } from '@duckdb/node-api';
import { column } from '../../catalogue/entry.ts';
import type { CoveragePart } from '../../coverage/coverage.ts';
import { fillLakeTable, type LakeTable, type TableColumn } from './lake-tables.ts';
import { isOfLookUps, type ListCoverage } from './list-coverage.ts';
import { bestOf, statusRank } from './reach.ts';

const text = (name: string): TableColumn => column(name, 'VARCHAR', '');
const number = (name: string): TableColumn => column(name, 'BIGINT', '');

const COVERED = [
  number('list'),
  ...['dataset', 'scope', 'key_kind', 'key'].map(text),
  ...['from_block', 'to_block', 'status_rank'].map(number),
];
const BEST = [
  ...['dataset', 'scope', 'key', 'side'].map(text),
  ...['from_block', 'to_block', 'status_rank'].map(number),
];

/**
 * The coverage of a session as tables: `lake.coverage` (lists without look-ups by hash),
 * `lake.best`, and `lake.open_look_ups` with the look-ups that are not complete. Complete ones have
 * a row for their hash (`lookUpsSql`).
 */
export class SessionCoverage {
  readonly #connection: DuckDBConnection;
  readonly #lists: readonly ListCoverage[];

  constructor(connection: DuckDBConnection, lists: readonly ListCoverage[]) {
    this.#connection = connection;
    this.#lists = lists;
  }

  /** Creates the tables. */
  async begin(): Promise<void> {
    await this.#create('lake', 'coverage', COVERED);
    await this.#create('lake', 'best', BEST);
    await this.#create('lake', 'open_look_ups', COVERED);
    for (const list of this.#lists) {
      const name = isOfLookUps(list) ? 'open_look_ups' : 'coverage';
      await this.#fill('lake', name, COVERED, coveredRows(list));
    }
    const best = bestOf(this.#lists).map(({ dataset, scope, key, side, entry }) => {
      return [dataset, scope, key, side, ...heightsOf(entry)];
    });
    await this.#fill('lake', 'best', BEST, best);
  }

  async #create(schema: string, name: string, columns: LakeTable['columns']): Promise<void> {
    await this.#connection.run(`CREATE TABLE ${schema}.${name} (${columnsSql(columns)})`);
  }

  async #fill(
    schema: string,
    name: string,
    columns: LakeTable['columns'],
    rows: LakeTable['rows'],
  ): Promise<void> {
    if (rows.length === 0) return;
    const several = columns === COVERED ? { severalIn: 'key' } : {};
    await fillLakeTable(this.#connection, { name, columns, rows, ...several }, schema);
  }
}

function columnsSql(columns: LakeTable['columns']): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** One row per group of keys and interval; of look-ups only those that are not complete. */
function coveredRows(of: ListCoverage) {
  const { number: list, dataset, scope, keyKind } = of.traits;
  const listed = [BigInt(list), dataset, scope, keyKind];
  return of.groups.flatMap((group) => {
    const parts = group.parts.filter(({ status }) => !isOfLookUps(of) || status !== 'complete');
    if (parts.length === 0) return [];
    const { keys } = group;
    return parts.map((part) => [...listed, keys, ...heightsOf(part)]);
  });
}

function heightsOf({ from, to, status }: Pick<CoveragePart, 'from' | 'to' | 'status'>) {
  return [BigInt(from), BigInt(to), BigInt(statusRank(status))];
}
