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
import type { CommitResult, LosingRows, PreparedCommit } from '../delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from '../delta/stored-table.ts';
import { walkedLists } from '../delta/walked-lists.ts';
import { provisionalFrom, type Removal, recordCount, type Walk } from '../rule/claim.ts';
import { contradicted, type DoubtfulRow } from '../rule/contradicted.ts';
import { type ForgottenKeys, forgottenRows } from '../rule/forgotten-keys.ts';
import { demoted, isForgotten, type Merge, merge, validCheckpoints } from '../rule/merge.ts';
import { withdrawn } from '../rule/withdrawn.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { tableColumns } from './columns.ts';
import type { Row } from './decode.ts';
import { EmptyLookUps } from './empty-look-ups.ts';
import {
  type LandedLookUp,
  type LookUpRows,
  landedLookUps,
  type ReadSql,
  withLandedLookUps,
  withOpenedLookUps,
} from './landed-look-ups.ts';
import { canNameSeveralKeys } from './named-keys.ts';
import { mayHoldRows, removalSql } from './removal.ts';
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
  /** Look-ups without a record; undefined for datasets without look-ups. */
  readonly empty: EmptyLookUps | undefined;
  readonly #shared: SharedRowIndex;
  readonly #read: ReadSql = (sql, values) => this.#settings.writer.read(sql, values);

  constructor(settings: TableSettings) {
    const { name, summary, heightColumn, sortedBy } = settings.dataset;
    const columns = tableColumns(name);
    const shape = { name, summary, columns, heightColumn, sortedBy, isBySource: true };
    this.#settings = settings;
    this.stored = new StoredTable(settings, shape);
    this.empty = EmptyLookUps.forDataset(settings, name);
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
    await this.empty?.add(walks, await this.snapshot());
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
    const emptySql = async () => (await this.empty?.sql(snapshot))?.sql;
    const coverage = await withLandedLookUps(this.#read, snapshot, pathOf, claims, emptySql);
    const { reorganisations } = snapshot;
    const merged = merge({ coverage, reorganisations }, walks, shared);
    const rewritten = await this.stored.replaced(snapshot, this.#losing(merged.removals));
    const { rowsReplaced } = rewritten.counts;
    const texts = landingRows(merged.inserts, walks, this.#settings.run);
    const prepared = {
      ...rewritten,
      ledger: ledger(this.#settings.run, {
        coverage: merged.coverage,
        walked: walkedLists(walks),
        checkpoints: newCheckpoints(
          validCheckpoints(checkpoints, generation, snapshot),
          snapshot.blockCheckpoints,
        ),
      }),
      counts: { rowsAdded: recordCount(merged.inserts), rowsReplaced },
      provisionalFrom: provisionalFrom(walks),
      rows: { ...rewritten.rows, texts },
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
      .filter((list) => datasetsOf(list).includes(dataset.name) && isForgotten(list.path))
      .map(({ path }) => literal(path));
    const condition =
      `_endpoint IN (${[...forgotten, "''"].join(', ')})` +
      ` AND ${identifier(dataset.heightColumn)} >= ${height}`;
    return this.stored.publish('WINDROW REORGANISATION', async (snapshot) => {
      const rewritten = await this.stored.replaced(snapshot, ({ source, heights }) => {
        if (heights !== undefined && heights.to < height) return undefined;
        return source === undefined || isForgotten(source.endpoint) ? condition : undefined;
      });
      const reorganisations = [{ height }];
      const coverage = demoted(snapshot.coverage, height);
      return { ...rewritten, ledger: ledger(run, { coverage, reorganisations }) };
    });
  }

  /** The complete look-ups of these hashes in the newest version; rows meet the condition. */
  async landed(list: List, hashes: readonly string[], condition?: string): Promise<LandedLookUp[]> {
    const lookUps = await this.lookUpRows(list);
    const { coverage } = await this.snapshot();
    const landed = await landedLookUps(this.#read, lookUps, list, hashes, condition);
    return landed.filter(({ hash, ...heights }) => !coverage.isKnown(list, hash, heights));
  }

  /** Where the look-ups of a list are in the newest version. */
  async lookUpRows(list: List): Promise<LookUpRows> {
    const snapshot = await this.snapshot();
    const paths = [...snapshot.files.values()].flatMap((file) =>
      !file.source || isSameList(file.source, list) ? [this.pathOf(file)] : [],
    );
    return { paths, empty: (await this.empty?.sql(snapshot))?.sql };
  }

  /** Removes damaged data files from the table and withdraws the coverage of their regions. */
  async withdraw(paths: ReadonlySet<string>, regions: readonly Region[]): Promise<void> {
    await this.empty?.drop(regions);
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
    let forgotten: readonly ForgottenKeys[] = [];
    const result = await this.stored.publish('WINDROW FORGET', async (snapshot) => {
      forgotten = await compose(snapshot);
      if (forgotten.length === 0) return undefined;
      const losing = this.#losing(forgotten.map(forgottenRows));
      const rewritten = await this.stored.replaced(snapshot, losing);
      return { ...rewritten, ledger: ledger(this.#settings.run, { forgotten }) };
    });
    await this.empty?.drop(forgotten);
    return result;
  }

  /** Marks coverage of rows that contradict others as inconsistent, and returns it. */
  contradict(rows: readonly DoubtfulRow[], compared: readonly Interval[]) {
    return this.#mark(COMMIT, ({ coverage }) => contradicted(coverage, rows, compared));
  }

  /** Commits entries for coverage that a repair of the log has lost. */
  async markLost(coverage: readonly CoverageEntry[]): Promise<void> {
    const lists = coverage.flatMap(({ key, ...list }) =>
      key === '' ? [{ ...list, keys: [''] }] : [],
    );
    await this.empty?.drop(lists);
    await this.#mark(REPAIR, (snapshot) => this.#withOpened(snapshot, coverage));
  }

  #withOpened(snapshot: Pick<Snapshot, 'files' | 'coverage'>, opened: readonly CoverageEntry[]) {
    return withOpenedLookUps(this.#read, snapshot, this.pathOf.bind(this), opened);
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

  /** The condition for the rows of a file that the removals remove. */
  #losing(removals: readonly Removal[]): LosingRows {
    return (file) => {
      const relevant = removals.filter((removal) => mayHoldRows(file, removal));
      if (relevant.length === 0) return undefined;
      const { heightColumn } = this.#settings.dataset;
      return relevant.map((removal) => `(${removalSql(removal, heightColumn)})`).join(' OR ');
    };
  }
}

interface MergedWalks extends Pick<Merge<Row>, 'contradicted' | 'inserts'> {
  readonly prepared: PreparedCommit;
}
