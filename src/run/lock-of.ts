import { untilAny } from '../effects.ts';
import { Fault } from '../fault.ts';
import { takeLock, underLock } from '../land/lock/lock.ts';
import { waitForLock } from '../land/lock/lock-queue.ts';
import type { Disk } from '../land/storage/disk.ts';
import { answerOf } from './interruption.ts';
import type { Job } from './run-job.ts';

const DEFAULT_MAX_WAIT_MS = 86_400_000;

/**
 * Does work with the lock of the data root, by `limits.onLocked` of the pipeline, and with the disk
 * that needs it.
 */
export async function withLock<T>(job: Job, work: (disk: Disk) => Promise<T>): Promise<T> {
  const { pipeline, lake, effects, connection, softStop } = job;
  const { onLocked, priority, maxWaitMs = DEFAULT_MAX_WAIT_MS } = pipeline.limits;
  const { lock: path } = lake.layout;
  const { ending } = connection.limits;
  const waiting = untilAny([softStop, ending], (signal) =>
    onLocked === 'fail'
      ? takeLock(path, effects, signal)
      : waitForLock(path, { priority, maxWaitMs, effects, signal }),
  );
  const lock = await answerOf(job, waiting).catch((error: unknown) => {
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
