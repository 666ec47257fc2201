import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import { REPAIR_ADVICE } from '../storage/damage.ts';
import type { Disk } from '../storage/disk.ts';
import { isDiskError } from '../storage/disk-fault.ts';
import { BrokenEntry } from './broken-entry.ts';
import { type Changes, changesIn, EVERYTHING } from './changed-heights.ts';
import { checkpointVersions } from './checkpoint.ts';
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
import { allVersions, entryName, entryVersions, isArchived, LOG, readEntry } from './log-files.ts';
import { isMadeFromLog, savedContent, savedFoldIn } from './saved-fold.ts';

/** When a fold is saved again: the entries since the last time have at least this size. */
export interface SavingRule {
  readonly bytes: number;
  /** In proportion to the size of the saved fold. */
  readonly share: number;
  /** They need not have more than this. */
  readonly most: number;
}

/**
 * Measured over 300 commits of 64 slices x 20 keys (`test/bench/log-size.ts`): 9 saves cost less
 * than the noise of the commits, and opening takes a third of the time that it takes without them.
 */
export const SAVING_RULE: SavingRule = { bytes: 64 * 1024, share: 0.5, most: 8 * 1024 * 1024 };

/** Where and when the fold of a log is saved. */
export interface FoldStorage {
  readonly path: string;
  readonly rule: SavingRule;
}

/** Puts the content at the path, whole or not at all; returns its length. */
export type WriteFold = (path: string, content: Iterable<string | Buffer>) => Promise<number>;

/**
 * The transaction log of one table. Reading folds new entries, in order, into the state so far. An
 * entry gets a version number only if that number is free.
 */
export class DeltaLog {
  readonly folder: string;
  readonly #table: string;
  readonly #disk: Disk;
  readonly #heightColumn: string;
  readonly #storage: FoldStorage | undefined;
  readonly #asOfMs: number;
  #lastFold: Promise<unknown> = Promise.resolve();
  #fold = new Fold();
  /** Digest of the log before the newest entry; undefined if that entry has no seal. */
  #sealedAfter: string | undefined;
  #savedBytes = 0;
  /** Bytes of the entries that the saved fold lacks. */
  #newBytes = 0;
  /** Version of the newest checkpoint; -1 without one. */
  #checkpointed = -1;

  /**
   * Without `storage`, the log is always read from its first entry; with `asOfMs`, up to the first
   * entry that was committed after this time [ms since the Unix epoch].
   */
  constructor(
    disk: Disk,
    tableFolder: string,
    heightColumn: string,
    storage?: FoldStorage,
    asOfMs = Number.POSITIVE_INFINITY,
  ) {
    this.folder = join(tableFolder, LOG);
    this.#table = tableFolder;
    this.#disk = disk;
    this.#heightColumn = heightColumn;
    this.#storage = storage;
    this.#asOfMs = asOfMs;
  }

  /** Folds the entries committed since the last call. Throws Fault('lake') for a corrupt log. */
  refresh(): Promise<Snapshot> {
    return this.#inTurn(() => this.#foldNew());
  }

  /**
   * Saves the fold if enough entries are new since the last time. Nothing depends on it, so a disk
   * that refuses it only makes the next opening slower. Returns the error of such a disk.
   */
  save(write: WriteFold): Promise<Error | undefined> {
    return this.#inTurn(() => refusalOf(this.#saveIfDue(write)));
  }

  /**
   * Writes a checkpoint and archives old entries if the newest one lies `commits` versions back.
   * A disk that refuses it only makes other programs slower. Returns the error of such a disk.
   */
  checkpoint(
    commits: number,
    write: (snapshot: Snapshot) => Promise<void>,
  ): Promise<Error | undefined> {
    return this.#inTurn(async () => {
      const { version } = this.#fold;
      if (version - this.#checkpointed < commits) return undefined;
      // Where the disk refuses it, the next try comes after as many commits again.
      this.#checkpointed = version;
      return refusalOf(write(this.#fold));
    });
  }

  /** One at a time: two calls would fold an entry twice, or change a fold while it is saved. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#lastFold.then(run);
    this.#lastFold = done.catch(() => undefined);
    return done;
  }

  async #foldNew(): Promise<Snapshot> {
    const names = await this.#disk.list(this.folder);
    const versions = await this.#versions(names);
    // A repair has cut the log, or the table was replaced by an older copy.
    if ((versions.at(-1) ?? -1) < this.#fold.version) this.#startFrom(new Fold());
    if (this.#fold.version < 0) this.#checkpointed = -1;
    if (this.#fold.version < 0) await this.#restore(versions);
    this.#checkpointed = Math.max(this.#checkpointed, checkpointVersions(names)[0] ?? -1);
    for (const version of versions.filter((each) => each > this.#fold.version)) {
      const due = this.#fold.version + 1;
      if (version !== due) throw brokenLog(this.pathOf(due), new BrokenEntry(0, 'is missing'));
      if (!(await this.#foldEntry(version))) break;
    }
    return { ...this.#fold };
  }

  /** The versions of all entries; without those that were folded if these are archived. */
  async #versions(names: readonly string[]): Promise<number[]> {
    const listed = entryVersions(names);
    const [first, last] = [listed[0] ?? Number.POSITIVE_INFINITY, listed.at(-1) ?? -1];
    // A copy that was put over the log can bring some of the archived entries back.
    const hasGap = last - first >= listed.length;
    if (first <= this.#fold.version + 1 && !hasGap) return listed;
    return allVersions(this.#disk, this.#table, names);
  }

  /** Starts from the saved fold if it is one of this log, which must still have all its entries. */
  async #restore(versions: readonly number[]): Promise<void> {
    if (this.#storage === undefined || versions.length === 0) return;
    const bytes = await this.#disk.readBytes(this.#storage.path).catch(() => undefined);
    const saved = bytes && savedFoldIn(bytes, this.#heightColumn);
    if (bytes === undefined || saved === undefined) return;
    const { version } = saved.fold;
    if (versions[version] !== version) return;
    if (!isMadeFromLog(saved, (await this.#read(version)).bytes)) return;
    this.#startFrom(saved.fold);
    this.#savedBytes = bytes.length;
  }

  #startFrom(fold: Fold): void {
    this.#fold = fold;
    this.#sealedAfter = undefined;
    this.#savedBytes = 0;
    this.#newBytes = 0;
  }

  async #saveIfDue(write: WriteFold): Promise<void> {
    const before = this.#sealedAfter;
    if (this.#storage === undefined || before === undefined) return;
    const { path, rule } = this.#storage;
    const due = Math.min(this.#savedBytes * rule.share, rule.most);
    if (this.#newBytes < Math.max(rule.bytes, due)) return;
    // Where the disk refuses it, the next try comes after as many bytes again.
    this.#newBytes = 0;
    const content = savedContent({ fold: this.#fold, before }, this.#heightColumn);
    this.#savedBytes = await write(path, content);
  }

  /**
   * What the versions after `version` changed. Throws Fault('lake') if their entries differ from
   * those that were folded, maybe by another process that saved the fold.
   */
  async changedSince(version: number): Promise<Changes> {
    const { version: newest, digest: whole } = this.#fold;
    if (version > newest) return EVERYTHING;
    const entries: NumberedLine[][] = [];
    let { at, digest } = await this.#sealedUpTo(version + 1);
    for (; at <= newest; at += 1) {
      const { path, bytes: entry } = await this.#read(at);
      try {
        const lines = linesOf(entry);
        checkSeal(entry, digest);
        digest = logDigest(digest, entry);
        if (at > version) entries.push(lines);
        if (at === newest) checkWhole(digest, whole);
      } catch (error) {
        throw error instanceof BrokenEntry ? brokenLog(path, error) : error;
      }
    }
    return changesIn(entries, this.#fold.names);
  }

  /** The newest sealed entry up to a version, or the first entry, and the digest before it. */
  async #sealedUpTo(version: number): Promise<{ at: number; digest: string }> {
    for (let at = Math.min(version, this.#fold.version); at > 0; at -= 1) {
      const seal = sealOf((await this.#read(at)).bytes);
      if (seal !== undefined) return { at, digest: seal.before };
    }
    return { at: 0, digest: EMPTY_LOG };
  }

  /**
   * Gives a staged entry its version if that is free (put-if-absent); false if it is taken. A
   * writer that was stopped for a week may find its version in the archive.
   */
  async put(staged: string, version: number): Promise<boolean> {
    if (await isArchived(this.#disk, this.#table, version)) return false;
    return this.#disk.publishIfAbsent(staged, this.pathOf(version));
  }

  /** Path of an entry with this version, unless it is archived. */
  pathOf(version: number): string {
    return join(this.folder, entryName(version));
  }

  #read(version: number): Promise<{ path: string; bytes: Buffer }> {
    return readEntry(this.#disk, this.#table, version);
  }

  /** False for an entry that is too new. */
  async #foldEntry(version: number): Promise<boolean> {
    const fold = this.#fold;
    const { path, bytes: entry } = await this.#read(version).catch((error: unknown) => {
      throw error instanceof BrokenEntry ? brokenLog(this.pathOf(version), error) : error;
    });
    try {
      // Checked before it is applied: a broken entry must leave the state unchanged.
      const lines = linesOf(entry);
      checkSeal(entry, fold.digest);
      if (committedAt(lines) > this.#asOfMs) return false;
      for (const { number, parsed } of lines) {
        orBrokenEntry(number, () => fold.apply(parsed, this.#heightColumn, `${path}:${number}`));
      }
    } catch (error) {
      // Some of its lines may have been applied.
      this.#startFrom(new Fold());
      if (!(error instanceof BrokenEntry)) throw error;
      throw brokenLog(path, error);
    }
    this.#sealedAfter = sealOf(entry) === undefined ? undefined : fold.digest;
    fold.digest = logDigest(fold.digest, entry);
    fold.version = version;
    this.#newBytes += entry.length;
    return true;
  }
}

/** The error of a disk that refused the work; undefined once it is done. */
async function refusalOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    // Linux refuses links to files of other users, which old entries may be.
    const refused = error instanceof Fault ? error.cause : error;
    if (!isDiskError(refused)) throw error;
    return refused;
  }
}

function checkWhole(digest: string, folded: string): void {
  if (digest !== folded) throw new BrokenEntry(0, 'or one before it has changed since it was read');
}

/** The fault of a log with a broken entry. */
function brokenLog(path: string, { line, message, cause }: BrokenEntry): Fault {
  return new Fault('lake', `The table's log is corrupt: the entry ${message}.`, {
    where: line === 0 ? path : `${path}:${line}`,
    advice: REPAIR_ADVICE,
    cause,
  });
}
