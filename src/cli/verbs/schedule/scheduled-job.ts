import { basename } from 'node:path';
import { Fault, shellQuoted } from '../../../fault.ts';
import type { Schedule } from '../../../pipeline/schedule.ts';

/** A pipeline that another scheduler runs. Paths are absolute. */
export interface ScheduledJob {
  /** Name of the pipeline. */
  readonly name: string;
  readonly schedule: Schedule;
  readonly pipelineFile: string;
  readonly data: string;
  /** Options of each run besides the data root. */
  readonly options: readonly RunOption[];
  /** The program and its first arguments, as in `node main.js`. */
  readonly command: readonly string[];
  /** A file of the variables that hold the secrets; undefined if the pipeline needs none. */
  readonly environmentFile: string | undefined;
  /** Container image, for schedulers of containers. */
  readonly image: string;
}

/** An option of a run with its value. */
export interface RunOption {
  /** As in `addresses`. */
  readonly name: string;
  readonly value: string;
}

/** A file for another scheduler. */
export interface SchedulerFile {
  readonly name: string;
  readonly text: string;
}

/** Time for open slices after a run is asked to stop, in seconds. */
export const STOP_SECONDS = 300;

export function wholeSecondsOf(durationMs: number): number {
  return Math.ceil(durationMs / 1000);
}

/** Steps of a shell before a run: its variables, and a pause that differs from run to run. */
export function stepsBefore({ schedule: { jitterMs }, environmentFile }: ScheduledJob): string[] {
  const variables =
    environmentFile === undefined ? [] : ['set -a', `. ${shellQuoted(environmentFile)}`, 'set +a'];
  const pause = jitterMs === 0 ? [] : [`sleep "$(shuf -i 0-${wholeSecondsOf(jitterMs)} -n 1)"`];
  return [...variables, ...pause];
}

/** The whole command of a run. */
export function runCommand({ command, pipelineFile, data, options }: ScheduledJob): string[] {
  const words = options.flatMap(({ name, value }) => [`--${name}`, value]);
  return [...command, 'run', pipelineFile, '--data', data, ...words];
}

/** The options that name files, which a run reads or writes. */
export const FILE_OPTIONS: Readonly<Record<string, 'read' | 'written'>> = {
  addresses: 'read',
  log: 'written',
  'metrics-file': 'written',
};

/**
 * The job on another machine, with no path of this one: it has the places of the image, which are
 * `/etc/windrow` for the files of the pipeline and `/data` for the data root.
 */
export function elsewhere(job: ScheduledJob): ScheduledJob {
  const read = (file: string): string => `/etc/windrow/${basename(file)}`;
  const { environmentFile } = job;
  return {
    ...job,
    pipelineFile: read(job.pipelineFile),
    data: '/data',
    environmentFile: environmentFile === undefined ? undefined : read(environmentFile),
    options: job.options.map(({ name, value }) => {
      const use = FILE_OPTIONS[name];
      if (use === undefined) return { name, value };
      return { name, value: use === 'read' ? read(value) : `/data/${basename(value)}` };
    }),
  };
}

/** The schedule of a pipeline; a configuration fault if it has none. */
export function scheduleOf(schedule: Schedule | undefined, file: string): Schedule {
  if (schedule !== undefined) return schedule;
  throw new Fault('configuration', 'The pipeline has no schedule.', {
    where: file,
    advice: 'Add one, as in: schedule: { cron: "0 3 * * *", timeZone: UTC }',
  });
}
