import type { Argv } from 'yargs';
import { findDataset } from '../../catalogue/index.ts';
import { durationText } from '../../config/duration.ts';
import { suggestion } from '../../config/nearest.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { Credentials } from '../../fetch/http/signature.ts';
import { RequestLimits } from '../../fetch/limits/request-limits.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { reportedRunSchema } from '../../report/reported-run.ts';
import { RateSamples } from '../../run/rate-samples.ts';
import { type Intent, run as runPipeline } from '../../run/run.ts';
import { STOP_SIGNALS, systemEffects } from '../../system.ts';
import { credentialsFrom, isRenewable } from '../job/credentials.ts';
import { type JobOptions, openJob } from '../job/open-job.ts';
import { type LoadedPipeline, loadPipeline, type Overrides } from '../job/pipeline-file.ts';
import { type RunDocument, recorded } from '../job/recorded-run.ts';
import { runName } from '../log/run-name.ts';
import type { MetricsOf, RunMetrics } from '../metrics/run-metrics.ts';
import type { Console } from '../terminal/console.ts';
import { jsonDocument } from '../terminal/console.ts';
import {
  limits,
  type MetricsArguments,
  metricsOptions,
  onlyDatasets,
  withPipeline,
} from '../terminal/options.ts';
import { runWatch } from '../terminal/progress.ts';
import { type ExitCode, endFields, reportDocument, reportText } from '../terminal/report.ts';
import { windrowVersion } from '../terminal/version.ts';
import { openTraces } from '../traces/run-traces.ts';

export function runOptions(args: Argv) {
  return withPipeline(args)
    .options(metricsOptions)
    .options(limits)
    .options(onlyDatasets)
    .option('lock', {
      type: 'boolean',
      default: true,
      describe: 'Lock the data root (--no-lock is safe, but two runs may fetch the same blocks)',
    })
    .option('verbose', { type: 'boolean', default: false, describe: 'Print debug messages' })
    .example('$0 run pipelines/address-activity.yaml', 'start an export, or continue it')
    .example('$0 run my.yaml --blocks 19000000:19009999 --data /lake', 'only these blocks');
}

export interface RunArguments extends Overrides, MetricsArguments {
  readonly pipeline: string;
  readonly data: string;
  readonly lock: boolean;
  readonly verbose: boolean;
  readonly only?: readonly string[] | undefined;
}

/** `windrow run`: fetches missing blocks, lands their rows and publishes the warehouse. */
export async function runVerb(given: RunArguments, output: Console): Promise<ExitCode> {
  const loaded = await loadPipeline(given.pipeline, given);
  return runLoaded(loaded, credentialsOf(loaded), given, output, intentOf(loaded, given.only));
}

/** The datasets that an option names; undefined without it. Throws Fault('usage'). */
export function chosenDatasets(
  { pipeline, file }: LoadedPipeline,
  option: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (option === undefined) return undefined;
  const names = option.flatMap((text) => text.split(',')).map((name) => name.trim());
  const requested = [...new Set(pipeline.requests.map(({ dataset }) => dataset))];
  const unknown = names.find((name) => !requested.includes(name));
  if (unknown === undefined) return new Set(names);
  const finding =
    findDataset(unknown) === undefined ? 'There is no dataset' : 'The pipeline does not request';
  throw new Fault('usage', `${finding} ${JSON.stringify(unknown)}.`, {
    where: file,
    advice: suggestion(unknown, requested),
  });
}

/** The intent of a run of some datasets; empty without the option. */
export function intentOf(
  loaded: LoadedPipeline,
  option: readonly string[] | undefined,
): { readonly intent?: Intent } {
  const chosen = chosenDatasets(loaded, option);
  if (chosen === undefined) return {};
  return { intent: { isAgain: false, wants: ({ request }) => chosen.has(request.dataset) } };
}

/** Reads the credentials of a pipeline when they are needed. */
export function credentialsOf(loaded: LoadedPipeline): () => Promise<Credentials | undefined> {
  const { source } = loaded.pipeline;
  return () => credentialsFrom(source, loaded.file, loaded.resolve, process.env);
}

/**
 * Runs a loaded pipeline. SIGINT finishes open slices, for at most `limits.stopWithin`; a second
 * SIGINT stops at once.
 */
export async function runLoaded(
  loaded: LoadedPipeline,
  credentials: () => Promise<Credentials | undefined>,
  given: GivenToRun,
  output: Console,
  more: MoreOfRun = {},
): Promise<ExitCode> {
  const system = systemEffects(given.verbose ? 'debug' : 'warn', process.env, output.note);
  const traces = await openTraces(process.env, system);
  const effects = traces === undefined ? system : { ...system, traces };
  for (const note of loaded.notes) output.note(note);
  const run = runName(effects);
  output.log?.about(run);
  output.log?.event('The run starts.', { pipeline: loaded.pipeline.name });
  const isWhole = more.intent === undefined && [given.blocks, given.zoneBlocks].every(isOpenRange);
  const { command } = more;
  const of = { loaded, root: given.data, run, effects, isWhole, command };
  const metrics = more.metrics ?? (await openMetrics(of, given));
  let own: Stops | undefined;
  const stops = (): Stops => {
    if (more.stops !== undefined) return more.stops;
    own = stopOnSignals(output, loaded.pipeline);
    return own;
  };
  try {
    const document = await recorded(of, async () => {
      const secrets = await credentials();
      const renewCredentials = isRenewable(loaded.pipeline.source) ? credentials : undefined;
      const settings = { ...given, run, renewCredentials };
      return runJob(loaded, secrets, settings, output, effects, { ...more, stops, metrics });
    }).finally(async () => {
      await traces?.close();
      await metrics?.ended();
      if (more.metrics === undefined) await metrics?.close();
    });
    if (loaded.pipeline.report === 'html') await writePage(given.data, document, output);
    return document.exitCode;
  } finally {
    // Before this, another signal would cut the record of the run short, its alerts and its page.
    own?.forget();
  }
}

/** Whether a range ends at the last final block, as scheduled runs do. */
function isOpenRange(range: string | undefined): boolean {
  return range === undefined || range.endsWith(':');
}

/** The metrics that the options or the pipeline ask for. */
export async function openMetrics(
  of: MetricsOf,
  given: MetricsArguments,
): Promise<RunMetrics | undefined> {
  const { file, listen } = of.loaded.pipeline.metrics;
  const wanted = [file, listen, given.metricsFile, given.metricsPort];
  if (wanted.every((each) => each === undefined)) return undefined;
  const { RunMetrics } = await import('../metrics/run-metrics.ts');
  return RunMetrics.open(of, given);
}

interface MoreOfRun {
  readonly intent?: Intent;
  readonly stops?: Stops;
  /** The command that continues the run, if it is not a run of the pipeline. */
  readonly command?: string;
  /** Metrics of a process with several runs, which it closes itself. */
  readonly metrics?: RunMetrics | undefined;
}

type GivenToRun = Pick<RunArguments, 'data' | 'lock' | 'verbose' | 'blocks' | 'zoneBlocks'> &
  MetricsArguments;

async function runJob(
  loaded: LoadedPipeline,
  credentials: Credentials | undefined,
  given: GivenToRun & Pick<JobOptions, 'run' | 'renewCredentials'>,
  output: Console,
  effects: Effects,
  more: Omit<MoreOfRun, 'stops'> & { readonly stops: () => Stops },
): Promise<RunDocument> {
  const startedMs = effects.now();
  const limits = new RequestLimits(loaded.pipeline.limits);
  const { run, renewCredentials } = given;
  const of = { run, renewCredentials, limits };
  const job = await openJob(loaded, given.data, credentials, effects, of);
  const stops = more.stops();
  const watch = runWatch(output, job.connection, effects);
  const samples = new RateSamples(job.connection, effects);
  more.metrics?.began(job.connection);
  const counted = more.metrics?.watching(watch) ?? watch;
  try {
    limits.start(effects);
    const ran = await runPipeline({
      ...job,
      ...stops,
      pipeline: loaded.pipeline,
      keys: loaded.keys,
      labels: loaded.labels,
      names: loaded.names,
      disk: localDisk,
      effects,
      version: windrowVersion(),
      isLocked: given.lock,
      watch: samples.watching(counted),
      ...(more.intent === undefined ? {} : { intent: more.intent }),
    });
    const { pipeline } = loaded;
    const endedMs = effects.now();
    const ended = { ...job, ran, pipeline, startedMs, endedMs, rate: samples.all() };
    const document = reportDocument(ended);
    output.log?.event('The run ended.', endFields(ended));
    if (output.isJson) output.out(jsonDocument(document));
    else for (const line of reportText(ended)) output.out(line);
    return document;
  } catch (error) {
    throw error instanceof Fault
      ? error
      : ((await damageBehind(error, given.data, localDisk)) ?? error);
  } finally {
    watch.close();
    await job.close('learned');
    limits.close();
  }
}

/** A page that cannot be written is noted: the records have landed. */
async function writePage(
  root: string,
  document: Readonly<Record<string, unknown>>,
  output: Console,
): Promise<void> {
  try {
    // Loaded here because its packages are large, and few runs need them.
    const { writeReport } = await import('./report/write-report.ts');
    const run = reportedRunSchema.parse(JSON.parse(jsonDocument(document)));
    output.note(`Report: ${await writeReport(layout(root), run)}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.note(`The page of this run was not written: ${reason} See windrow report.`, 'warn');
  }
}

export interface Stops {
  readonly softStop: AbortSignal;
  readonly hardStop: AbortSignal;
  /** Lets signals end the process again. Called last: what closes must not be cut short. */
  forget(): void;
}

export function stopOnSignals(output: Console, { limits: { stopWithinMs } }: Pipeline): Stops {
  const soft = new AbortController();
  const hard = new AbortController();
  const onSignal = (): void => {
    if (soft.signal.aborted) {
      hard.abort(new Error('interrupted'));
      return;
    }
    soft.abort(new Error('interrupted'));
    const time = durationText(stopWithinMs);
    output.note(`Finishing the open slices, for ${time} at most; interrupt again to stop now.`);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return {
    softStop: soft.signal,
    hardStop: hard.signal,
    forget: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    },
  };
}
