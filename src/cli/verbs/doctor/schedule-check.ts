import { readHistoryOf } from '../../../land/reports/run-history.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import { nextCronMs } from '../../../pipeline/syntax/cron.ts';
import { durationText, momentText } from '../../../pipeline/syntax/duration.ts';
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts';

/** The next time of the schedule, and whether the last run is older than it allows. */
export async function checkSchedule(
  { name, schedule }: Pick<Pipeline, 'name' | 'schedule'>,
  root: string,
  nowMs: number,
): Promise<Diagnosis> {
  if (schedule === undefined) {
    return fine('schedule', 'The pipeline has no schedule: it runs by hand, or by another one.');
  }
  const nextMs = nextCronMs(schedule, nowMs);
  if (nextMs === undefined) {
    const remedy = 'Correct schedule.cron in the pipeline.';
    return failure('schedule', 'The schedule has no time in the future.', remedy, 'configuration');
  }
  const next = `The next run is due at ${momentText(nextMs)}.`;
  const { last } = await readHistoryOf(layout(root), localDisk, name, nowMs);
  if (last?.endedAt === undefined) return fine('schedule', `${next} No run has ended yet.`);
  const lastMs = Date.parse(last.endedAt);
  const dueMs = nextCronMs(schedule, lastMs);
  const { jitterMs, timeoutMs = 0 } = schedule;
  if (dueMs !== undefined && dueMs + jitterMs + timeoutMs + GRACE_MS >= nowMs) {
    return fine('schedule', next);
  }
  return warning(
    'schedule',
    `The last run ended ${durationText(nowMs - lastMs)} ago, and the schedule wanted a later one.`,
    {
      text: 'Check that the scheduler is installed and running. schedule prints its files.',
      command: 'windrow schedule PIPELINE --as systemd',
    },
  );
}

/** The time that a run may take before it counts as missing. */
const GRACE_MS = 3_600_000;
