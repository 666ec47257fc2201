import { createHash } from 'node:crypto';
import { Fault } from '../../fault.ts';
import { type Disk, ifThere, localDisk } from '../storage/disk.ts';
import { type Holder, LEASE, type LockEffects, liveHolder, putHolder } from './holder.ts';

/**
 * Allows one run at a time on a data root. The lake stays correct without it, because commits are
 * atomic and merge again after losing a race; the lock keeps two runs from fetching the same data,
 * and from deleting files that the other one needs.
 */
export interface Lock {
  /** Throws Fault('locked') if another process has replaced this one. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes the lock file, or throws Fault('locked') naming its holder. Replaces a holder on this
 * machine whose process has ended, and one on another machine that is silent during the lease.
 */
export async function takeLock(
  path: string,
  effects: LockEffects,
  signal?: AbortSignal,
): Promise<Lock> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const file = await putHolder(path, effects);
    if (file !== undefined) {
      const check = async (): Promise<void> => {
        if (!(await file.isThere())) throw replaced(path);
      };
      return { check, release: file.remove };
    }
    const text = await ifThere(localDisk.read(path));
    if (text === undefined) continue;
    const holder = await liveHolder(path, text, effects, LEASE, signal);
    if (holder !== undefined) throw heldBy(path, holder);
    await removeDead(path, text, effects);
  }
  throw new Fault('locked', 'The holder of the lock changes faster than the lock can be taken.', {
    where: path,
    advice: 'Another run is starting on this data root: wait for it to end.',
  });
}

/** Does work under a lock, with a disk that needs it. */
export async function locked<T>(
  path: string,
  effects: LockEffects,
  work: (disk: Disk) => Promise<T>,
): Promise<T> {
  const lock = await takeLock(path, effects);
  try {
    return await work(underLock(localDisk, lock));
  } finally {
    await lock.release();
  }
}

/**
 * A disk that removes and renames only while this process holds the lock. A process that stood
 * still for longer than the lease must not delete files by a plan from before.
 */
export function underLock(disk: Disk, lock: Lock): Disk {
  return {
    ...disk,
    rename: async (from, to) => {
      await lock.check();
      await disk.rename(from, to);
    },
    remove: async (path) => {
      await lock.check();
      await disk.remove(path);
    },
  };
}

/**
 * Removes the lock of a dead holder, under a second lock and after reading the file again. Without
 * them, two runs that saw the same dead holder could remove each other's new lock.
 */
async function removeDead(path: string, text: string, effects: LockEffects): Promise<void> {
  await locked(removalLockOf(path, text), effects, async () => {
    if ((await ifThere(localDisk.read(path))) === text) await localDisk.remove(path);
  });
}

/** Path of the lock for removing a lock with this content. Its dead holders lose it in turn. */
export function removalLockOf(path: string, text: string): string {
  return `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function heldBy(path: string, { pid, host, since }: Holder): Fault {
  const message = `Another run holds this data root: process ${pid} on ${host} since ${since}.`;
  const advice = 'Wait for it to end, or use another data root (--data DIR).';
  return new Fault('locked', message, { where: path, advice });
}

function replaced(path: string): Fault {
  return new Fault('locked', 'Another process has taken the lock over from this one.', {
    where: path,
    advice: 'This one stood still for over a minute. Run it again once the other one has ended.',
  });
}
