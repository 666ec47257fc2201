import { dirname } from 'node:path';
import { shellQuoted } from '../../../fault.ts';
import {
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  STOP_SECONDS,
  wholeSecondsOf,
} from './scheduled-job.ts';

/** A line for a crontab. Overlaps are settled by a lock on the pipeline file. */
export function crontab(job: ScheduledJob): SchedulerFile[] {
  const { schedule, environmentFile, pipelineFile, name } = job;
  const { cron, timeZone, jitterMs, onOverlap, timeoutMs } = schedule;
  const steps = [`cd ${shellQuoted(dirname(pipelineFile))}`];
  if (environmentFile !== undefined) {
    steps.push('set -a', `. ${shellQuoted(environmentFile)}`, 'set +a');
  }
  if (jitterMs > 0) steps.push(`sleep "$(shuf -i 0-${wholeSecondsOf(jitterMs)} -n 1)"`);
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
