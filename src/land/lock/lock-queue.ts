import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { ifThere, localDisk } from '../storage/disk.ts';
import { type Holder, holderOf, LEASE, liveHolder, putHolder } from './holder.ts';
import { type Lock, takeLock } from './lock.ts';

export interface QueueOptions {
  /** Waiters with a higher priority, from 1 to 9, come first; then those that came earlier. */
  readonly priority: number;
  readonly maxWaitMs: number;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log' | 'every'>;
  /** Ends the wait with its reason. */
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Takes the lock file once no live process holds it and no other one waits before this one. Throws
 * Fault('locked') after the longest wait. Each waiter has a holder file in a folder beside the
 * lock, whose name is its place; the files of waiters that were killed are removed.
 */
export async function waitForLock(path: string, options: QueueOptions): Promise<Lock> {
  const { priority, maxWaitMs, effects, signal } = options;
  const sinceMs = effects.now();
  const place = `${9 - priority}-${String(sinceMs).padStart(15, '0')}-${randomUUID()}`;
  const file = await putHolder(join(folderOf(path), place), effects);
  try {
    for (let looks = 0; ; looks += 1) {
      const lock = await takenInTurn(path, place, options).catch((error) => {
        const isLocked = error instanceof Fault && error.kind === 'locked';
        if (!isLocked || effects.now() - sinceMs >= maxWaitMs) throw error;
        if (looks === 0) effects.log('warn', `${error.message} The run waits for it.`);
        return undefined;
      });
      if (lock !== undefined) return lock;
      await effects.sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    await file?.remove();
  }
}

function folderOf(lock: string): string {
  return `${lock}.queue`;
}

/** Places in the queue, the first one first. Names with a dot are files that are being written. */
async function places(lock: string): Promise<string[]> {
  return (await localDisk.list(folderOf(lock))).filter((name) => !name.startsWith('.')).sort();
}

/** The lock; throws Fault('locked') if another process holds it or comes before. */
async function takenInTurn(
  path: string,
  place: string,
  { effects, signal }: QueueOptions,
): Promise<Lock> {
  for (const name of await places(path)) {
    if (name === place) break;
    const waiter = join(folderOf(path), name);
    const text = await ifThere(localDisk.read(waiter));
    if (text === undefined) continue;
    if ((await liveHolder(waiter, text, effects, LEASE, signal)) === undefined) {
      await localDisk.remove(waiter);
      continue;
    }
    throw new Fault('locked', 'Another run waits for this data root, and comes first.', {
      where: path,
      advice: 'Wait for it to end, or use another data root (--data DIR).',
    });
  }
  return takeLock(path, effects, signal);
}

/**
 * The live processes that hold a lock or wait for it. Without effects, those of other machines are
 * not watched: each counts as alive.
 */
export async function processesAt(
  path: string,
  effects?: Pick<Effects, 'now' | 'sleep' | 'log'>,
): Promise<Holder[]> {
  const waiting = (await places(path)).map((name) => join(folderOf(path), name));
  const live = await Promise.all([path, ...waiting].map((file) => holderOf(file, effects)));
  return live.filter((holder) => holder !== undefined);
}
