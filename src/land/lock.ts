import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { Fault } from '../fault.ts';
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
type Holder = z.infer<typeof holderSchema>;

/**
 * Takes the lock file, or throws Fault('locked') naming its holder. A holder on this machine that
 * no longer lives (killed, or the machine restarted) has lost it.
 */
export async function takeLock(path: string, nowMs: number): Promise<Lock> {
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    since: new Date(nowMs).toISOString(),
  };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (await created(path, JSON.stringify(holder))) {
      return { release: () => rm(path, { force: true }) };
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const other = parsed(text);
    if (other !== undefined && isAlive(other)) throw locked(path, other);
    await removeDead(path, text);
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

/** Moves a dead holder's lock away; one that another run took meanwhile is put back. */
async function removeDead(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function parsed(text: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function locked(path: string, holder: Holder): Fault {
  return new Fault(
    'locked',
    `Another run holds this data root: process ${holder.pid} on ${holder.host} since ${holder.since}.`,
    { where: path, advice: 'Wait for it to end, or use another data root (--data DIR).' },
  );
}

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  return holder.started === '' || holder.started === startOf(holder.pid);
}

/** Start time of a process in clock ticks since boot; '' where the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
