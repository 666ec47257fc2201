import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { Quota, TakenRequest } from '../../fetch/limits/admission.ts';
import { folderOf, type KeyFolder } from './key-folder.ts';

const QUOTA = 'quota';
const DAY_MS = 86_400_000;
const DAY_NAME = /^\d{4}-\d{2}-\d{2}$/;
/** Number of files that are kept, the newest, whatever the clock says. */
const KEPT_DAYS = 8;
/** Bytes of the mark of one request. */
const MARK_BYTES = 8;

/** The daily quota of a key for all its runs. */
export interface KeyQuota extends Quota {
  /** The name of its key. */
  readonly name: string;
  /** Requests of today, of all runs. */
  used(): number;
  close(): void;
}

export interface DailyQuotaOptions {
  readonly folder: KeyFolder;
  readonly perDay: number;
  readonly effects: Pick<Effects, 'now' | 'random'>;
}

/**
 * Counts the requests of a day in UTC for all runs of a key. Each request appends its mark to the
 * file of the day before it is sent, and the place of the mark says whether it is within the quota.
 * Appending needs no lock: a process that is killed leaves nothing behind but its marks.
 */
export class DailyQuota implements KeyQuota {
  readonly perDay: number;
  readonly name: string;
  readonly #folder: string;
  readonly #effects: DailyQuotaOptions['effects'];
  /** Differs between processes; the rest of a mark counts the requests of this one. */
  readonly #mark = Buffer.alloc(MARK_BYTES);
  #marks = 0;
  #file: DayFile | undefined;
  /** The day by the clock when the file was opened. */
  #clockDay = '';

  constructor({ folder, perDay, effects }: DailyQuotaOptions) {
    this.perDay = perDay;
    this.name = folder.name;
    this.#folder = join(folder.path, QUOTA);
    this.#effects = effects;
    this.#mark.writeUInt32BE(Math.floor(effects.random() * 2 ** 32));
  }

  take(): TakenRequest {
    const nowMs = this.#effects.now();
    try {
      const file = this.#fileOf(nowMs);
      if (file.used() >= this.perDay) return refused(file.day);
      this.#marks += 1;
      this.#mark.writeUInt32BE(this.#marks % 2 ** 32, 4);
      const place = file.append(this.#mark);
      if (place >= this.perDay) return refused(file.day);
      return { isGranted: true, left: this.perDay - place - 1 };
    } catch (error) {
      const reason = `the quota cannot be counted in ${this.#folder} (${String(error)})`;
      return { isGranted: false, untilMs: endOf(dayOf(nowMs)), reason };
    }
  }

  used(): number {
    return Math.min(this.perDay, usedIn(this.#folder, this.#effects.now()));
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #fileOf(nowMs: number): DayFile {
    const clockDay = dayOf(nowMs);
    if (this.#file !== undefined && clockDay === this.#clockDay) return this.#file;
    this.close();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const old = daysIn(this.#folder).sort().slice(0, -KEPT_DAYS);
    for (const day of old) rmSync(join(this.#folder, day), { force: true });
    this.#file = new DayFile(this.#folder, governingDay(this.#folder, nowMs));
    this.#clockDay = clockDay;
    return this.#file;
  }
}

/** Requests of today with the key of this name, and the end of that day, as its quota has them. */
export function requestsToday(root: string, name: string, nowMs: number) {
  const folder = join(folderOf(root, name), QUOTA);
  const day = existsSync(folder) ? governingDay(folder, nowMs) : dayOf(nowMs);
  return { used: usedIn(folder, nowMs), endMs: endOf(day) };
}

function usedIn(folder: string, nowMs: number): number {
  try {
    const { size } = statSync(join(folder, governingDay(folder, nowMs)));
    return Math.ceil(size / MARK_BYTES);
  } catch {
    return 0;
  }
}

/** The marks of one day. */
class DayFile {
  readonly day: string;
  readonly #path: string;
  #descriptor: number;
  #lastUsed = 0;

  constructor(folder: string, day: string) {
    this.day = day;
    this.#path = join(folder, day);
    this.#descriptor = openSync(this.#path, 'a+', 0o600);
  }

  /** Counts torn marks as requests. A file that was deleted or cut meanwhile is filled up again. */
  used(): number {
    const there = statSync(this.#path, { throwIfNoEntry: false });
    if (there?.ino !== fstatSync(this.#descriptor).ino) {
      this.close();
      this.#descriptor = openSync(this.#path, 'a+', 0o600);
    }
    const missing = this.#lastUsed - this.#size();
    if (missing > 0) writeSync(this.#descriptor, Buffer.alloc(missing * MARK_BYTES));
    this.#lastUsed = this.#size();
    return this.#lastUsed;
  }

  /** Appends a mark and returns its place, counted from 0. */
  append(mark: Buffer): number {
    const before = this.#lastUsed;
    writeSync(this.#descriptor, mark);
    this.#lastUsed = this.#size();
    if (this.#lastUsed === before + 1) return before;
    // Another process has appended, too: the place of this mark is in the part that is new.
    const fromByte = before * MARK_BYTES - MARK_BYTES;
    const added = Buffer.alloc((this.#lastUsed - before + 1) * MARK_BYTES);
    const start = Math.max(0, fromByte);
    const length = readSync(this.#descriptor, added, 0, added.length, start);
    const at = added.subarray(0, length).indexOf(mark);
    return at < 0 ? this.#lastUsed - 1 : Math.ceil((start + at) / MARK_BYTES);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #size(): number {
    return Math.ceil(fstatSync(this.#descriptor).size / MARK_BYTES);
  }
}

/**
 * The day that counts: that of the clock, or the next one if a run has already used it, because a
 * clock that goes back must not give a day twice. A file of a later day comes from a wrong clock.
 */
function governingDay(folder: string, nowMs: number): string {
  const tomorrow = dayOf(nowMs + DAY_MS);
  return daysIn(folder).includes(tomorrow) ? tomorrow : dayOf(nowMs);
}

function daysIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => DAY_NAME.test(name));
}

function refused(day: string): TakenRequest {
  return { isGranted: false, untilMs: endOf(day) };
}

function endOf(day: string): number {
  return Date.parse(day) + DAY_MS;
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
