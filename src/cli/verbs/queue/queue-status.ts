import { withQueue } from '../../../run/queue/open-queue.ts';
import { type Console, many } from '../../terminal/console.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';
import { progressText } from './submit.ts';

const PATIENCE_MS = 5000;

/** `windrow status --queue`: jobs, workers and runs of a queue. */
export async function queueStatus(url: string, output: Console): Promise<VerbResult> {
  const { effects } = output;
  const options = { url, worker: 'status', patienceMs: PATIENCE_MS, effects, env: process.env };
  return withQueue(options, async (queue) => {
    const { waiting, active, failed, workers, runs } = await queue.status();
    const rate = workers.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
    const jobs = `${many(waiting, 'job')} waiting, ${active} active, ${failed} failed`;
    const lines = [
      `${jobs}; ${many(workers.length, 'busy worker')}, ${rate} requests/s.`,
      ...workers.map(({ worker, run, kind, requestsPerSecond }) => {
        return `  ${worker}: ${kind} of run ${run}, ${requestsPerSecond} requests/s`;
      }),
      ...runs.map((state) => {
        const { run, counts, conclusion, isCancelled } = state;
        const isOver = conclusion !== undefined;
        const phase = isOver ? 'ended' : isCancelled ? 'is being cancelled' : 'is under way';
        const stalled = counts.stalled === undefined ? '' : ` Stalled: ${counts.stalled}.`;
        return `Run ${run} ${phase}. ${progressText(state)}${stalled}`;
      }),
    ];
    const document = {
      ...{ waiting, active, failed, requestsPerSecond: rate, workers },
      runs: runs.map(({ run, counts, conclusion, isCancelled }) => {
        return { run, ...counts, isCancelled, isOver: conclusion !== undefined };
      }),
    };
    return { document, lines, exitCode: 0 };
  });
}
