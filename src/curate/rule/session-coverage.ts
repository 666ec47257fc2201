import type { DuckDBConnection } from '@duckdb/node-api';
import { type Axis, column } from '../../catalogue/entry.ts';
import type { CoveragePart } from '../../coverage/coverage.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
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
const MAIN_LOOK_UPS = [text('tx_hash'), number('from_block'), number('to_block')];

/**
 * The coverage of a session as tables: `lake.coverage` (lists without look-ups by hash) and
 * `lake.best` of all heights, and `known.look_ups` of the heights that the session has entered. A
 * lake may have millions of look-ups, so only those of the entered heights become rows.
 */
export class SessionCoverage {
  readonly #connection: DuckDBConnection;
  readonly #lists: readonly ListCoverage[];
  #entered: Interval | undefined;

  constructor(connection: DuckDBConnection, lists: readonly ListCoverage[]) {
    this.#connection = connection;
    this.#lists = lists;
  }

  /** Creates the tables. */
  async begin(): Promise<void> {
    await this.#create('lake', 'coverage', COVERED);
    await this.#create('lake', 'best', BEST);
    await this.#create('known', 'look_ups', COVERED);
    await this.#create('known', 'main_look_ups', MAIN_LOOK_UPS);
    const others = this.#lists.filter((list) => !isOfLookUps(list));
    await this.#fill(
      'lake',
      'coverage',
      COVERED,
      others.flatMap((list) => coveredRows(list)),
    );
    const best = bestOf(this.#lists).map(({ dataset, scope, key, side, entry }) => {
      return [dataset, scope, key, side, ...heightsOf(entry)];
    });
    await this.#fill('lake', 'best', BEST, best);
  }

  /** Makes `known.look_ups` those of one chain at these heights. */
  async enter(axis: Axis, range: Interval): Promise<void> {
    const last = this.#entered;
    if (last !== undefined && last.from === range.from && last.to === range.to) return;
    this.#entered = range;
    const own = this.#lists.filter((list) => isOfLookUps(list) && list.traits.axis === axis);
    await this.#create('known', 'look_ups', COVERED);
    await this.#fill(
      'known',
      'look_ups',
      COVERED,
      own.flatMap((list) => coveredRows(list, range)),
    );
  }

  /** Makes `known.main_look_ups` the complete look-ups of these transactions of a dataset. */
  async enterMainLookUps(dataset: string, hashes: ReadonlySet<string>): Promise<void> {
    await this.#create('known', 'main_look_ups', MAIN_LOOK_UPS);
    if (hashes.size === 0) return;
    const own = this.#lists.filter((list) => isOfLookUps(list) && list.traits.dataset === dataset);
    const rows: LakeTable['rows'][number][] = [];
    for (const group of own.flatMap(({ groups }) => groups)) {
      const complete = group.parts.filter(({ status }) => status === 'complete');
      if (complete.length === 0) continue;
      const asked = group.keys.filter((key) => hashes.has(key));
      if (asked.length === 0) continue;
      for (const { from, to } of complete) rows.push([asked, BigInt(from), BigInt(to)]);
    }
    await this.#fill('known', 'main_look_ups', MAIN_LOOK_UPS, rows, 'tx_hash');
  }

  /** Creates the table, in place of one before: deleted rows would stay in its memory. */
  async #create(schema: string, name: string, columns: LakeTable['columns']): Promise<void> {
    await this.#connection.run(
      `CREATE OR REPLACE TABLE ${schema}.${name} (${columnsSql(columns)})`,
    );
  }

  async #fill(
    schema: string,
    name: string,
    columns: LakeTable['columns'],
    rows: LakeTable['rows'],
    severalIn = columns === COVERED ? 'key' : undefined,
  ): Promise<void> {
    if (rows.length === 0) return;
    const several = severalIn === undefined ? {} : { severalIn };
    await fillLakeTable(this.#connection, { name, columns, rows, ...several }, schema);
  }
}

function columnsSql(columns: LakeTable['columns']): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** One row per group of keys and interval. */
function coveredRows({ traits, groups }: ListCoverage, range?: Interval) {
  const { number: list, dataset, scope, keyKind } = traits;
  const known = [BigInt(list), dataset, scope, keyKind];
  return groups.flatMap((group) => {
    const { parts } = group;
    const own = range === undefined ? parts : parts.filter((part) => overlaps(part, range));
    if (own.length === 0) return [];
    const { keys } = group;
    return own.map((part) => [...known, keys, ...heightsOf(part)]);
  });
}

function heightsOf({ from, to, status }: Pick<CoveragePart, 'from' | 'to' | 'status'>) {
  return [BigInt(from), BigInt(to), BigInt(statusRank(status))];
}
