import { access, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Argv } from 'yargs';
import { Fault } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { type LoadedPipeline, loadPipeline, type Overrides } from '../../job/pipeline-file.ts';
import { type Console, jsonDocument } from '../../terminal/console.ts';
import {
  data,
  type MetricsArguments,
  metricsOptions,
  overrides,
  withExitCodes,
} from '../../terminal/options.ts';
import type { ExitCode } from '../../terminal/report.ts';
import { windrowVersion } from '../../terminal/version.ts';
import { airflowDag } from './airflow.ts';
import { crontab } from './crontab.ts';
import { runInForeground } from './foreground.ts';
import { kubernetesManifest } from './kubernetes.ts';
import { type ScheduledJob, type SchedulerFile, scheduleOf } from './scheduled-job.ts';
import { systemdUnits } from './systemd.ts';

const FORMS: Readonly<Record<string, (job: ScheduledJob) => SchedulerFile[]>> = {
  crontab,
  systemd: systemdUnits,
  kubernetes: kubernetesManifest,
  airflow: airflowDag,
};

export function scheduleOptions(args: Argv) {
  return withExitCodes(args)
    .positional('action', {
      type: 'string',
      demandOption: true,
      describe: 'A pipeline file to print its schedule, or run',
    })
    .positional('pipeline', { type: 'string', describe: 'A pipeline file, after run' })
    .options({
      data,
      ...overrides,
      ...metricsOptions,
      as: {
        choices: Object.keys(FORMS),
        describe: 'The scheduler whose files are printed',
      },
      out: { type: 'string', describe: 'Folder in which the files are written, not printed' },
      command: { type: 'string', describe: 'Command that starts windrow (default: this one)' },
      image: { type: 'string', describe: 'Container image (default: windrow of this version)' },
    })
    .example('$0 schedule my.yaml --as systemd', 'print a service and its timer')
    .example('$0 schedule run my.yaml', 'run the pipeline at its times, until interrupted');
}

export interface ScheduleArguments extends Overrides, MetricsArguments {
  readonly action: string;
  readonly pipeline?: string | undefined;
  readonly data: string;
  readonly as?: string | undefined;
  readonly out?: string | undefined;
  readonly command?: string | undefined;
  readonly image?: string | undefined;
}

/** `windrow schedule`: files for other schedulers, or a scheduler in the foreground. */
export async function scheduleVerb(given: ScheduleArguments, output: Console): Promise<ExitCode> {
  if (given.action === 'run') {
    if (given.pipeline === undefined) {
      throw new Fault('usage', 'schedule run needs a pipeline.', {
        advice: 'Name its file: windrow schedule run my.yaml.',
      });
    }
    const { pipeline } = await loadPipeline(given.pipeline, given);
    scheduleOf(pipeline.schedule, given.pipeline);
    return runInForeground({ ...given, pipeline: given.pipeline }, output);
  }
  if (given.pipeline !== undefined) {
    throw new Fault('usage', `schedule has no action ${JSON.stringify(given.action)}.`, {
      advice: 'Write windrow schedule run PIPELINE, or windrow schedule PIPELINE --as FORM.',
    });
  }
  const loaded = await loadPipeline(given.action, given);
  const form = FORMS[given.as ?? ''];
  if (form === undefined) {
    throw new Fault('usage', '--as is missing.', {
      advice: `Name a scheduler: --as ${Object.keys(FORMS).join(', --as ')}.`,
    });
  }
  const files = form(await jobOf(loaded, given));
  await show(files, given.out, output);
  return 0;
}

async function jobOf(loaded: LoadedPipeline, given: ScheduleArguments): Promise<ScheduledJob> {
  const { pipeline, file } = loaded;
  const { credentials } = pipeline.source;
  const main = fileURLToPath(new URL('../../main.js', import.meta.url));
  const environment = join(dirname(resolve(file)), '.env');
  const isThere = await access(environment).then(
    () => true,
    () => false,
  );
  return {
    name: pipeline.name,
    schedule: scheduleOf(pipeline.schedule, file),
    pipelineFile: resolve(file),
    data: resolve(given.data),
    command: given.command?.trim().split(/\s+/) ?? [process.execPath, main],
    environmentFile: isThere || credentials.kind === 'environment' ? environment : undefined,
    image: given.image ?? `windrow:${windrowVersion()}`,
  };
}

async function show(
  files: readonly SchedulerFile[],
  folder: string | undefined,
  output: Console,
): Promise<void> {
  if (folder !== undefined) {
    await localDisk.makeFolder(folder);
    for (const { name, text } of files) await writeFile(join(folder, name), text);
  }
  if (output.isJson) {
    output.out(jsonDocument({ files }));
    return;
  }
  for (const { name, text } of files) {
    if (folder !== undefined) output.out(`Wrote ${join(folder, name)}`);
    else if (files.length > 1) output.out(`# ${name}\n${text}`);
    else output.out(text.trimEnd());
  }
}
