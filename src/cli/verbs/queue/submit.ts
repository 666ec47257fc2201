import { Fault } from '../../../fault.ts';
import { MOST_REQUESTS } from '../../../pipeline/run-limits.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import type { Stops } from '../../../run/interruption.ts';
import { intentOf } from '../../../run/job/chosen-datasets.ts';
import { PIPELINE_TYPES } from '../../../run/job/option-types.ts';
import type { LoadedPipeline, Overrides } from '../../../run/job/pipeline-file.ts';
import { runName } from '../../../run/job/run-name.ts';
import { due, type Surroundings } from '../../../run/lake/surroundings.ts';
import type { JobQueue, QueuedRunState } from '../../../run/queue/job-queue.ts';
import { withQueue } from '../../../run/queue/open-queue.ts';
import type { RunDocument } from '../../../run/shell/run-document.ts';
import { concludedFault } from '../../../run/workers/faults.ts';
import { recordedPipeline } from '../../../run/workers/run-files.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import { type Console, many } from '../../terminal/console.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';

interface Submitted extends Overrides {
  readonly pipeline: string;
  readonly queue: string;
  readonly only?: readonly string[] | undefined;
  readonly partRequests?: string | undefined;
}

const LOOK_MS = 500;

/**
 * `windrow run --queue`: queues a run for workers and waits for its end. An interruption cancels
 * the run; where this process is killed, the workers go on.
 */
export async function submitRun(input: Submitted, output: Console): Promise<VerbResult> {
  const options = Object.entries(input).filter(([name]) => name in PIPELINE_TYPES);
  const overrides: Overrides = Object.fromEntries(options);
  const { loaded, ...recorded } = await recordedPipeline(input.pipeline, overrides);
  // Throws for a dataset that the pipeline does not request.
  intentOf(loaded, input.only);
  needNoLimits(loaded);
  const { partRequests: text } = input;
  const partRequests =
    text === undefined ? undefined : wholeNumber('--part-requests', text, 1, MOST_REQUESTS);
  const { effects, note } = output;
  for (const line of loaded.notes) note(line);
  const run = runName(effects);
  output.log?.about(run);
  const opening = { url: input.queue, worker: run, effects, env: process.env };
  return withQueue(opening, async (queue) => {
    await queue.begin({ run, only: input.only, partRequests, ...recorded });
    note(`Run ${run} is queued. Start workers with: windrow worker --queue ${input.queue}`);
    const document = await stoppingOnSignals(output, loaded.pipeline, (stops) =>
      documentOf(queue, run, stops(), output),
    );
    return { document, lines: linesOf(run, document), exitCode: document.exitCode };
  });
}

/** Waits for the end of the run, and cancels it at an interruption. */
async function documentOf(
  queue: JobQueue,
  run: string,
  { softStop, hardStop }: Stops,
  { effects, note }: Surroundings,
): Promise<RunDocument> {
  const noted = due(effects);
  for (;;) {
    const state = await queue.stateOf(run);
    if (state === undefined) throw lostRun();
    const { conclusion, isCancelled } = state;
    if (conclusion !== undefined) {
      if ('fault' in conclusion) throw concludedFault(conclusion.fault);
      return conclusion.document;
    }
    if (softStop.aborted && !isCancelled) await queue.cancel(run);
    hardStop.throwIfAborted();
    if (noted()) note(progressText(state));
    await effects.sleep(LOOK_MS);
  }
}

/** Throws a usage fault for limits of one process, which workers would multiply. */
function needNoLimits({ pipeline: { limits } }: LoadedPipeline): void {
  if (limits.maxRequests === undefined && limits.forMs === undefined) return;
  throw new Fault('usage', 'A limit of requests or of time holds for one process.', {
    advice: 'Remove it, or run without --queue. A daily quota holds for all workers together.',
  });
}

function lostRun(): Fault {
  return new Fault('lake', 'Redis has lost the run.', {
    advice: 'Run again: the lake has the rows that landed, and they are not fetched again.',
  });
}

/** `12 of 40 parts have ended: 12,000 requests, 34,000 rows.` */
export function progressText({ counts }: QueuedRunState): string {
  const { parts = 0, queuedParts = 0, requests = 0, rows = 0 } = counts;
  const ended = `${parts} of ${many(queuedParts, 'part')} have ended`;
  return `${ended}: ${many(requests, 'request')}, ${many(rows, 'row')}.`;
}

function linesOf(run: string, { exitCode, workers }: RunDocument): string[] {
  const { parts = 0, requests = 0, rows = 0 } = workers as Partial<Record<string, number>>;
  const work = `${many(parts, 'part')}, ${many(requests, 'request')}, ${many(rows, 'row')}`;
  return [`Run ${run} ended with exit code ${exitCode}; workers: ${work}.`];
}
