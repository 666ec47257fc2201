import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import { REPAIR_ADVICE } from '../storage/damage.ts';
import { type Disk, ifThere } from '../storage/disk.ts';
import { isDiskError } from '../storage/disk-fault.ts';
import type { DataFile } from './actions.ts';
import { BrokenEntry } from './broken-entry.ts';
import { type Changes, changesIn, EVERYTHING } from './changed-heights.ts';
import { CHECKPOINT_BYTES, stateName, stateVersions } from './checkpoint.ts';
import { isStateOf, stateIn } from './checkpoint-state.ts';
import { Fold, type Snapshot } from './fold.ts';
import {
  checkSeal,
  committedAt,
  EMPTY_LOG,
  linesOf,
  logDigest,
  type NumberedLine,
  orBrokenEntry,
  sealOf,
} from './log-entry.ts';
import { entryName, entryVersions, LOG, readEntry } from './log-files.ts';

/** Writes both parts of a checkpoint; returns the bytes of windrow's part. */
export type WriteCheckpoint = (fold: Fold) => Promise<number>;

/**
 * The transaction log of one table. Reading folds new entries, in order, into the state so far. An
 * entry gets a version number only if that number is free.
 */
export class DeltaLog {
  readonly folder: string;
  readonly #table: string;
  readonly #disk: Disk;
  readonly #heightColumn: string;
  readonly #asOfMs: number;
  #lastFold: Promise<unknown> = Promise.resolve();
  #fold = new Fold();
  /** Version of the newest checkpoint; -1 without one. */
  #checkpointed = -1;
  /** Bytes of its part of windrow, and of the entries after it. */
  #stateBytes = 0;
  #newBytes = 0;

  /**
   * With `asOfMs`, the log is read up to the first entry that was committed after this time [ms
   * since the Unix epoch].
   */
  constructor(
    disk: Disk,
    tableFolder: string,
    heightColumn: string,
    asOfMs = Number.POSITIVE_INFINITY,
  ) {
    this.folder = join(tableFolder, LOG);
    this.#table = tableFolder;
    this.#disk = disk;
    this.#heightColumn = heightColumn;
    this.#asOfMs = asOfMs;
  }

  /** A data file of the version that was read last. */
  fileNamed(name: string): DataFile | undefined {
    return this.#fold.files.get(name);
  }

  /** Folds the entries committed since the last call. Throws Fault('lake') for a corrupt log. */
  refresh(): Promise<Snapshot> {
    return this.#inTurn(() => this.#foldNew());
  }

  /**
   * Commits after which opening this log in a store takes more than three requests: a list, and two
   * entries or a checkpoint with its entry. Each MiB of a checkpoint counts as a request.
   */
  get commitsToOpen(): number {
    return this.#checkpointed < 0 ? 3 : Math.max(1, this.#stateBytes / CHECKPOINT_BYTES);
  }

  /**
   * Writes a checkpoint if the newest one lies this many commits back, or enough bytes
   * (`CHECKPOINT_BYTES`). A disk that refuses it only makes the next opening slower. Returns the
   * error of such a disk.
   */
  checkpoint(commits: number, write: WriteCheckpoint): Promise<Error | undefined> {
    return this.#inTurn(async () => {
      const { version } = this.#fold;
      const isLarge = this.#newBytes >= Math.max(CHECKPOINT_BYTES, this.#stateBytes);
      if (version - this.#checkpointed < commits && !isLarge) return undefined;
      // Another process may have written one since the log was listed.
      const [written = -1] = stateVersions(await this.#disk.list(this.folder));
      this.#checkpointed = Math.max(this.#checkpointed, written);
      if (version - this.#checkpointed < commits && !isLarge) return undefined;
      // Where the disk refuses it, the next try comes after as many commits again.
      this.#checkpointed = version;
      this.#newBytes = 0;
      return refusalOf(async () => {
        this.#stateBytes = await write(this.#fold);
      });
    });
  }

  /** One at a time: two calls would fold an entry twice, or change a fold while it is saved. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#lastFold.then(run);
    this.#lastFold = done.catch(() => undefined);
    return done;
  }

  async #foldNew(): Promise<Snapshot> {
    // To read the next entry costs less than to list them all, most of all in an object store.
    while (this.#fold.version >= 0 && (await this.#isThere(this.#fold.version + 1))) {
      if (!(await this.#foldEntry(this.#fold.version + 1))) return { ...this.#fold };
    }
    if (await this.#isThere(this.#fold.version)) return { ...this.#fold };
    // A repair has cut the log, entries have expired, or the table was replaced by another copy.
    this.#startFrom(new Fold());
    const names = await this.#disk.list(this.folder);
    const versions = entryVersions(names);
    await this.#restore(names, versions);
    this.#checkpointed = Math.max(this.#checkpointed, stateVersions(names)[0] ?? -1);
    for (const version of versions.filter((version) => version > this.#fold.version)) {
      const due = this.#fold.version + 1;
      if (version !== due) throw brokenLog(this.pathOf(due), new BrokenEntry(0, 'is missing'));
      if (!(await this.#foldEntry(version))) break;
    }
    return { ...this.#fold };
  }

  /** Starts from the newest checkpoint of this log that is whole and not too new. */
  async #restore(names: readonly string[], versions: readonly number[]): Promise<void> {
    for (const version of stateVersions(names).filter((version) => versions.includes(version))) {
      const path = join(this.folder, stateName(version));
      const bytes = await this.#disk.readBytes(path).catch(() => undefined);
      const fold = bytes && stateIn(bytes, path);
      if (fold === undefined || fold.latestMs > this.#asOfMs) continue;
      const entry = await this.#read(version).catch(() => undefined);
      if (entry === undefined || !isStateOf(fold, entry)) continue;
      this.#startFrom(fold);
      this.#stateBytes = bytes?.length ?? 0;
      return;
    }
    const [first = 0] = versions;
    if (first === 0 || this.#asOfMs === Number.POSITIVE_INFINITY) return;
    throw new Fault(
      'usage',
      `The log of this table begins with version ${first}, which is later.`,
      {
        where: this.folder,
        advice: 'Give a later time (--as-of): entries expire after a week.',
      },
    );
  }

  #startFrom(fold: Fold): void {
    this.#fold = fold;
    this.#checkpointed = fold.version;
    this.#stateBytes = 0;
    this.#newBytes = 0;
  }

  /**
   * The changes of the versions after `version`; everything if one of them is not there. Throws
   * Fault('lake') if their entries differ from those that were folded.
   */
  async changedSince(version: number): Promise<Changes> {
    const { version: newest, digest: whole } = this.#fold;
    const start = version > newest ? undefined : await this.#sealedUpTo(version + 1);
    if (start === undefined) return EVERYTHING;
    const entries: NumberedLine[][] = [];
    let { at, digest } = start;
    for (; at <= newest; at += 1) {
      const path = this.pathOf(at);
      const entry = await ifThere(this.#read(at));
      if (entry === undefined) return EVERYTHING;
      try {
        const lines = linesOf(entry);
        checkSeal(entry, digest);
        digest = logDigest(digest, entry);
        if (at > version) entries.push(lines);
        if (at === newest && digest !== whole) throw new BrokenEntry(0, CHANGED);
      } catch (error) {
        throw error instanceof BrokenEntry ? brokenLog(path, error) : error;
      }
    }
    return changesIn(entries, this.#fold.names);
  }

  /**
   * The newest sealed entry up to a version, or the first entry, and the digest before it.
   * Undefined if the log begins later.
   */
  async #sealedUpTo(version: number): Promise<{ at: number; digest: string } | undefined> {
    const [first = 0] = entryVersions(await this.#disk.list(this.folder));
    for (let at = Math.min(version, this.#fold.version); at >= Math.max(first, 1); at -= 1) {
      const entry = await ifThere(this.#read(at));
      const seal = entry && sealOf(entry);
      if (seal !== undefined) return { at, digest: seal.before };
    }
    return first === 0 ? { at: 0, digest: EMPTY_LOG } : undefined;
  }

  /**
   * Gives a staged entry its version if that is free (put-if-absent); false if it is taken. The
   * entry of a writer that was stopped for a week may have come and expired meanwhile.
   */
  async put(staged: string, version: number): Promise<boolean> {
    const newest = entryVersions(await this.#disk.list(this.folder)).at(-1) ?? -1;
    return newest < version && this.#disk.publishIfAbsent(staged, this.pathOf(version));
  }

  async #isThere(version: number): Promise<boolean> {
    return version >= 0 && (await this.#disk.stat(this.pathOf(version))) !== undefined;
  }

  /** Path of the entry with this version. */
  pathOf(version: number): string {
    return join(this.folder, entryName(version));
  }

  #read(version: number): Promise<Buffer> {
    return readEntry(this.#disk, this.#table, version);
  }

  /** False for an entry that is too new. */
  async #foldEntry(version: number): Promise<boolean> {
    const fold = this.#fold;
    const path = this.pathOf(version);
    const entry = await this.#read(version).catch((error: unknown) => {
      throw error instanceof BrokenEntry ? brokenLog(path, error) : error;
    });
    try {
      // Checked before it is applied: a broken entry must leave the state unchanged.
      const lines = linesOf(entry);
      checkSeal(entry, fold.digest);
      if (committedAt(lines) > this.#asOfMs) return false;
      for (const { number, parsed } of lines) {
        orBrokenEntry(number, () => fold.apply(parsed, this.#heightColumn, `${path}:${number}`));
      }
      fold.latestMs = Math.max(fold.latestMs, committedAt(lines));
    } catch (error) {
      // Some of its lines may have been applied.
      this.#startFrom(new Fold());
      if (!(error instanceof BrokenEntry)) throw error;
      throw brokenLog(path, error);
    }
    fold.before = fold.digest;
    fold.digest = logDigest(fold.digest, entry);
    fold.version = version;
    this.#newBytes += entry.length;
    return true;
  }
}

/** The error of a disk that refused the work; undefined once it is done. */
async function refusalOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isDiskError(error)) throw error;
    return error;
  }
}

const CHANGED = 'or one before it has changed since it was read';

/** The fault of a log with a broken entry. */
function brokenLog(path: string, { line, message, cause }: BrokenEntry): Fault {
  return new Fault('lake', `The table's log is corrupt: the entry ${message}.`, {
    where: line === 0 ? path : `${path}:${line}`,
    advice: REPAIR_ADVICE,
    cause,
  });
}
