import { type Effects, untilAny } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Lake } from '../land/lake.ts';
import { takeLock, underLock } from '../land/lock/lock.ts';
import { waitForLock } from '../land/lock/lock-queue.ts';
import type { Disk } from '../land/storage/disk.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { asked } from './interruption.ts';

interface LockedJob {
  readonly pipeline: Pick<Pipeline, 'limits'>;
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly connection: Pick<Connection, 'limits'>;
  readonly softStop: AbortSignal;
}

const DEFAULT_MAX_WAIT_MS = 86_400_000;

/**
 * Does work with the lock of the data root, by `limits.onLocked` of the pipeline, and with the disk
 * that needs it.
 */
export async function withLock<T>(job: LockedJob, work: (disk: Disk) => Promise<T>): Promise<T> {
  const { pipeline, lake, effects, connection, softStop } = job;
  const { onLocked, priority, maxWaitMs = DEFAULT_MAX_WAIT_MS } = pipeline.limits;
  const { lock: path } = lake.layout;
  const { ending } = connection.limits;
  const waiting = untilAny([softStop, ending], (signal) =>
    onLocked === 'fail'
      ? takeLock(path, effects, signal)
      : waitForLock(path, { priority, maxWaitMs, effects, signal }),
  );
  const lock = await asked(job, waiting).catch((error: unknown) => {
    const { reached } = connection.limits;
    if (!ending.aborted || reached === undefined) throw error;
    throw new Fault('limited', `The run ended before it began: ${reached.message}.`, {
      advice: 'Another run held the data root. The next run continues.',
      cause: error,
    });
  });
  try {
    return await work(underLock(job.disk, lock));
  } finally {
    await lock.release();
  }
}
