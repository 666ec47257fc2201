import { intentOf } from '../../run/job/chosen-datasets.ts';
import { type LoadedPipeline, loadPipeline } from '../../run/job/pipeline-file.ts';
import { type RunListener, type RunOnceOptions, runOnce } from '../../run/shell/pipeline-run.ts';
import { endFields, reportDocument } from '../../run/shell/run-document.ts';
import { shellOptions } from '../job/console-surroundings.ts';
import { stoppingOnSignals } from '../job/stop-signals.ts';
import type { Console } from '../terminal/console.ts';
import {
  type Arguments,
  limits,
  metricsOptions,
  only,
  pipelineOptions,
  queue,
  textOption,
  toggle,
} from '../terminal/options.ts';
import { RunProgress } from '../terminal/progress.ts';
import { reportText } from '../terminal/report.ts';
import { print, type VerbOf, type VerbResult } from '../terminal/verb-result.ts';

export const runOptions = {
  options: {
    ...pipelineOptions,
    ...metricsOptions,
    ...limits,
    only,
    queue,
    partRequests: textOption('With --queue: least requests of a part (default 1000)'),
    lock: toggle(
      'Lock the data root (--no-lock is safe, but two runs may fetch the same blocks)',
      true,
    ),
    verbose: toggle('Print debug messages'),
  },
  examples: {
    '$0 run pipelines/address-activity.yaml': 'start an export, or continue it',
    '$0 run my.yaml --blocks 19000000:19009999': 'only these blocks',
    '$0 run my.yaml --queue redis://HOST:6379/0': 'by workers on other machines',
  },
};

export type RunArguments = Arguments<typeof runOptions>;

/** `windrow run`: fetches missing blocks, lands their rows and publishes the warehouse. */
export const runVerb: VerbOf<typeof runOptions> = async (input, output) => {
  if (input.queue !== undefined) {
    const { submitRun } = await import('./queue/submit.ts');
    return submitRun({ ...input, queue: input.queue }, output);
  }
  const loaded = await loadPipeline(input.pipeline, input);
  return runLoaded(loaded, input, output, intentOf(loaded, input.only));
};

/**
 * Runs a loaded pipeline. SIGINT finishes open slices, for at most `limits.stopWithin`; a second
 * SIGINT stops at once.
 */
export async function runLoaded(
  loaded: LoadedPipeline,
  input: GivenToRun,
  output: Console,
  more: MoreOfRun = {},
): Promise<VerbResult> {
  const { stream, pending, limits } = loaded.pipeline;
  const isCapturing = (stream ?? pending) !== undefined && limits.forMs !== undefined;
  const listener: RunListener = {
    named: (run) => {
      output.log?.about(run);
      output.log?.event('The run starts.', { pipeline: loaded.pipeline.name });
    },
    watch: (connection, effects) => new RunProgress(output, connection, effects, isCapturing),
    finished: (finished) => {
      output.log?.event('The run ended.', endFields(finished));
      print({ document: reportDocument(finished), lines: reportText(finished) }, output);
    },
  };
  // Signals end the process again only after the report, the alerts and the page of the run.
  return stoppingOnSignals(output, loaded.pipeline, async (stops) => {
    const { exitCode } = await runOnce({
      ...shellOptions(loaded, input.data, output, input.verbose),
      ...input,
      isLocked: input.lock !== false,
      stops,
      listener,
      ...more,
    });
    return { exitCode };
  });
}

type MoreOfRun = Partial<
  Pick<RunOnceOptions, 'intent' | 'stops' | 'command' | 'metrics' | 'credentials' | 'captureMs'>
>;

type GivenToRun = Pick<RunArguments, 'data'> & Partial<RunArguments>;
