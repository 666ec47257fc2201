import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { LockEffects } from '../lock/holder.ts';
import { type Lock, takeLock } from '../lock/lock.ts';
import { localDisk, type OpenFile } from '../storage/disk.ts';
import { diskFault } from '../storage/disk-fault.ts';
import {
  type JournalGap,
  type JournalRecord,
  journalBytes,
  journalRecords,
} from './journal-record.ts';

/** A file of the journal. */
export interface JournalFile {
  readonly path: string;
  /** Number of its first record. */
  readonly first: number;
  /** Number of the first record after it. */
  readonly end: number;
}

type JournalEffects = LockEffects & Pick<Effects, 'reached'>;

/** Files are this long, or a record longer. */
const FILE_BYTES = 32 * 1024 * 1024;
const SYNC_MS = 1000;
/** `drained` resolves when fewer bytes wait. */
const LOW_BYTES = 1024 * 1024;
const NAME = /^(\d{15})\.journal$/;

/**
 * The frames of a stream as they were received, in files of one folder. Records are appended in
 * order and synced every second. One process at a time has a journal, under a lock beside it.
 */
export class Journal {
  readonly #folder: string;
  readonly #effects: JournalEffects;
  readonly #stopSyncing: (() => void) | undefined;
  readonly #lock: Lock;
  #next: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #failure: unknown;
  #handle: OpenFile | undefined;
  #fileBytes = 0;
  #syncedMs = 0;
  /** Whether all written records are on disk. */
  #isSynced = true;
  #lastFrameMs: number | null;
  #drains: (() => void)[] = [];
  /** The gap that the end of the process before left; undefined if it stopped in good order. */
  readonly killed: JournalGap | undefined;

  private constructor(
    folder: string,
    effects: JournalEffects,
    lock: Lock,
    state: { next: number; lastFrameMs: number | null; killed: JournalGap | undefined },
  ) {
    this.#folder = folder;
    this.#effects = effects;
    this.#lock = lock;
    this.#next = state.next;
    this.#lastFrameMs = state.lastFrameMs;
    this.killed = state.killed;
    // Frames may stop coming before the last ones are synced.
    this.#stopSyncing = effects.every?.(SYNC_MS, () => {
      if (!this.#isSynced) this.#writing ??= this.#write();
    });
  }

  /**
   * Opens the journal in a folder. `least` is the least number of the next record. Throws
   * Fault('locked') while another process has it.
   */
  static async open(folder: string, effects: JournalEffects, least: number): Promise<Journal> {
    await localDisk.makeFolder(folder);
    const lock = await takeLock(`${folder}.lock`, effects);
    try {
      return new Journal(folder, effects, lock, await endOf(folder, least));
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Ends the current file, and lets other processes open the journal. */
  async close(): Promise<void> {
    this.#stopSyncing?.();
    try {
      await this.rotate();
    } finally {
      await this.#lock.release();
    }
  }

  /** Number of the next record. */
  get next(): number {
    return this.#next;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Time of the last frame; null before the first one. */
  get lastFrameMs(): number | null {
    return this.#lastFrameMs;
  }

  /** Appends a record; it is on disk after the next `drained` or `rotate`. */
  append(kind: JournalRecord['kind'], bytes: Buffer): void {
    const atMs = this.#effects.now();
    if (kind === 'text' || kind === 'binary') this.#lastFrameMs = atMs;
    const record = journalBytes({ kind, atMs, bytes });
    this.#waiting.push(record);
    this.#waitingBytes += record.length;
    this.#next += 1;
    this.#writing ??= this.#write();
  }

  gap(gap: JournalGap): void {
    this.append('gap', Buffer.from(JSON.stringify(gap)));
  }

  /** Resolves when few bytes wait. Throws Fault('lake') if the disk is full or fails. */
  async drained(): Promise<void> {
    if (this.#failure === undefined && this.#waitingBytes > LOW_BYTES) {
      await new Promise<void>((resolve) => this.#drains.push(resolve));
    }
    this.#check();
  }

  /**
   * Ends the current file durably; the next record begins another one. Returns all files that have
   * ended.
   */
  async rotate(): Promise<JournalFile[]> {
    const { next } = this;
    while (this.#writing !== undefined) await this.#writing;
    this.#check();
    await this.#endFile();
    return (await journalFiles(this.#folder, next)).filter(({ first }) => first < next);
  }

  /** Removes a file whose records have landed, or keeps it under another name. */
  async settle({ path }: JournalFile, isKept: boolean): Promise<void> {
    if (isKept) await localDisk.rename(path, `${path}.landed`);
    else await localDisk.remove(path);
  }

  #check(): void {
    if (this.#failure !== undefined) throw diskFault(this.#failure, this.#folder);
  }

  async #write(): Promise<void> {
    try {
      // Records that come while the file is synced are written, too.
      do {
        const records = this.#waiting;
        this.#waiting = [];
        const first = this.#next - records.length;
        const bytes = Buffer.concat(records);
        if (bytes.length > 0) {
          if (this.#fileBytes > FILE_BYTES) await this.#endFile();
          this.#handle ??= await localDisk.create(
            join(this.#folder, `${String(first).padStart(15, '0')}.journal`),
          );
          await this.#handle.appendFile(bytes);
          this.#fileBytes += bytes.length;
          this.#isSynced = false;
        }
        await this.#sync();
        this.#waitingBytes -= bytes.length;
        if (this.#waitingBytes <= LOW_BYTES) this.#release();
      } while (this.#waiting.length > 0);
    } catch (error) {
      this.#failure = error;
      this.#release();
    } finally {
      this.#writing = undefined;
    }
  }

  async #sync(): Promise<void> {
    const nowMs = this.#effects.now();
    // The clock may have been set back.
    if (this.#isSynced || Math.abs(nowMs - this.#syncedMs) < SYNC_MS) return;
    await this.#handle?.datasync();
    this.#effects.reached('journal synced');
    this.#isSynced = true;
    this.#syncedMs = nowMs;
  }

  #release(): void {
    for (const drain of this.#drains.splice(0)) drain();
  }

  async #endFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#fileBytes = 0;
    if (handle === undefined) return;
    await handle.sync();
    await handle.close();
    this.#isSynced = true;
  }
}

/** The end of the journal in a folder. */
async function endOf(folder: string, least: number) {
  const last = (await journalFiles(folder, 0)).at(-1);
  if (last === undefined) return { next: least, lastFrameMs: null, killed: undefined };
  const records = await readJournal(last);
  const end = records.at(-1);
  const lastFrameMs = end?.atMs ?? null;
  const detail = `the journal ends after frame ${last.first + records.length - 1}`;
  const killed =
    end?.kind === 'stopped' ? undefined : { fromMs: lastFrameMs, reason: 'killed', detail };
  const next = Math.max(least, last.first + Math.max(1, records.length));
  return { next, lastFrameMs, killed };
}

/** The files of a journal in their order; the last one ends at `next`. */
async function journalFiles(folder: string, next: number): Promise<JournalFile[]> {
  const names = (await localDisk.list(folder)).filter((name) => NAME.test(name)).sort();
  const firsts = names.map((name) => Number(NAME.exec(name)?.[1]));
  return names.map((name, at) => {
    return { path: join(folder, name), first: firsts[at] ?? 0, end: firsts[at + 1] ?? next };
  });
}

/** The whole records of a file. */
export async function readJournal({ path, first }: JournalFile): Promise<JournalRecord[]> {
  return journalRecords(await localDisk.readBytes(path), first);
}
