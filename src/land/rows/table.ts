import type { Dataset } from '../../catalogue/entry.ts';
import { allLists, datasetsOf } from '../../catalogue/index.ts';
import { type BlockCheckpoint, newCheckpoints } from '../../coverage/checkpoints.ts';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import { isSameList, type List } from '../../coverage/list.ts';
import type { Interval } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Changes } from '../delta/changed-heights.ts';
import type { Snapshot } from '../delta/fold.ts';
import { ledger } from '../delta/ledger.ts';
import type { CommitResult, PreparedCommit } from '../delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from '../delta/stored-table.ts';
import { walkedLists } from '../delta/walked-lists.ts';
import { provisionalFrom, type Removal, recordCount, type Walk } from '../rule/claim.ts';
import { contradicted, type DoubtfulRow } from '../rule/contradicted.ts';
import { type ForgottenKeys, forgottenRows } from '../rule/forgotten-keys.ts';
import { demoted, isForgotten, type Merge, merge, validCheckpoints } from '../rule/merge.ts';
import { withdrawn } from '../rule/withdrawn.ts';
import type { RowsToWrite } from '../storage/parquet.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { tableColumns } from './columns.ts';
import type { Row } from './decode.ts';
import {
  type LandedLookUp,
  landedLookUps,
  type ReadSql,
  withLandedLookUps,
  withOpenedLookUps,
} from './landed-look-ups.ts';
import { canNameSeveralKeys } from './named-keys.ts';
import { type FileToRewrite, goneFrom, mayHoldRows, removalSql } from './removal.ts';
import { SharedRowIndex } from './shared-rows.ts';
import { landingRows } from './text-rows.ts';

/** A walk to be landed, with its lineage. */
export interface LandedWalk extends Walk<Row> {
  readonly slice: string;
  /** Number of requests of the walk. */
  readonly requests: number;
}

export interface TableSettings extends StorageSettings {
  readonly dataset: Dataset;
}

export interface MergeResult extends CommitResult {
  /** Coverage that is inconsistent because two lists differ (`shared-records.ts`). */
  readonly contradicted: readonly CoverageEntry[];
}

const COMMIT = 'WINDROW COMMIT';
const REPAIR = 'WINDROW REPAIR';

/** One dataset's Delta table. Walks land in it by the rule of a commit. */
export class DeltaTable {
  readonly #settings: TableSettings;
  readonly stored: StoredTable;
  readonly #shared: SharedRowIndex;
  readonly #read: ReadSql = (sql, values) => this.#settings.writer.read(sql, values);

  constructor(settings: TableSettings) {
    const { name, summary, heightColumn, sortedBy } = settings.dataset;
    const columns = tableColumns(name);
    const shape = { name, summary, columns, heightColumn, sortedBy, isBySource: true };
    this.#settings = settings;
    this.stored = new StoredTable(settings, shape);
    this.#shared = new SharedRowIndex(settings.writer, (file) => this.stored.pathOf(file));
  }

  get dataset(): Dataset {
    return this.#settings.dataset;
  }

  /** Announces keys of a list, so that files are read once for comparing their shared rows. */
  follow(list: List, keys: readonly string[]): void {
    if (canNameSeveralKeys(list)) this.#shared.follow(list, keys);
  }

  /** The newest version, as a live view: the next `snapshot` or `commit` updates it. */
  snapshot(): Promise<Snapshot> {
    return this.stored.snapshot();
  }

  /** The heights and transactions that versions after `version` changed; call `snapshot` first. */
  changedSince(version: number): Promise<Changes> {
    return this.stored.changedSince(version);
  }

  pathOf(file: DataFile): string {
    return this.stored.pathOf(file);
  }

  paths(snapshot: Pick<Snapshot, 'files'>): string[] {
    return this.stored.paths(snapshot);
  }

  /**
   * Merges walks into the table, in order, by the rule of a commit. When another process commits
   * the version first, merges again into the new state. `checkpoints` are block hashes of the chain
   * that the walks were read from.
   */
  async commit(
    walks: readonly LandedWalk[],
    checkpoints: readonly BlockCheckpoint[] = [],
  ): Promise<MergeResult> {
    let contradicted: readonly CoverageEntry[] = [];
    let inserts: readonly Walk<Row>[] = [];
    const result = await this.stored.publish(COMMIT, async (snapshot) => {
      const merged = await this.#merged(snapshot, walks, checkpoints);
      ({ contradicted, inserts } = merged);
      return merged.prepared;
    });
    this.#shared.landed(result.files, inserts);
    return { ...result, contradicted };
  }

  async #merged(
    snapshot: Snapshot,
    walks: readonly LandedWalk[],
    checkpoints: readonly BlockCheckpoint[],
  ): Promise<MergedWalks> {
    const generation = Math.min(...walks.map(({ claim }) => claim.generation));
    const claims = walks.map(({ claim }) => claim);
    const shared = await this.#shared.read(snapshot, claims);
    const pathOf = this.pathOf.bind(this);
    const coverage = await withLandedLookUps(this.#read, snapshot, pathOf, claims);
    const { reorganisations } = snapshot;
    const merged = merge({ coverage, reorganisations }, walks, shared);
    const toRewrite = await this.#filesToRewrite(snapshot, merged.removals);
    const texts = landingRows(merged.inserts, walks, this.#settings.run);
    const prepared = {
      ledger: ledger(this.#settings.run, {
        coverage: merged.coverage,
        walked: walkedLists(walks),
        checkpoints: newCheckpoints(
          validCheckpoints(checkpoints, generation, snapshot),
          snapshot.blockCheckpoints,
        ),
      }),
      removed: toRewrite.map(({ file }) => file),
      counts: { rowsAdded: recordCount(merged.inserts), rowsReplaced: goneFrom(toRewrite) },
      provisionalFrom: provisionalFrom(walks),
      rows: { added: [], texts, kept: this.#restOf(toRewrite) },
    };
    return { prepared, contradicted: merged.contradicted, inserts: merged.inserts };
  }

  /**
   * Records that the chain changed from `height` on: coverage there becomes inconsistent, and rows
   * of lists by hash are removed.
   */
  async reorganised(height: number): Promise<CommitResult> {
    const { dataset, run } = this.#settings;
    const forgotten = allLists
      .filter((each) => datasetsOf(each).includes(dataset.name) && isForgotten(each.path))
      .map(({ path }) => literal(path));
    const condition =
      `_endpoint IN (${[...forgotten, "''"].join(', ')})` +
      ` AND ${identifier(dataset.heightColumn)} >= ${height}`;
    return this.stored.publish('WINDROW REORGANISATION', async (snapshot) => {
      const toRewrite = await this.#filesWith(snapshot, ({ source, heights }) => {
        if (heights !== undefined && heights.to < height) return undefined;
        return source === undefined || isForgotten(source.endpoint) ? condition : undefined;
      });
      return {
        ledger: ledger(run, {
          coverage: demoted(snapshot.coverage, height),
          reorganisations: [{ height }],
        }),
        removed: toRewrite.map(({ file }) => file),
        counts: { rowsAdded: 0, rowsReplaced: goneFrom(toRewrite) },
        rows: { added: [], kept: this.#restOf(toRewrite) },
      };
    });
  }

  /** The look-ups of hashes that rows of the newest version have completed. */
  async landed(list: List, hashes: readonly string[], condition?: string): Promise<LandedLookUp[]> {
    const { files, coverage } = await this.snapshot();
    const listFiles = [...files.values()].filter(
      ({ source }) => !source || isSameList(source, list),
    );
    const paths = listFiles.map((file) => this.pathOf(file));
    const rows = await landedLookUps(this.#read, paths, list, hashes, condition);
    return rows.filter(({ hash, height }) => {
      return !coverage.isKnown(list, hash, { from: height, to: height });
    });
  }

  /** Removes damaged data files from the table and withdraws the coverage of their regions. */
  async withdraw(paths: ReadonlySet<string>, regions: readonly Region[]): Promise<void> {
    await this.stored.publish(REPAIR, async (snapshot) => {
      const files = new Map([...snapshot.files].filter(([path]) => !paths.has(path)));
      const opened = withdrawn(snapshot.coverage, regions);
      const coverage = await this.#withOpened({ ...snapshot, files }, opened);
      return this.stored.without(snapshot, paths, { coverage });
    });
  }

  /**
   * Forgets the keys that `compose` derives from the version that it is given. Commits nothing if
   * it returns none.
   */
  async forget(
    compose: (snapshot: Snapshot) => Promise<readonly ForgottenKeys[]>,
  ): Promise<CommitResult | undefined> {
    return this.stored.publish('WINDROW FORGET', async (snapshot) => {
      const forgotten = await compose(snapshot);
      if (forgotten.length === 0) return undefined;
      const toRewrite = await this.#filesToRewrite(snapshot, forgotten.map(forgottenRows));
      return {
        ledger: ledger(this.#settings.run, { forgotten }),
        removed: toRewrite.map(({ file }) => file),
        counts: { rowsAdded: 0, rowsReplaced: goneFrom(toRewrite) },
        copies: toRewrite.map(({ file, condition, gone }) => {
          const except = { condition, rows: gone };
          return { files: [file], source: file.source, except };
        }),
      };
    });
  }

  /** Marks coverage of rows that contradict others as inconsistent, and returns it. */
  contradict(rows: readonly DoubtfulRow[], compared: readonly Interval[]) {
    return this.#mark(COMMIT, ({ coverage }) => contradicted(coverage, rows, compared));
  }

  /** Commits entries for coverage that a repair of the log has lost. */
  async markLost(coverage: readonly CoverageEntry[]): Promise<void> {
    await this.#mark(REPAIR, (snapshot) => this.#withOpened(snapshot, coverage));
  }

  #withOpened(of: Pick<Snapshot, 'files' | 'coverage'>, opened: readonly CoverageEntry[]) {
    return withOpenedLookUps(this.#read, of, this.pathOf.bind(this), opened);
  }

  async #mark(
    operation: string,
    compose: (snapshot: Snapshot) => readonly CoverageEntry[] | Promise<readonly CoverageEntry[]>,
  ): Promise<readonly CoverageEntry[]> {
    let coverage: readonly CoverageEntry[] = [];
    await this.stored.publish(operation, async (snapshot) => {
      coverage = await compose(snapshot);
      if (coverage.length === 0) return undefined;
      return this.stored.without(snapshot, new Set(), { coverage });
    });
    return coverage;
  }

  /** Files with rows that the removals remove, and the condition for these rows. */
  #filesToRewrite(snapshot: Snapshot, removals: readonly Removal[]): Promise<FileToRewrite[]> {
    return this.#filesWith(snapshot, (file) => {
      const relevant = removals.filter((removal) => mayHoldRows(file, removal));
      if (relevant.length === 0) return undefined;
      return relevant
        .map((removal) => `(${removalSql(removal, this.#settings.dataset.heightColumn)})`)
        .join(' OR ');
    });
  }

  /** Files with rows that meet their condition; files without a condition are skipped. */
  async #filesWith(
    snapshot: Snapshot,
    conditionOf: (file: DataFile) => string | undefined,
  ): Promise<FileToRewrite[]> {
    const toRewrite: FileToRewrite[] = [];
    for (const file of snapshot.files.values()) {
      const condition = conditionOf(file);
      if (condition === undefined) continue;
      const gone = await this.#settings.writer.countIn(this.stored.pathOf(file), condition);
      if (gone > 0) toRewrite.push({ file, condition, gone });
    }
    return toRewrite;
  }

  /** The remaining rows of these files. */
  #restOf(toRewrite: readonly FileToRewrite[]): RowsToWrite['kept'] {
    return toRewrite.map(({ file, condition }) => ({ path: this.pathOf(file), except: condition }));
  }
}

interface MergedWalks extends Pick<Merge<Row>, 'contradicted' | 'inserts'> {
  readonly prepared: PreparedCommit;
}
