import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { holderSchema, isAlive, thisProcess, type WatchTime } from '../../land/lock/holder.ts';
import { type Lock, takeLock } from '../../land/lock/lock.ts';
import type { LeaseStore } from './leased-pace.ts';
import type { Lease } from './shares.ts';

const leaseSchema = z.object({
  id: z.string(),
  sinceMs: z.number(),
  renewedMs: z.number(),
  priority: z.number(),
  wanted: z.number().min(0).max(1),
  share: z.number().min(0).max(1),
  ceilingAtMs: z.number(),
  ratePerSecond: z.number().positive(),
  ceilingPerSecond: z.number().positive().nullable(),
  isProbing: z.boolean(),
  blockedUntilMs: z.number().nullable(),
  holder: holderSchema,
});
const fileSchema = z.array(leaseSchema);
type StoredLease = z.infer<typeof leaseSchema>;

/** Updates take about a millisecond; only a process that is stuck holds the lock for longer. */
const LOCK_TRIES = 200;
const LOCK_PAUSE_MS = 5;
/** So a process of another machine that is silent for a second was killed with the lock. */
const WATCH_TIME: WatchTime = { watchMs: 1000, lookEveryMs: LOCK_PAUSE_MS };

/** The leases of a key in a file of its folder, below a lock that a killed process loses. */
export function leaseFile(
  folder: string,
  effects: Pick<Effects, 'now' | 'sleep' | 'random'>,
): LeaseStore {
  const path = join(folder, 'leases.json');
  const holder = thisProcess(effects.now());
  return {
    update: async (change) => {
      const lock = await takenLock(join(folder, 'leases.lock'), effects);
      try {
        const stored = await readLeases(path);
        const holders = new Map(stored.map((lease) => [lease.id, lease.holder]));
        const changed = change(stored.map(leaseOf)).map((lease) => ({
          ...lease,
          blockedUntilMs: Number.isFinite(lease.blockedUntilMs) ? lease.blockedUntilMs : null,
          holder: holders.get(lease.id) ?? holder,
        }));
        await writeFile(`${path}.new`, JSON.stringify(changed), { mode: 0o600 });
        await rename(`${path}.new`, path);
      } finally {
        await lock.release();
      }
    },
  };
}

function leaseOf({ holder: _, blockedUntilMs, ...lease }: StoredLease): Lease {
  return { ...lease, blockedUntilMs: blockedUntilMs ?? Number.NEGATIVE_INFINITY };
}

/** The leases of live processes; a file that is missing or damaged has none. */
async function readLeases(path: string): Promise<StoredLease[]> {
  const text = await readFile(path, 'utf8').catch(() => '[]');
  try {
    return fileSchema.parse(JSON.parse(text)).filter(({ holder }) => isAlive(holder));
  } catch {
    return [];
  }
}

async function takenLock(
  path: string,
  effects: Pick<Effects, 'now' | 'sleep' | 'random'>,
): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await takeLock(path, effects, WATCH_TIME);
    } catch (error) {
      const isHeld = error instanceof Fault && error.kind === 'locked';
      if (!isHeld || tries === LOCK_TRIES) throw error;
      await effects.sleep(LOCK_PAUSE_MS * (0.5 + effects.random()));
    }
  }
}
