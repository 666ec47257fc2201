import type { Effects } from '../../effects.ts';
import type { Credentials } from '../../fetch/http/signature.ts';
import type { RequestLimits } from '../../fetch/limits/request-limits.ts';
import { credentialsFrom, isRenewable } from '../job/credentials.ts';
import { type OpenJob, openJob } from '../job/open-job.ts';
import type { LoadedPipeline } from '../job/pipeline-file.ts';
import { runName } from '../job/run-name.ts';
import type { Surroundings } from '../lake/surroundings.ts';
import type { SharedState } from '../shared-key/shared-state.ts';
import type { RunTraces } from './otlp-traces.ts';

/** The work on one pipeline and one data root. */
export interface RunShellOptions extends Surroundings {
  readonly loaded: LoadedPipeline;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads the credentials when they are needed; default: those that the pipeline names. */
  readonly credentials?: () => Promise<Credentials | undefined>;
  /** Name of the run; default: a new one. */
  readonly run?: string;
  /** The state of workers on several hosts, of which this process is one. */
  readonly shared?: SharedState | undefined;
}

export interface RunShell extends Pick<RunShellOptions, 'loaded' | 'root' | 'env' | 'note'> {
  /** With traces where the environment asks for them. */
  readonly effects: Effects;
  /** Name of the run. */
  readonly run: string;
  /**
   * Opens the lake and connects to the source, with credentials that are read once. The caller
   * closes it. `run` names the commits; default: the name of the run.
   */
  connect(limits?: RequestLimits, run?: string): Promise<OpenJob>;
}

/**
 * Does work on a pipeline with everything that surrounds it: notes about its files, traces,
 * credentials, the lake and the connection. All commands that use a source, and the library, work
 * in it.
 */
export async function inShell<T>(
  { loaded, root, effects: untraced, env, note, ...options }: RunShellOptions,
  work: (shell: RunShell) => Promise<T>,
): Promise<T> {
  const traces = await openTraces(env, untraced);
  const effects = traces === undefined ? untraced : { ...untraced, traces };
  for (const line of loaded.notes) note(line);
  const { source } = loaded.pipeline;
  const { credentials = () => credentialsFrom(source, loaded.file, loaded.resolve, env) } = options;
  const renewCredentials = isRenewable(source) ? credentials : undefined;
  const { shared, run: name = runName(effects) } = options;
  let secrets: Promise<Credentials | undefined> | undefined;
  try {
    return await work({
      loaded,
      root,
      effects,
      env,
      note,
      run: name,
      async connect(limits, run = name) {
        secrets ??= credentials();
        const more = { renewCredentials, limits, run, env, shared };
        return openJob(loaded, root, await secrets, effects, more);
      },
    });
  } finally {
    await traces?.close();
  }
}

/** Does work on a connected pipeline, as audits and repairs do, and closes it. */
export function onSource<T>(
  options: RunShellOptions & {
    readonly limits?: RequestLimits;
    /** Default: learned limits of the source are kept for the next run. */
    readonly keeps?: 'learned' | 'nothing';
  },
  work: (job: OpenJob) => Promise<T>,
): Promise<T> {
  return inShell(options, async (shell) => {
    const job = await shell.connect(options.limits);
    try {
      return await work(job);
    } finally {
      await job.close(options.keeps ?? 'learned');
    }
  });
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** Whether the standard variables of OpenTelemetry ask for traces. */
function areWanted(env: NodeJS.ProcessEnv): boolean {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  const { OTEL_TRACES_EXPORTER: exporter = 'otlp' } = env;
  return !isOff && exporter !== 'none' && ENDPOINTS.some((name) => (env[name] ?? '') !== '');
}

/**
 * Traces to the collector that the variables of OpenTelemetry name; undefined without one. The
 * libraries are loaded only then.
 */
async function openTraces(
  env: NodeJS.ProcessEnv,
  effects: Pick<Effects, 'log'>,
): Promise<RunTraces | undefined> {
  if (!areWanted(env)) return undefined;
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(env, effects);
}
