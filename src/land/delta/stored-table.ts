import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import type { ListId } from '../../coverage/list.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { Disk } from '../storage/disk.ts';
import { diskFault } from '../storage/disk-fault.ts';
import type { ParquetWriter, RowsToWrite } from '../storage/parquet.ts';
import { checkSpace } from '../storage/staging.ts';
import { checkTypes, type DataFile, placeOf } from './actions.ts';
import type { Changes } from './changed-heights.ts';
import { CHECKPOINT_COMMITS } from './checkpoint.ts';
import type { Snapshot } from './fold.ts';
import { ledger } from './ledger.ts';
import { DeltaLog } from './log.ts';
import {
  type CommitResult,
  entryText,
  type FileCopy,
  type LosingRows,
  type Prepare,
  type PreparedCommit,
  type PrepareIfAny,
  type TableShape,
  withoutRows,
} from './prepared-commit.ts';
import { putCheckpoint } from './put-checkpoint.ts';

/** The location of a table and the tools that write it. */
export interface StorageSettings {
  readonly disk: Disk;
  readonly effects: Effects;
  readonly writer: ParquetWriter;
  /** `lake/<chain>/<table>`. */
  readonly folder: string;
  /** On the same file system as `folder` but outside it, because readers glob whole folders. */
  readonly staging: string;
  readonly run: string;
  /** A checkpoint is due after this many commits at most; by default `CHECKPOINT_COMMITS`. */
  readonly checkpointCommits?: number;
  /** The table is read as of this time [ms since the Unix epoch], and not written. */
  readonly asOfMs?: number;
  /** Default: processes race for each version. */
  readonly turn?: CommitTurn | undefined;
}

/** Does a commit to a table after those of other processes. Correct commits do not depend on it. */
export type CommitTurn = <T>(table: string, commit: () => Promise<T>) => Promise<T>;

/** Races for a version that a commit may lose before it fails. */
const MAX_RACES = 1000;
/** A writer that has lost waits this long at most, doubled with every loss up to the longest. */
const LOST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 2_000;

/**
 * One Delta table on disk. Only `publish` adds rows, in these steps: stage, sync, read back, rename
 * into the table, sync the folder, stage the log entry, sync, publish it if its version is free,
 * sync the log's folder. After a crash between two steps, the table has its old or new version.
 */
export class StoredTable {
  readonly shape: TableShape;
  readonly folder: string;
  readonly #settings: StorageSettings;
  readonly #log: DeltaLog;

  constructor(settings: StorageSettings, shape: TableShape) {
    this.#settings = settings;
    this.shape = shape;
    this.folder = settings.folder;
    this.#log = new DeltaLog(settings.disk, settings.folder, shape.heightColumn, settings.asOfMs);
    settings.disk.expect(settings.folder, (name) => this.#log.fileNamed(name));
  }

  /**
   * The newest version, as a live view: the next `snapshot` or `publish` updates it. Throws
   * Fault('lake') for a failing disk.
   */
  snapshot(): Promise<Snapshot> {
    return this.#log.refresh().catch((error: unknown) => {
      throw diskFault(error, this.folder);
    });
  }

  /**
   * The heights and transactions that versions after `version` changed; call `snapshot` first. All
   * may have changed where entries after it have expired.
   */
  changedSince(version: number): Promise<Changes> {
    return this.#log.changedSince(version);
  }

  /** Absolute path of a data file. */
  pathOf(file: DataFile): string {
    return join(this.#settings.folder, file.path);
  }

  /** The data files of a version, by absolute path. */
  filesAt(files: Snapshot['files']): Map<string, DataFile> {
    return new Map([...files.values()].map((file) => [this.pathOf(file), file]));
  }

  /** Absolute paths of the data files of a version. */
  paths(snapshot: Pick<Snapshot, 'files'>): string[] {
    return [...snapshot.files.keys()].sort().map((path) => join(this.#settings.folder, path));
  }

  /**
   * Publishes the next version. When another process publishes it first, calls `prepare` again with
   * the new state. Returns undefined if `prepare` does; publishes nothing if it throws. Throws
   * Fault('lake') for a full or failing disk.
   */
  publish(operation: string, prepare: Prepare): Promise<CommitResult>;
  publish(operation: string, prepare: PrepareIfAny): Promise<CommitResult | undefined>;
  async publish(operation: string, prepare: PrepareIfAny): Promise<CommitResult | undefined> {
    const { writer, turn } = this.#settings;
    const commit = () => this.#publishNext(operation, prepare);
    try {
      return await writer.inTurn(() => turn?.(placeOf(this.folder), commit) ?? commit());
    } catch (error) {
      throw diskFault(error, this.#settings.folder);
    }
  }

  /**
   * Writes a checkpoint of the version that was read last (`checkpoint.ts`). Throws Fault('lake')
   * for a full or failing disk.
   */
  async renewCheckpoint(): Promise<void> {
    const error = await this.#checkpoint(0);
    if (error !== undefined) throw diskFault(error, this.folder);
  }

  /** Writes a checkpoint if the newest one lies this many commits back. */
  #checkpoint(commits: number): Promise<Error | undefined> {
    return this.#log.checkpoint(commits, (fold) =>
      putCheckpoint(this.#settings, this.folder, fold, this.shape.heightColumn),
    );
  }

  /** Writes a checkpoint if opening the table in a store takes more than three requests. */
  shortenLog(): Promise<void> {
    return this.#checkpointIfDue(this.#log.commitsToOpen);
  }

  async #checkpointIfDue(commits: number): Promise<void> {
    const { effects, folder } = this.#settings;
    const error = await this.#checkpoint(commits);
    if (error !== undefined)
      effects.log('debug', `the checkpoint of ${folder} was not finished: ${error.message}`);
  }

  /** Commits columns that the table lacks, NULL in its rows. */
  async addColumns(): Promise<void> {
    if (!this.#lacksColumns(await this.snapshot())) return;
    await this.publish('WINDROW UPGRADE', async (snapshot) => {
      return this.#lacksColumns(snapshot) ? this.without(snapshot, new Set()) : undefined;
    });
  }

  #lacksColumns({ columns }: Snapshot): boolean {
    return this.shape.columns.some(({ name }) => !columns.includes(name));
  }

  /** A commit of rows in place of those that meet the condition of their file. */
  replaced({ files }: Snapshot, losing: LosingRows, added?: RowsToWrite['added']) {
    return withoutRows(this.#settings, this.filesAt(files), losing, added);
  }

  /** A commit of rows in place of all others. */
  rewritten(snapshot: Snapshot, added: RowsToWrite['added']): PreparedCommit {
    const { counts, ...rest } = this.without(snapshot, new Set(snapshot.files.keys()));
    return { ...rest, counts: { ...counts, rowsAdded: added.length }, rows: { added, kept: [] } };
  }

  /** A commit that removes these files and adds no rows. */
  without(
    snapshot: Snapshot,
    paths: ReadonlySet<string>,
    proved: { readonly coverage?: readonly CoverageEntry[] } = {},
  ): PreparedCommit {
    const removed = [...snapshot.files.values()].filter(({ path }) => paths.has(path));
    const rowsReplaced = removed.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    const { run } = this.#settings;
    return { ledger: ledger(run, proved), removed, counts: { rowsAdded: 0, rowsReplaced } };
  }

  async #publishNext(operation: string, prepare: PrepareIfAny): Promise<CommitResult | undefined> {
    const { disk, effects, staging, folder } = this.#settings;
    for (const path of [this.#log.folder, staging]) await disk.makeFolder(path);
    for (let race = 0; race < MAX_RACES; race += 1) {
      await checkSpace(disk, staging, folder);
      disk.renew(this.#log.folder);
      const snapshot = await this.#log.refresh();
      const prepared = await prepare(snapshot);
      if (prepared === undefined) return undefined;
      if (prepared.isNewSchema !== true) checkTypes(snapshot.metaData, this.shape.columns, folder);
      const added = await this.#writeFiles(prepared);
      const version = snapshot.version + 1;
      const isNewSchema = this.#lacksColumns(snapshot) || prepared.isNewSchema === true;
      const commit = { operation, snapshot, prepared: { ...prepared, isNewSchema }, added };
      const entry = entryText(this.shape, commit, effects.now(), placeOf(this.folder));
      if (await this.#publishEntry(version, entry)) {
        await this.#log.refresh();
        await this.#checkpointIfDue(this.#settings.checkpointCommits ?? CHECKPOINT_COMMITS);
        return { version, ...prepared.counts, files: added };
      }
      effects.log('debug', `version ${version} was taken by another writer; merging again`);
      for (const file of added) await disk.remove(this.pathOf(file));
      const longestMs = Math.min(LONGEST_WAIT_MS, LOST_WAIT_MS * 2 ** Math.min(race, 10));
      await effects.sleep(effects.random() * longestMs);
    }
    throw new Fault('lake', `Lost the race for a version ${MAX_RACES} times.`, {
      where: this.#log.folder,
      advice: 'Other writers commit without pause: run one pipeline at a time.',
    });
  }

  async #writeFiles(prepared: PreparedCommit): Promise<DataFile[]> {
    const { disk, effects, folder, staging } = this.#settings;
    const files: DataFile[] = [];
    if (prepared.staged !== undefined) {
      await disk.fetch(prepared.staged.map(({ path }) => path));
      for (const { path, rows } of prepared.staged) files.push(await this.#readBack(path, rows));
    } else {
      for (const copy of prepared.copies ?? []) files.push(...(await this.#copied(copy)));
      files.push(...(await this.#writeRows(prepared)));
    }
    const there = new Set(prepared.staged?.map(({ path }) => path));
    const moves = files.map(({ path }) => [join(staging, path), join(folder, path)] as const);
    await disk.publish(...moves.filter(([, path]) => !there.has(path)));
    effects.reached('data files published');
    return files;
  }

  async #writeRows({ rows, provisionalFrom = new Map() }: PreparedCommit): Promise<DataFile[]> {
    const { writer, staging } = this.#settings;
    const { columns, heightColumn, isBySource } = this.shape;
    if (rows === undefined) return [];
    const taken = await writer.take(columns, rows);
    const files: DataFile[] = [];
    try {
      const sources = isBySource ? await taken.sources(heightColumn, provisionalFrom) : [undefined];
      for (const source of taken.count === 0 ? [] : sources) {
        const staged = join(staging, `part-${randomUUID()}.parquet`);
        const written = await taken.write(staged, source, this.#order);
        files.push(await this.#readBack(staged, written, source));
      }
    } finally {
      await taken.drop();
    }
    const written = files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    if (written !== taken.count) throw new Error(`${written} rows were written of ${taken.count}`);
    return files;
  }

  async #copied({ files, source }: FileCopy): Promise<DataFile[]> {
    const { writer, staging } = this.#settings;
    let rows = 0;
    for (const file of files)
      rows += file.rows ?? (await writer.countIn(this.pathOf(file), 'true'));
    if (rows === 0) return [];
    const staged = join(staging, `part-${randomUUID()}.parquet`);
    const paths = files.map((file) => this.pathOf(file));
    await writer.copy(staged, { paths, rows }, this.shape.columns, this.#order);
    return [await this.#readBack(staged, rows, source)];
  }

  /** Sort columns of the rows in a file. */
  get #order(): string[] {
    const { heightColumn, sortedBy } = this.shape;
    return heightColumn === '' ? [...sortedBy] : [heightColumn, ...sortedBy];
  }

  /** Reads a finished file back, which keeps its name in the table. */
  async #readBack(staged: string, rows: number, source?: ListId): Promise<DataFile> {
    const { writer, effects } = this.#settings;
    effects.reached('data file written');
    const written = await writer.inspect(staged, rows, this.shape.heightColumn);
    effects.reached('data file read back');
    const list = source && { endpoint: source.endpoint, variant: source.variant };
    return { ...written, path: basename(staged), source: list };
  }

  async #publishEntry(version: number, text: string): Promise<boolean> {
    const { disk, effects, staging } = this.#settings;
    const staged = join(staging, `${randomUUID()}.json`);
    await disk.write(staged, text);
    effects.reached('log entry written');
    const isOurs = await this.#log.put(staged, version);
    effects.reached('log entry published');
    await disk.remove(staged);
    return isOurs;
  }
}
