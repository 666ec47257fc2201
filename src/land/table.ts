import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Column, Dataset } from '../catalogue/entry.ts';
import type { Cell } from '../catalogue/kind.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { tableColumns } from './columns.ts';
import type { Row } from './decode.ts';
import {
  addLine,
  commitInfoLine,
  type DataFile,
  type Ledger,
  ledger,
  metaDataLine,
  protocolLine,
  removeLine,
} from './delta-actions.ts';
import { DeltaLog, type Snapshot } from './delta-log.ts';
import { type Disk, diskFault } from './disk.ts';
import { type Claim, demoted, merge, type Removal, type Walk } from './merge.ts';
import type { ParquetBench } from './parquet.ts';
import { mayHoldRows, removalSql } from './removal.ts';
import { walkedLists } from './walked-lists.ts';

/** Lineage of a landed walk. */
export interface LandedWalk extends Walk<Row> {
  readonly slice: string;
  /** Requests that the walk took. */
  readonly requests: number;
}

/** What a commit did. */
export interface Committed {
  readonly version: number;
  readonly rowsAdded: number;
  readonly rowsReplaced: number;
  readonly files: number;
}

export interface TableSettings {
  readonly disk: Disk;
  readonly effects: Effects;
  readonly bench: ParquetBench;
  /** `lake/<chain>/<dataset>`. */
  readonly folder: string;
  /** On the same file system as `folder`, and outside of it: readers glob whole folders. */
  readonly staging: string;
  readonly run: string;
  readonly dataset: Dataset;
}

/** How often a commit may lose the race for a version before it gives up. */
const MAX_RACES = 1000;
/** A commit is not begun with less than this free beside what it is about to write. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/**
 * One dataset's Delta table. `commit` is the only way rows get in, by these steps: stage, sync,
 * read back, rename into the table, sync the folder, stage the log entry, sync, publish it if its
 * version is free, sync the log's folder. A crash between any two leaves the table as it was or
 * as it is to be.
 */
export class DeltaTable {
  readonly #settings: TableSettings;
  readonly #log: DeltaLog;
  readonly #columns: readonly Column[];

  constructor(settings: TableSettings) {
    this.#settings = settings;
    this.#columns = tableColumns(settings.dataset.name);
    this.#log = new DeltaLog(settings.disk, settings.folder, settings.dataset.heightColumn);
  }

  get dataset(): Dataset {
    return this.#settings.dataset;
  }

  /** The newest version. It is a live view: it moves with the next `snapshot` or `commit`. */
  snapshot(): Promise<Snapshot> {
    return this.#log.refresh();
  }

  /** Absolute paths of the data files of a version. */
  paths(snapshot: Snapshot): string[] {
    return [...snapshot.files.keys()].sort().map((path) => join(this.#settings.folder, path));
  }

  /**
   * Merges walks into the table, in order, by the rule of a commit. When another writer takes the
   * version first, merges again into what that writer left.
   */
  async commit(walks: readonly LandedWalk[]): Promise<Committed> {
    const slices = new Map<Claim, string>(walks.map((walk) => [walk.claim, walk.slice]));
    return this.#publish('WINDROW COMMIT', async (snapshot) => {
      const merged = merge(snapshot, walks);
      const doomed = await this.#filesToRewrite(snapshot, merged.removals);
      const rows = merged.inserts.map(({ claim, record }) => this.#cellsOf(claim, record, slices));
      await this.#settings.bench.begin(this.#columns);
      await this.#settings.bench.append(this.#columns, rows);
      let rowsReplaced = 0;
      for (const { file, condition, gone } of doomed) {
        rowsReplaced += gone;
        await this.#settings.bench.keepFrom(join(this.#settings.folder, file.path), condition);
      }
      return {
        ledger: ledger(this.#settings.run, merged.coverage, [], walkedLists(walks)),
        removed: doomed.map(({ file }) => file),
        counts: { rowsAdded: rows.length, rowsReplaced },
        hasRows: rows.length > 0 || doomed.length > 0,
      };
    });
  }

  /** Records that the chain changed at `height`: what was landed from there on proves nothing. */
  async reorganised(height: number): Promise<Committed> {
    return this.#publish('WINDROW REORGANISATION', (snapshot) => {
      const entries = demoted(snapshot.coverage, height);
      return Promise.resolve({
        ledger: ledger(this.#settings.run, entries, [{ height }]),
        removed: [],
        counts: { rowsAdded: 0, rowsReplaced: 0 },
        hasRows: false,
      });
    });
  }

  /** Rewrites all files into as few as there are endpoints and variants. No row changes. */
  async compact(): Promise<Committed> {
    return this.#publish('OPTIMIZE', async (snapshot) => {
      await this.#settings.bench.begin(this.#columns);
      const removed = [...snapshot.files.values()];
      for (const path of this.paths(snapshot)) {
        await this.#settings.bench.keepFrom(path, 'false');
      }
      return {
        ledger: ledger(this.#settings.run, [], []),
        removed,
        counts: { rowsAdded: 0, rowsReplaced: 0 },
        hasRows: removed.length > 0,
      };
    });
  }

  async #publish(operation: string, prepare: Prepare): Promise<Committed> {
    try {
      return await this.#publishNext(operation, prepare);
    } catch (error) {
      throw diskFault(error, this.#settings.folder);
    }
  }

  async #publishNext(operation: string, prepare: Prepare): Promise<Committed> {
    const { disk, effects, staging } = this.#settings;
    await disk.makeFolder(this.#log.folder);
    await disk.makeFolder(staging);
    for (let race = 0; race < MAX_RACES; race += 1) {
      await this.#checkSpace();
      const snapshot = await this.#log.refresh();
      const prepared = await prepare(snapshot);
      const added = prepared.hasRows ? await this.#writeFiles() : [];
      const version = snapshot.version + 1;
      const entry = this.#entry(operation, snapshot, prepared, added);
      if (await this.#publishEntry(version, entry)) {
        await this.#log.refresh();
        return { version, ...prepared.counts, files: added.length };
      }
      effects.log('debug', `version ${version} was taken by another writer; merging again`);
      for (const file of added) await disk.remove(join(this.#settings.folder, file.path));
    }
    throw new Fault('lake', `Lost the race for a version ${MAX_RACES} times.`, {
      where: this.#log.folder,
      advice: 'Other writers commit without pause: run one pipeline at a time.',
    });
  }

  async #writeFiles(): Promise<DataFile[]> {
    const { bench, disk, effects, folder, staging, dataset } = this.#settings;
    const files: DataFile[] = [];
    for (const source of await bench.sources()) {
      const path = `part-${randomUUID()}.parquet`;
      const staged = join(staging, path);
      await bench.write(staged, source, [dataset.heightColumn, ...dataset.sortedBy]);
      effects.reached('data file written');
      await disk.sync(staged);
      effects.reached('data file synced');
      const written = await bench.inspect(staged, source, dataset.heightColumn);
      effects.reached('data file read back');
      await disk.rename(staged, join(folder, path));
      effects.reached('data file renamed');
      files.push({ ...written, path, source });
    }
    if (files.length > 0) await disk.syncFolder(folder);
    effects.reached('table folder synced');
    return files;
  }

  async #publishEntry(version: number, text: string): Promise<boolean> {
    const { disk, effects, staging } = this.#settings;
    const staged = join(staging, `${randomUUID()}.json`);
    await disk.write(staged, text);
    effects.reached('log entry written');
    await disk.sync(staged);
    effects.reached('log entry synced');
    // Entries of others that this one builds on must not be lost where this one survives.
    await disk.syncFolder(this.#log.folder);
    const isOurs = await disk.linkIfAbsent(staged, this.#log.pathOf(version));
    effects.reached('log entry published');
    if (isOurs) await disk.syncFolder(this.#log.folder);
    effects.reached('log folder synced');
    await disk.remove(staged);
    return isOurs;
  }

  #entry(
    operation: string,
    snapshot: Snapshot,
    prepared: Prepared,
    added: readonly DataFile[],
  ): string {
    const { dataset, effects } = this.#settings;
    const nowMs = effects.now();
    const names = this.#columns.map((column) => column.name);
    const isNew = snapshot.version < 0;
    const isWider = names.some((name) => !snapshot.columns.includes(name));
    const id = snapshot.tableId ?? randomUUID();
    const rest = [
      ...(isNew ? [protocolLine()] : []),
      ...(isWider ? [metaDataLine(id, dataset.name, dataset.summary, this.#columns, nowMs)] : []),
      ...prepared.removed.map((file) => removeLine(file, nowMs)),
      ...added.map((file) => addLine(file, dataset.heightColumn, nowMs)),
    ];
    const ledger = { ...prepared.ledger, lines: rest.length + 1 };
    const lines = [commitInfoLine(operation, ledger, nowMs), ...rest];
    return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  }

  /** Files that hold rows the removals take, with the condition that finds these rows. */
  async #filesToRewrite(snapshot: Snapshot, removals: readonly Removal[]): Promise<Doomed[]> {
    const doomed: Doomed[] = [];
    for (const file of snapshot.files.values()) {
      const relevant = removals.filter((removal) => mayHoldRows(file, removal));
      if (relevant.length === 0) continue;
      const condition = relevant
        .map((removal) => `(${removalSql(removal, this.#settings.dataset.heightColumn)})`)
        .join(' OR ');
      const path = join(this.#settings.folder, file.path);
      const gone = await this.#settings.bench.countIn(path, condition);
      if (gone > 0) doomed.push({ file, condition, gone });
    }
    return doomed;
  }

  #cellsOf(claim: Claim, row: Row, slices: ReadonlyMap<Claim, string>): Cell[] {
    const lineage = [
      claim.endpoint,
      claim.variant,
      BigInt(row.occurrence),
      slices.get(claim) ?? '',
      BigInt(claim.readAtMs) * 1000n,
      this.#settings.run,
    ];
    return [...row.cells.slice(0, row.cells.length - lineage.length), ...lineage];
  }

  async #checkSpace(): Promise<void> {
    const free = await this.#settings.disk.freeBytes(this.#settings.staging);
    if (free >= MIN_FREE_BYTES) return;
    throw new Fault('lake', `Only ${free} bytes are free where the lake lies.`, {
      where: this.#settings.folder,
      advice: 'Make room and run the pipeline again: what is committed stays as it is.',
    });
  }
}

interface Prepared {
  readonly ledger: Ledger;
  readonly removed: readonly DataFile[];
  readonly counts: { readonly rowsAdded: number; readonly rowsReplaced: number };
  readonly hasRows: boolean;
}

type Prepare = (snapshot: Snapshot) => Promise<Prepared>;

interface Doomed {
  readonly file: DataFile;
  readonly condition: string;
  readonly gone: number;
}
