import { dataOption, Fault } from '../../../fault.ts';
import { durationText, momentText } from '../../../pipeline/syntax/duration.ts';
import { loadPipeline, type Overrides } from '../../../run/job/pipeline-file.ts';
import { openMetrics } from '../../../run/metrics/open-metrics.ts';
import type { MetricsArguments } from '../../../run/metrics/run-metrics.ts';
import { runOnSchedule, type SchedulerEvent } from '../../../run/scheduler.ts';
import { systemEffects } from '../../../system.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import type { Console } from '../../terminal/console.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';
import { runLoaded } from '../run.ts';
import { scheduleOf } from './scheduled-job.ts';

interface ForegroundArguments extends Overrides, MetricsArguments {
  readonly pipeline: string;
  readonly data: string;
}

/**
 * Runs a pipeline at its times until a signal arrives. Every run reads the pipeline again. A run
 * that fails is reported, and the next time is waited for.
 */
export async function runInForeground(
  given: ForegroundArguments,
  output: Console,
): Promise<VerbResult> {
  const effects = systemEffects('warn', process.env, output.note);
  output.log?.work();
  const first = await loadPipeline(given.pipeline, given);
  const metrics = await openMetrics({ loaded: first, root: given.data, effects }, given);
  return stoppingOnSignals(output, first.pipeline, async (stops) => {
    await runOnSchedule({
      ...stops(),
      effects,
      schedule: scheduleOf(first.pipeline.schedule, given.pipeline),
      watch: (event) => output.note(eventText(event), levelOf(event)),
      start: async (run) => {
        try {
          const loaded = await loadPipeline(given.pipeline, given);
          const settings = { data: given.data, lock: true, verbose: false };
          const { exitCode } = await runLoaded(loaded, settings, output, {
            stops: () => run,
            metrics,
          });
          ended(exitCode, output);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          output.note(`windrow: ${error.paragraph(dataOption(output.root))}`, 'error');
          ended(error.exitCode, output);
        }
      },
    });
    return { exitCode: 0 } as const;
  }).finally(() => metrics?.close());
}

function ended(exitCode: number, output: Console): void {
  output.note(`The run ended with exit code ${exitCode}.`, exitCode === 0 ? 'info' : 'warn');
  output.log?.settle(exitCode);
}

/** A time without a run of its own is worth a warning. */
function levelOf({ kind }: SchedulerEvent): 'info' | 'warn' {
  return kind === 'waiting' ? 'info' : 'warn';
}

function eventText(event: SchedulerEvent): string {
  switch (event.kind) {
    case 'waiting':
      return `The next run begins at ${momentText(event.untilMs)}.`;
    case 'skipped':
      return `No run at ${momentText(event.dueMs)}: the last one was still under way.`;
    case 'queued':
      return `The run of ${momentText(event.dueMs)} begins late: the last one was under way.`;
    default:
      return `The run is interrupted after ${durationText(event.afterMs)} (schedule.timeout).`;
  }
}
