import { dirname } from 'node:path';
import { shellQuoted } from '../../../fault.ts';
import {
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  STOP_SECONDS,
  stepsBefore,
  wholeSecondsOf,
} from './scheduled-job.ts';

/** A line for a crontab. Overlaps are settled by a lock on the pipeline file. */
export function crontab(job: ScheduledJob): SchedulerFile[] {
  const { schedule, pipelineFile, name } = job;
  const { cron, timeZone, onOverlap, timeoutMs } = schedule;
  const steps = [`cd ${shellQuoted(dirname(pipelineFile))}`, ...stepsBefore(job)];
  const lock = onOverlap === 'skip' ? 'flock -n -E 0' : 'flock';
  const limit =
    timeoutMs === undefined
      ? ''
      : `timeout --preserve-status -k ${STOP_SECONDS} ${wholeSecondsOf(timeoutMs)} `;
  // Cron mails every output.
  const run = [...runCommand(job), '--quiet'].map(shellQuoted).join(' ');
  steps.push(`${lock} ${shellQuoted(pipelineFile)} ${limit}${run}`);
  // In a crontab, a percent sign ends the command.
  const line = `${cron} ${steps.join(' && ').replaceAll('%', '\\%')}`;
  return [
    {
      name: `windrow-${name}.crontab`,
      text: `# windrow ${name}. Cron takes the times in the time zone of the machine; the pipeline
# names ${timeZone}. MAILTO gets the output of each run.
${line}
`,
    },
  ];
}
