import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { holderSchema, isAlive, type Lock, takeLock, thisProcess } from './lock.ts';

export interface QueueOptions {
  /** Waiters with a higher priority, from 1 to 9, come first; then those that came earlier. */
  readonly priority: number;
  readonly maxWaitMs: number;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log'>;
  /** Ends the wait with its reason. */
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Takes the lock file once no live process holds it and no other one waits before this one. Throws
 * Fault('locked') after the longest wait. Each waiter has a file beside the lock, whose name is its
 * place; the files of waiters that were killed are removed.
 */
export async function waitForLock(path: string, options: QueueOptions): Promise<Lock> {
  const { priority, maxWaitMs, effects, signal } = options;
  const sinceMs = effects.now();
  const folder = `${path}.queue`;
  const place = `${9 - priority}-${String(sinceMs).padStart(15, '0')}-${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `.${place}`), JSON.stringify(thisProcess(sinceMs)));
  await rename(join(folder, `.${place}`), join(folder, place));
  try {
    for (let looks = 0; ; looks += 1) {
      const lock = await takenInTurn(path, folder, place, effects.now()).catch((error) => {
        if (!isLocked(error) || effects.now() - sinceMs >= maxWaitMs) throw error;
        if (looks === 0) effects.log('warn', `${error.message} The run waits for it.`);
        return undefined;
      });
      if (lock !== undefined) return lock;
      await effects.sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    await rm(join(folder, place), { force: true });
  }
}

function isLocked(error: unknown): error is Fault {
  return error instanceof Fault && error.kind === 'locked';
}

/** The lock; throws Fault('locked') if another process holds it or comes before. */
async function takenInTurn(
  path: string,
  folder: string,
  place: string,
  nowMs: number,
): Promise<Lock> {
  for (const name of (await readdir(folder)).sort()) {
    if (name === place) break;
    if (name.startsWith('.')) continue;
    if (!(await isWaiting(join(folder, name)))) {
      await rm(join(folder, name), { force: true });
      continue;
    }
    throw new Fault('locked', 'Another run waits for this data root, and comes first.', {
      where: path,
      advice: 'Wait for it to end, or use another data root (--data DIR).',
    });
  }
  return takeLock(path, nowMs);
}

async function isWaiting(file: string): Promise<boolean> {
  try {
    return isAlive(holderSchema.parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch {
    return false;
  }
}
