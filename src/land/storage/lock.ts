import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../fault.ts';
import { diskFault, isCode } from './disk.ts';

/**
 * Allows one run at a time on a data root. The lake stays correct without it, because commits are
 * atomic and merge again after losing a race; the lock keeps two runs from fetching the same data.
 */
export interface Lock {
  release(): Promise<void>;
}

export const holderSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  /** Start of the process in clock ticks since boot; distinguishes reused process ids. */
  started: z.string(),
  since: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** The holder of the lock file: a live process or one on another machine; else undefined. */
export async function lockHolder(path: string): Promise<Holder | undefined> {
  const text = await readIfThere(path);
  const holder = text === undefined ? undefined : parsed(text);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/**
 * Takes the lock file, or throws Fault('locked') naming its holder. Replaces the lock of a holder
 * on this machine whose process has ended.
 */
export async function takeLock(path: string, nowMs: number): Promise<Lock> {
  const holder = thisProcess(nowMs);
  const own = JSON.stringify(holder);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (await created(path, own)) return { release: () => removeIf(path, own) };
    const text = await readIfThere(path);
    if (text === undefined) continue;
    const other = parsed(text);
    if (other !== undefined && isAlive(other)) throw locked(path, other);
    await removeDead(path, text, nowMs);
  }
  throw new Fault('locked', 'The holder of the lock changes faster than the lock can be taken.', {
    where: path,
    advice: 'Another run is starting on this data root: wait for it to end.',
  });
}

/** This process, as the holder of a lock since `nowMs`. */
export function thisProcess(nowMs: number): Holder {
  return {
    pid: process.pid,
    host: hostname(),
    started: processOf(process.pid).started,
    since: new Date(nowMs).toISOString(),
  };
}

/** Publishes the file by link, so a lock file always contains its holder. Makes its folder. */
async function created(path: string, text: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(aside, text);
    await link(aside, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw diskFault(error, path);
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Removes the lock of a dead holder, under a second lock and after reading the file again. Without
 * them, two runs that saw the same dead holder could remove each other's new lock.
 */
async function removeDead(path: string, text: string, nowMs: number): Promise<void> {
  const removal = await takeLock(removalLockOf(path, text), nowMs);
  try {
    await removeIf(path, text);
  } finally {
    await removal.release();
  }
}

/** Path of the lock for removing a lock with this content. Its dead holders lose it in turn. */
export function removalLockOf(path: string, text: string): string {
  return `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

async function removeIf(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) === text) await rm(path, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parsed(text: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function locked(path: string, holder: Holder): Fault {
  const { pid, host, since } = holder;
  return new Fault(
    'locked',
    `Another run holds this data root: process ${pid} on ${host} since ${since}.`,
    {
      where: path,
      advice:
        'Wait for it to end, or use another data root (--data DIR).' +
        (host === hostname() ? '' : ` If ${host} is gone for good, delete this file.`),
    },
  );
}

/** Whether the process still runs; a process of another machine counts as alive. */
export function isAlive(holder: Holder): boolean {
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
