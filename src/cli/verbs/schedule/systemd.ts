import { dirname } from 'node:path';
import { type CronTimes, cronTimes, WEEKDAYS } from '../../../pipeline/syntax/cron.ts';
import {
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  STOP_SECONDS,
  wholeSecondsOf,
} from './scheduled-job.ts';

/** A service and its timer. A time that comes while the service runs gives no second run. */
export function systemdUnits(job: ScheduledJob): SchedulerFile[] {
  const { name, schedule, environmentFile, pipelineFile, data } = job;
  const { timeoutMs, jitterMs } = schedule;
  const service = [
    '[Unit]',
    `Description=windrow run of ${name}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '# A unit that tells somebody about a failed run:',
    '# OnFailure=notify@%n.service',
    '',
    '[Service]',
    'Type=oneshot',
    '# The user that owns the data root, in a unit of the system:',
    '# User=windrow',
    // Without the slash, systemd would drop a blank and join the next line after a backslash.
    `WorkingDirectory=${escaped(dirname(pipelineFile)).replace(/\/*$/, '/')}`,
    ...(environmentFile === undefined ? [] : [`EnvironmentFile=${literalPath(environmentFile)}`]),
    `ExecStart=${runCommand(job).map(word).join(' ')}`,
    `TimeoutStartSec=${timeoutMs === undefined ? 'infinity' : wholeSecondsOf(timeoutMs)}`,
    `TimeoutStopSec=${STOP_SECONDS}`,
    'NoNewPrivileges=yes',
    'PrivateTmp=yes',
    'ProtectSystem=full',
    `ReadWritePaths=${quoted(`-${escaped(data)}`)}`,
    '',
  ];
  const timer = [
    '[Unit]',
    `Description=Times of windrow run of ${name}`,
    '',
    '[Timer]',
    ...calendars(schedule).map((calendar) => `OnCalendar=${calendar}`),
    ...(jitterMs === 0 ? [] : [`RandomizedDelaySec=${wholeSecondsOf(jitterMs)}`]),
    '# A time that passes while the machine is off is made up for after its start.',
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ];
  return [
    { name: `windrow-${name}.service`, text: service.join('\n') },
    { name: `windrow-${name}.timer`, text: timer.join('\n') },
  ];
}

/** The times as systemd writes them; two if a day of either kind counts. */
export function calendars({ cron, timeZone }: ScheduledJob['schedule']): string[] {
  const times = cronTimes(cron);
  if (typeof times === 'string') throw new Error(`the cron expression ${times}`);
  const clock = `${listed(times.hours, 24)}:${listed(times.minutes, 60)}:00 ${timeZone}`;
  const months = listed(times.months, 12);
  const days = `*-${months}-${listed(times.days, 31)}`;
  const weekdays = weekdaysOf(times);
  if (!times.isEitherDay) return [`${weekdays}${days} ${clock}`];
  return [`*-${months}-${listed(times.days, 31)} ${clock}`, `${weekdays}*-${months}-* ${clock}`];
}

function weekdaysOf({ weekdays }: CronTimes): string {
  if (weekdays.length === WEEKDAYS.length) return '';
  const names = weekdays.map((day) => WEEKDAYS[day] ?? '');
  return `${names.map((name) => name.slice(0, 1).toUpperCase() + name.slice(1)).join(',')} `;
}

function listed(values: readonly number[], all: number): string {
  if (values.length === all) return '*';
  return values.map((value) => String(value).padStart(2, '0')).join(',');
}

/** Text in which systemd expands nothing. */
function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}

/** The path of one file, where systemd would read a pattern for the names of several. */
function literalPath(path: string): string {
  return escaped(path).replace(/[\\[\]*?]/g, '\\$&');
}

/** A word of a command line of systemd. */
function word(text: string): string {
  const plain = escaped(text).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : quoted(plain);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
