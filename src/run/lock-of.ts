import { type Effects, untilAny } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Lake } from '../land/lake.ts';
import { type Lock, takeLock } from '../land/storage/lock.ts';
import { waitForLock } from '../land/storage/lock-queue.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { asked } from './asked.ts';

interface LockedJob {
  readonly pipeline: Pick<Pipeline, 'limits'>;
  readonly lake: Lake;
  readonly effects: Effects;
  readonly connection: Pick<Connection, 'limits'>;
  readonly softStop: AbortSignal;
}

const DEFAULT_MAX_WAIT_MS = 86_400_000;

/** The lock of the data root, by `limits.onLocked` of the pipeline. */
export async function lockOf(job: LockedJob): Promise<Lock> {
  const { pipeline, lake, effects, connection, softStop } = job;
  const { onLocked, priority, maxWaitMs = DEFAULT_MAX_WAIT_MS } = pipeline.limits;
  if (onLocked === 'fail') return takeLock(lake.layout.lock, effects.now());
  const { ending } = connection.limits;
  const waiting = untilAny([softStop, ending], (signal) =>
    waitForLock(lake.layout.lock, { priority, maxWaitMs, effects, signal }),
  );
  return asked(job, waiting).catch((error: unknown) => {
    const { reached } = connection.limits;
    if (!ending.aborted || reached === undefined) throw error;
    throw new Fault('limited', `The run ended before it began: ${reached.message}.`, {
      advice: 'Another run held the data root. The next run continues.',
      cause: error,
    });
  });
}
