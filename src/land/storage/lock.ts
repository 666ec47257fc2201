import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { Fault } from '../../fault.ts';
import { isCode } from './disk.ts';

/**
 * One pipeline at a time on a data root. The lake needs no lock to stay right (commits are
 * atomic and merge again when they lose a race); it saves two runs from fetching the same.
 */
export interface Lock {
  release(): Promise<void>;
}

const holderSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  /** When the process started, by the system's count: tells a reused process id apart. */
  started: z.string(),
  since: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** Who holds the lock file: a process that lives, or one on another machine; else undefined. */
export async function lockHolder(path: string): Promise<Holder | undefined> {
  const text = await readIfThere(path);
  const holder = text === undefined ? undefined : parsed(text);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/**
 * Takes the lock file, or throws Fault('locked') naming its holder. A holder on this machine that
 * no longer lives (killed, or the machine restarted) has lost it.
 */
export async function takeLock(path: string, nowMs: number): Promise<Lock> {
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    started: processOf(process.pid).started,
    since: new Date(nowMs).toISOString(),
  };
  const own = JSON.stringify(holder);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (await created(path, own)) return { release: () => removeIf(path, own) };
    const text = await readIfThere(path);
    if (text === undefined) continue;
    const other = parsed(text);
    if (other !== undefined && isAlive(other)) throw locked(path, other);
    await removeDead(path, text, nowMs);
  }
  throw new Fault('locked', 'The lock changes hands faster than it can be taken.', {
    where: path,
    advice: 'Another run is starting on this data root: wait for it to end.',
  });
}

/** The file appears with its content or not at all, so nobody reads a lock without a holder. */
async function created(path: string, text: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  await writeFile(aside, text);
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Removes a dead holder's lock. Only who holds the lock on this removal may do it, and looks again
 * before: else two runs that saw the same dead holder could remove each other's new lock.
 */
async function removeDead(path: string, text: string, nowMs: number): Promise<void> {
  const removal = await takeLock(removalLockOf(path, text), nowMs);
  try {
    await removeIf(path, text);
  } finally {
    await removal.release();
  }
}

/** The lock on removing a lock with exactly this content. Its own dead holders lose it alike. */
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

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  const { state, started } = processOf(holder.pid);
  // A process that was killed, and that nobody has asked about yet, still has its number.
  if (state === 'Z' || state === 'X') return false;
  return holder.started === '' || holder.started === started;
}

/** State of a process, and its start in clock ticks since boot; '' where nobody tells. */
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
