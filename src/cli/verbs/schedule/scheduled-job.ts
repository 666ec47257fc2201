import { Fault } from '../../../fault.ts';
import type { Schedule } from '../../../pipeline/schedule.ts';

/** A pipeline that another scheduler runs. Paths are absolute. */
export interface ScheduledJob {
  /** Name of the pipeline. */
  readonly name: string;
  readonly schedule: Schedule;
  readonly pipelineFile: string;
  readonly data: string;
  /** The program and its first arguments, as in `node main.js`. */
  readonly command: readonly string[];
  /** A file of the variables that hold the secrets; undefined if the pipeline needs none. */
  readonly environmentFile: string | undefined;
  /** Container image, for schedulers of containers. */
  readonly image: string;
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

/** The whole command of a run. */
export function runCommand({ command, pipelineFile, data }: ScheduledJob): string[] {
  return [...command, 'run', pipelineFile, '--data', data];
}

/** A word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The schedule of a pipeline; a configuration fault if it has none. */
export function scheduleOf(schedule: Schedule | undefined, file: string): Schedule {
  if (schedule !== undefined) return schedule;
  throw new Fault('configuration', 'The pipeline has no schedule.', {
    where: file,
    advice: 'Add one, as in: schedule: { cron: "0 3 * * *", timeZone: UTC }',
  });
}
