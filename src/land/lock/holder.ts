import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../../effects.ts';
import { jsonIn } from '../../json-in.ts';
import { isElsewhere } from '../places/mounts.ts';
import { ifThere, isCode, localDisk, type OpenFile } from '../storage/disk.ts';
import { diskFault } from '../storage/disk-fault.ts';

/** Without `every`, holder files are not renewed: they suit work that takes milliseconds. */
export type LockEffects = Pick<Effects, 'now' | 'sleep'> & Partial<Pick<Effects, 'every' | 'log'>>;

/** How long a file of another machine is watched for a sign of life, and how often. */
export interface WatchTime {
  readonly watchMs: number;
  readonly lookEveryMs: number;
}

const RENEW_MS = 5_000;
/** Each renewal of a lock in an object store costs two requests. */
const LEASE_RENEW_MS = 10_000;
/** A holder that may be replaced: it has missed a dozen renewals. */
export const LEASE: WatchTime = { watchMs: 60_000, lookEveryMs: 1_000 };
/** A holder that is reported as ended: it has missed three renewals. */
const GLANCE: WatchTime = { watchMs: 15_000, lookEveryMs: 1_000 };

export const holderSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  /** Start of the process in clock ticks since boot; distinguishes reused process ids. */
  started: z.string(),
  since: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** This process, as a holder since `nowMs`. */
export function thisProcess(nowMs: number): Holder {
  return {
    pid: process.pid,
    host: hostname(),
    started: processOf(process.pid).started,
    since: new Date(nowMs).toISOString(),
  };
}

/** A file that names this process. Its last byte changes every 5 seconds while it lives. */
export interface HolderFile {
  /** Whether the file is still there, so that no other process has replaced this one. */
  isThere(): Promise<boolean>;
  remove(): Promise<void>;
}

/** Puts a holder file at a free path, whole or not at all; undefined if the path is taken. */
export async function putHolder(
  path: string,
  effects: LockEffects,
): Promise<HolderFile | undefined> {
  const text = JSON.stringify({ ...thisProcess(effects.now()), id: randomUUID() });
  const aside = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  let file: OpenFile | undefined;
  try {
    await localDisk.makeFolder(dirname(path));
    file = await localDisk.create(aside);
    await file.writeFile(`${text}\n`);
    if (!(await localDisk.linkIfAbsent(aside, path))) return undefined;
    const put = renewed(path, text, file, effects, isElsewhere(path));
    file = undefined;
    return put;
  } catch (error) {
    throw diskFault(error, path);
  } finally {
    await file?.close();
    await localDisk.remove(aside);
  }
}

/**
 * Renewals go to the open file and never to its path: those of a process that was replaced while it
 * stood still do no harm to the file of its successor. In an object store they are a courtesy:
 * the object is read first and put again, and `isThere` is as old as the last renewal.
 */
function renewed(
  path: string,
  text: string,
  file: OpenFile,
  effects: LockEffects,
  isLease: boolean,
): HolderFile {
  let last = '\n';
  let seenMs = effects.now();
  let renewal: Promise<void> | undefined;
  const look = async (): Promise<boolean> => {
    const isOurs = (await ifThere(localDisk.read(path)))?.startsWith(text) === true;
    if (isOurs) seenMs = effects.now();
    return isOurs;
  };
  const isThere = async (): Promise<boolean> =>
    (isLease && effects.now() - seenMs < 2 * LEASE_RENEW_MS) || look();
  const renew = async (): Promise<void> => {
    last = last === '\n' ? ' ' : '\n';
    if (isLease && (await look())) return localDisk.put(path, text + last);
    if (!isLease) {
      await file.write(last, Buffer.byteLength(text));
      // Machines that share a disk see the byte only then.
      await file.datasync();
      if (await look()) return;
    }
    stop?.();
    effects.log?.('warn', `Another process has replaced this one, which stood still: ${path}`);
  };
  const stop = effects.every?.(isLease ? LEASE_RENEW_MS : RENEW_MS, () => {
    // After a failure, the next renewal tries again.
    renewal ??= renew()
      .catch(() => undefined)
      .finally(() => (renewal = undefined));
  });
  return {
    isThere,
    remove: async () => {
      stop?.();
      await renewal;
      await file.close();
      if (await look()) await localDisk.remove(path);
    },
  };
}

/**
 * The holder in a holder file with this text; undefined if it has ended. A process of another
 * machine lives if the file changes while it is watched. The time is counted in sleeps, so clocks
 * that differ or jump do not matter. Without effects, processes of other machines count as alive.
 */
export async function liveHolder(
  path: string,
  text: string,
  effects: LockEffects | undefined,
  { watchMs, lookEveryMs }: WatchTime,
  signal?: AbortSignal,
): Promise<Holder | undefined> {
  const holder = holderSchema.safeParse(jsonIn(text)).data;
  if (holder === undefined || !isAlive(holder)) return undefined;
  if (holder.host === hostname() || effects === undefined) return holder;
  for (let watchedMs = 0; watchedMs < watchMs; watchedMs += lookEveryMs) {
    await effects.sleep(lookEveryMs, signal);
    const now = await ifThere(localDisk.read(path));
    if (now !== text) return now === undefined ? undefined : holder;
    if (watchedMs + lookEveryMs === 2 * RENEW_MS) {
      const { pid, host } = holder;
      const rest = `This command watches its lock for ${watchMs / 1000} s`;
      effects.log?.('warn', `Process ${pid} on ${host} gives no sign of life. ${rest}: ${path}`);
    }
  }
  return undefined;
}

/**
 * The live process that a holder file names; undefined without one. Those of other machines are
 * watched for 15 seconds, or count as alive without effects.
 */
export async function holderOf(path: string, effects?: LockEffects): Promise<Holder | undefined> {
  const text = await ifThere(localDisk.read(path));
  return text === undefined ? undefined : liveHolder(path, text, effects, GLANCE);
}

/** Whether the process still runs; a process of another machine counts as alive. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  const { state, started } = processOf(holder.pid);
  // A killed process keeps its id until its parent has collected its exit status.
  if (state === 'Z' || state === 'X') return false;
  return holder.started === '' || holder.started === started;
}

/** Whether the process runs. One of another machine must be among `others`. */
export function isRunning(holder: Holder, others: readonly Holder[]): boolean {
  if (holder.host === hostname()) return isAlive(holder);
  return others.some(({ pid, host, started }) => {
    return pid === holder.pid && host === holder.host && started === holder.started;
  });
}

/** State of a process and its start in clock ticks since boot; '' where /proc lacks them. */
function processOf(pid: number): { readonly state: string; readonly started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the state is the first field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return { state: '', started: '' };
  }
}
