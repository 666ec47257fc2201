import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../../fault.ts';
import { addressOf, isMounted } from '../../../land/places/mounts.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { alertVariables } from '../../../pipeline/alert-settings.ts';
import { witnessVariables } from '../../../pipeline/captures/witness-settings.ts';
import { SECRET_VARIABLES } from '../../../run/job/credentials.ts';
import { type LoadedPipeline, loadPipeline } from '../../../run/job/pipeline-file.ts';
import { windrowVersion } from '../../../run/job/version.ts';
import { hasLake } from '../../../run/lake/lake-there.ts';
import { openMetrics } from '../../../run/metrics/open-metrics.ts';
import { runOnSchedule } from '../../../run/scheduler.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import type { Console } from '../../terminal/console.ts';
import {
  type Arguments,
  choice,
  data,
  type LogArguments,
  logOptions,
  metricsOptions,
  needed,
  optionName,
  overrides,
  textOption,
} from '../../terminal/options.ts';
import { print, type VerbOf, type VerbResult } from '../../terminal/verb-result.ts';
import { runLoaded } from '../run.ts';
import { airflowDag } from './airflow.ts';
import { crontab } from './crontab.ts';
import { kubernetesManifest } from './kubernetes.ts';
import {
  FILE_OPTIONS,
  type RunOption,
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  scheduleOf,
} from './scheduled-job.ts';
import { systemdUnits } from './systemd.ts';

const FORMS: Readonly<Record<string, (job: ScheduledJob) => SchedulerFile[]>> = {
  crontab,
  systemd: systemdUnits,
  kubernetes: kubernetesManifest,
  airflow: airflowDag,
};

export const scheduleOptions = {
  options: {
    action: needed(textOption('a pipeline file, whose schedule is printed, or run')),
    pipeline: textOption('A pipeline file, after run'),
    data,
    ...overrides,
    ...metricsOptions,
    as: choice('The scheduler whose files are printed', Object.keys(FORMS)),
    out: textOption('Folder in which the files are written, not printed'),
    command: textOption('Command that starts windrow (default: this one)'),
    image: textOption('Container image (default: windrow of this version)'),
  },
  examples: {
    '$0 schedule my.yaml --as systemd': 'print a service and its timer',
    '$0 schedule run my.yaml': 'run the pipeline at its times, until interrupted',
  },
};

export type ScheduleArguments = Arguments<typeof scheduleOptions> & LogArguments;

/** `windrow schedule`: files for other schedulers, or a scheduler in the foreground. */
export const scheduleVerb: VerbOf<typeof scheduleOptions> = async (input, output) => {
  if (input.action === 'run') {
    if (input.pipeline === undefined) {
      throw new Fault('usage', 'schedule run needs a pipeline.', {
        advice: { text: 'Name its file.', command: 'windrow schedule run PIPELINE' },
      });
    }
    const { pipeline } = await loadPipeline(input.pipeline, input);
    scheduleOf(pipeline.schedule, input.pipeline);
    return runInForeground({ ...input, pipeline: input.pipeline }, output);
  }
  if (input.pipeline !== undefined) {
    throw new Fault('usage', `schedule has no action ${JSON.stringify(input.action)}.`, {
      advice: { text: 'The only action is run.', command: 'windrow schedule run PIPELINE' },
    });
  }
  const loaded = await loadPipeline(input.action, input);
  const form = FORMS[input.as ?? ''];
  if (form === undefined) {
    throw new Fault('usage', '--as is missing.', {
      advice: `Name a scheduler: --as ${Object.keys(FORMS).join(', --as ')}.`,
    });
  }
  const job = await jobOf(loaded, input);
  needOneLine([...runCommand(job), job.image]);
  const files = form(job);
  await writeAll(files, input.out);
  print({ document: { files }, lines: linesOf(files, input.out) }, output);
  for (const note of await notesOn(loaded, input)) output.note(note, 'warn');
  return { exitCode: 0 };
};

async function jobOf(loaded: LoadedPipeline, input: ScheduleArguments): Promise<ScheduledJob> {
  const { pipeline, file } = loaded;
  const main = fileURLToPath(new URL('../../main.js', import.meta.url));
  const environment = environmentOf(loaded);
  const isElsewhere = input.as === 'airflow';
  const program = isElsewhere ? ['windrow'] : [process.execPath, main];
  const isThere = (await localDisk.stat(environment)) !== undefined;
  const isNeeded = isThere || variablesOf(loaded).length > 0;
  return {
    name: pipeline.name,
    schedule: scheduleOf(pipeline.schedule, file),
    pipelineFile: resolve(file),
    data: isMounted(input.data) ? addressOf(input.data) : resolve(input.data),
    options: optionsIn(input),
    command: input.command?.trim().split(/\s+/) ?? program,
    environmentFile: isNeeded ? environment : undefined,
    image: input.image ?? `windrow:${windrowVersion()}`,
  };
}

/** Throws a usage fault where a word would break the line of a crontab or of a unit. */
function needOneLine(words: readonly string[]): void {
  const broken = words.find((word) => /\p{Cc}/u.test(word));
  if (broken === undefined) return;
  const finding = `A scheduler cannot read a control character: ${JSON.stringify(broken)}.`;
  throw new Fault('usage', finding, {
    advice: 'Rename the file or folder, or correct the option.',
  });
}

/** The options of the command line that each run takes, too. */
function optionsIn(input: ScheduleArguments): RunOption[] {
  const taken = Object.keys({ ...overrides, ...metricsOptions, ...logOptions });
  return Object.entries(input).flatMap(([key, value]) => {
    if (!taken.includes(key) || typeof value !== 'string') return [];
    const name = optionName(key).slice(2);
    return [{ name, value: name in FILE_OPTIONS ? resolve(value) : value }];
  });
}

/** The environment variables that hold the secrets of a pipeline. */
function variablesOf({ pipeline }: LoadedPipeline): readonly string[] {
  const named = [...alertVariables(pipeline.alerts), ...witnessVariables(pipeline.reconcile)];
  const { credentials, authentication } = pipeline.source;
  if (credentials.kind !== 'environment') return named;
  return [...SECRET_VARIABLES.slice(0, authentication === 'key' ? 1 : undefined), ...named];
}

function environmentOf({ file }: LoadedPipeline): string {
  return join(dirname(resolve(file)), '.env');
}

/** Notes on what the first run at its time would lack. */
async function notesOn(
  loaded: LoadedPipeline,
  { data: root, as }: ScheduleArguments,
): Promise<string[]> {
  const notes: string[] = [];
  const variables = variablesOf(loaded);
  const environment = environmentOf(loaded);
  const isElsewhere = as === 'kubernetes' || as === 'airflow';
  if (variables.length > 0 && (await localDisk.stat(environment)) === undefined) {
    const file = isElsewhere ? '.env' : environment;
    notes.push(`Write ${file} (mode 0600) with ${variables.join(', ')}: the runs need it.`);
  }
  if (isElsewhere || (await hasLake(root))) return notes;
  const place = resolve(root);
  notes.push(`${place} has no lake yet. If your runs use another data root, name it with --data.`);
  return notes;
}

async function writeAll(files: readonly SchedulerFile[], folder: string | undefined) {
  if (folder === undefined) return;
  await localDisk.makeFolder(folder);
  for (const { name, text } of files) await localDisk.put(join(folder, name), text);
}

function linesOf(files: readonly SchedulerFile[], folder: string | undefined): string[] {
  return files.map(({ name, text }) => {
    if (folder !== undefined) return `Wrote ${join(folder, name)}`;
    return files.length > 1 ? `# ${name}\n${text}` : text.trimEnd();
  });
}

/**
 * Runs a pipeline at its times until a signal arrives. Every run reads the pipeline again. A run
 * that fails is reported, and the next time is waited for.
 */
async function runInForeground(
  input: ScheduleArguments & { readonly pipeline: string },
  output: Console,
): Promise<VerbResult> {
  const { effects } = output;
  output.log?.work();
  const first = await loadPipeline(input.pipeline, input);
  const metrics = await openMetrics({ loaded: first, root: input.data, effects }, input);
  return stoppingOnSignals(output, first.pipeline, async (stops) => {
    await runOnSchedule({
      ...stops(),
      effects,
      schedule: scheduleOf(first.pipeline.schedule, input.pipeline),
      note: output.note,
      start: async (run) => {
        try {
          const loaded = await loadPipeline(input.pipeline, input);
          const more = { stops: () => run, metrics };
          const { exitCode } = await runLoaded(loaded, { data: input.data }, output, more);
          ended(exitCode, output);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          output.note(`windrow: ${error.paragraph(output)}`, 'error');
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
