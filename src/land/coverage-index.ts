import type { Cell } from '../catalogue/column-kind.ts';
import { column } from '../catalogue/entry.ts';
import type { CoverageEntry, Status } from '../coverage/coverage.ts';
import {
  type CoverageChange,
  type CoveredTable,
  changesSince,
  statesOf,
  versionsIn,
  wholeCoverage,
} from './coverage-changes.ts';
import type { DataFile } from './delta/actions.ts';
import type { Snapshot } from './delta/fold.ts';
import { ledger } from './delta/ledger.ts';
import type { FileCopy, PreparedCommit } from './delta/prepared-commit.ts';
import { type StorageSettings, StoredTable, type TableShape } from './delta/stored-table.ts';
import type { DeltaTable } from './rows/table.ts';
import { fileDamage } from './storage/damage.ts';
import { isWorthCopying } from './storage/file-growth.ts';
import { readRows } from './storage/read-rows.ts';
import { literal } from './storage/sql-text.ts';

/** Name of the table's folder. */
export const COVERAGE = 'coverage';

export const COVERAGE_COLUMNS = [
  column('dataset', 'VARCHAR', 'Dataset its records are in'),
  column('endpoint', 'VARCHAR', 'Endpoint of the list'),
  column('variant', 'VARCHAR', 'Filters of the request, or empty'),
  column('key', 'VARCHAR', 'Requested address, token or transaction; empty for lists without keys'),
  column('from_block', 'BIGINT', 'First height of the interval'),
  column('to_block', 'BIGINT', 'Last height of the interval, included'),
  column(
    'status',
    'VARCHAR',
    'complete, provisional, truncated, depth_limited, inconsistent or failed',
  ),
  column('reason', 'VARCHAR', 'Why it is not complete, or empty'),
  column('head', 'BIGINT', 'Head of the chain when it was read'),
  column('read_at', 'TIMESTAMPTZ', 'When it was read'),
];

const SHAPE: TableShape = {
  name: COVERAGE,
  summary: 'Coverage of every list, key and interval, derived from the logs of the tables',
  columns: COVERAGE_COLUMNS,
  heightColumn: 'from_block',
  sortedBy: ['dataset', 'endpoint', 'variant', 'key'],
  isBySource: false,
};

/** Rows of a file, and those of them that are to be replaced. */
interface Counts {
  readonly rows: number;
  readonly stale: number;
}

/** The coverage of one dataset's table in the index. */
export interface IndexedCoverage {
  /** Version of the dataset's table from which the index was made. */
  readonly version: number;
  readonly entries: readonly CoverageEntry[];
}

/**
 * The coverage of one chain's tables as a Delta table that any engine can query. It is derived from
 * the logs of these tables and records the versions it was made from.
 */
export class CoverageIndex {
  readonly #settings: StorageSettings;
  readonly stored: StoredTable;

  constructor(settings: StorageSettings) {
    this.#settings = settings;
    this.stored = new StoredTable(settings, SHAPE);
  }

  /** The coverage of a dataset's table; undefined if the index is older than the table. */
  async of(dataset: string): Promise<IndexedCoverage | undefined> {
    const snapshot = await this.stored.snapshot();
    const version = snapshot.transactions.get(dataset);
    if (version === undefined) return undefined;
    const rows = await readRows(
      this.stored.paths(snapshot),
      COVERAGE_COLUMNS,
      `dataset = ${literal(dataset)}`,
    );
    return { version, entries: rows.map(entryOf) };
  }

  /**
   * The versions that the table was made from, by dataset, where the dataset's table is older now
   * or has gone. A table that was moved away and fetched again is another one.
   */
  async shortened(tables: () => Promise<readonly DeltaTable[]>): Promise<Map<string, number>> {
    // Before the logs: a run may commit in the meantime.
    const { transactions } = await this.stored.snapshot();
    const states = new Map((await statesOf(await tables())).map((state) => [state.name, state]));
    const shortened = new Map<string, number>();
    for (const [dataset, version] of transactions) {
      if (dataset.includes('/') || version < 0) continue;
      const state = states.get(dataset);
      const isSame = state === undefined || transactions.has(state.key);
      if (isSame && (state?.version ?? -1) < version) shortened.set(dataset, version);
    }
    return shortened;
  }

  /**
   * Updates the table from the logs of these tables, and returns its newest version. Writes nothing
   * if it is up to date, and otherwise the entries that may differ. Writes all if `isFull`, or if a
   * file that it would copy is damaged.
   */
  async update(tables: readonly DeltaTable[], isFull = false): Promise<Snapshot> {
    const newest = await this.stored.snapshot();
    if (!isFull && isMadeFrom(newest, versionsIn(await statesOf(tables), newest))) return newest;
    await this.stored.publish('WINDROW COVERAGE', async (snapshot) => {
      const states = await statesOf(tables);
      const versions = versionsIn(states, snapshot);
      const changed = isFull ? undefined : await this.#changed(snapshot, states);
      return { ...(changed ?? this.#whole(snapshot, states)), versions };
    });
    return this.stored.snapshot();
  }

  #whole({ files }: Snapshot, states: readonly CoveredTable[]): PreparedCommit {
    const added = rowsOf(states.map(({ name, coverage }) => wholeCoverage(name, coverage)));
    const removed = [...files.values()];
    const rowsReplaced = removed.reduce((sum, { rows = 0 }) => sum + rows, 0);
    return {
      ledger: ledger(this.#settings.run, {}),
      removed,
      counts: { rowsAdded: added.length, rowsReplaced },
      rows: { added, kept: [] },
    };
  }

  /** Undefined if a file is damaged that it would have to read. */
  async #changed(
    snapshot: Snapshot,
    states: readonly CoveredTable[],
  ): Promise<PreparedCommit | undefined> {
    const changes = await changesSince(snapshot, states);
    const added = rowsOf(changes);
    const condition = changes.map(({ stale }) => `(${stale})`).join(' OR ') || 'false';
    const files = [...snapshot.files.values()];
    const counts = await this.#countsByFile(files, condition);
    if (counts === undefined) return undefined;
    const merged: DataFile[] = [];
    const rewritten: FileCopy[] = [];
    for (const file of files) {
      const { rows, stale } = counts.get(this.stored.pathOf(file)) ?? { rows: 0, stale: 0 };
      if (isWorthCopying(rows - stale, added.length)) merged.push(file);
      else if (stale > 0) {
        rewritten.push({ files: [file], source: undefined, except: { condition, rows: stale } });
      }
    }
    const removed = [...merged, ...rewritten.flatMap((copy) => copy.files)];
    // A damaged row must not be copied: its new file would have a digest of its own.
    if (await this.#isAnyDamaged(removed)) return undefined;
    const rowsReplaced = [...counts.values()].reduce((sum, { stale }) => sum + stale, 0);
    const kept = merged.map((file) => ({ path: this.stored.pathOf(file), except: condition }));
    return {
      ledger: ledger(this.#settings.run, {}),
      removed,
      counts: { rowsAdded: added.length, rowsReplaced },
      rows: { added, kept },
      copies: rewritten,
    };
  }

  async #isAnyDamaged(files: readonly DataFile[]): Promise<boolean> {
    for (const file of files) {
      if ((await fileDamage(this.stored.pathOf(file), file, 'bytes')) !== undefined) return true;
    }
    return false;
  }

  /**
   * Number of all rows, and of those that meet the condition, by the absolute path of their file;
   * undefined if a file cannot be read.
   */
  async #countsByFile(
    files: readonly DataFile[],
    condition: string,
  ): Promise<ReadonlyMap<string, Counts> | undefined> {
    if (files.length === 0) return new Map();
    const paths = files.map((file) => this.stored.pathOf(file));
    try {
      await this.#settings.disk.fetch(paths);
      const counted = await this.#settings.writer.read(
        `SELECT filename, count(*), count(*) FILTER (WHERE ${condition})
         FROM read_parquet([${paths.map(literal).join(', ')}], filename = true) GROUP BY ALL`,
      );
      const countsOf = ([path, rows, stale]: (typeof counted)[number]): [string, Counts] => {
        return [String(path), { rows: Number(rows), stale: Number(stale) }];
      };
      return new Map(counted.map(countsOf));
    } catch {
      return undefined;
    }
  }
}

function rowsOf(changes: readonly CoverageChange[]): Cell[][] {
  return changes.flatMap(({ dataset, entries }) => entries.map((entry) => cellsOf(dataset, entry)));
}

function isMadeFrom({ transactions }: Snapshot, versions: ReadonlyMap<string, number>): boolean {
  return [...versions].every(([name, version]) => transactions.get(name) === version);
}

function cellsOf(dataset: string, entry: CoverageEntry): Cell[] {
  const { endpoint, variant, key, from, to, status, reason, head, readAtMs } = entry;
  const heights = [BigInt(from), BigInt(to)] as const;
  const rest = [status, reason, BigInt(head), BigInt(readAtMs) * 1000n] as const;
  return [dataset, endpoint, variant, key, ...heights, ...rest];
}

function entryOf(cells: readonly Cell[]): CoverageEntry {
  const [, endpoint, variant, key, from, to, status, reason, head, readAt] = cells;
  return {
    endpoint: String(endpoint),
    variant: String(variant),
    key: String(key),
    from: Number(from),
    to: Number(to),
    status: status as Status,
    reason: String(reason),
    head: Number(head),
    readAtMs: Number(readAt) / 1000,
  };
}
