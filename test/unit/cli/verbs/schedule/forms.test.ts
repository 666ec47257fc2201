import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { airflowDag } from '../../../../../src/cli/verbs/schedule/airflow.ts';
import { crontab } from '../../../../../src/cli/verbs/schedule/crontab.ts';
import { kubernetesManifest } from '../../../../../src/cli/verbs/schedule/kubernetes.ts';
import type { ScheduledJob } from '../../../../../src/cli/verbs/schedule/scheduled-job.ts';
import { calendars, systemdUnits } from '../../../../../src/cli/verbs/schedule/systemd.ts';
import type { Schedule } from '../../../../../src/pipeline/schedule.ts';

/** Goal: the files for other schedulers hold the whole schedule. Their own programs read them in
 * `npm run test:operating`. */

const SCHEDULE: Schedule = {
  cron: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  jitterMs: 300_000,
  onOverlap: 'skip',
  timeoutMs: 7_200_000,
};

function job(schedule: Partial<Schedule> = {}, more: Partial<ScheduledJob> = {}): ScheduledJob {
  return {
    name: 'mine',
    schedule: { ...SCHEDULE, ...schedule },
    pipelineFile: '/srv/my exports/100%.yaml',
    data: '/srv/data',
    options: [],
    command: ['/usr/bin/node', '/opt/windrow/main.js'],
    environmentFile: '/srv/my exports/.env',
    image: 'windrow:1',
    ...more,
  };
}

const bare = { jitterMs: 0, timeoutMs: undefined };

describe('a crontab line', () => {
  const lineOf = (task: ScheduledJob) => crontab(task)[0]?.text.trimEnd().split('\n').at(-1);

  it('has the secrets, jitter, the lock and the time limit of the schedule', () => {
    expect(lineOf(job())).toBe(
      "0 3 * * * cd '/srv/my exports' && set -a && . '/srv/my exports/.env' && set +a && " +
        'sleep "$(shuf -i 0-300 -n 1)" && flock -n -E 0 \'/srv/my exports/100\\%.yaml\' ' +
        'timeout --preserve-status -k 300 7200 /usr/bin/node /opt/windrow/main.js run ' +
        "'/srv/my exports/100\\%.yaml' --data /srv/data --quiet",
    );
  });

  it('gives each run the options of the command line', () => {
    const options = [
      { name: 'addresses', value: '/srv/some addresses.csv' },
      { name: 'max-wait', value: '15m' },
    ] as const;
    expect(lineOf(job({}, { options }))).toMatch(
      / --data \/srv\/data --addresses '\/srv\/some addresses\.csv' --max-wait 15m --quiet$/,
    );
  });

  it('waits for the last run where runs are queued', () => {
    const file = { pipelineFile: '/p.yaml', environmentFile: undefined };
    expect(lineOf(job({ ...bare, onOverlap: 'queue' }, file))).toBe(
      '0 3 * * * cd / && flock /p.yaml /usr/bin/node /opt/windrow/main.js run /p.yaml --data /srv/data --quiet',
    );
  });
});

describe('systemd units', () => {
  it('have the secrets, jitter and the time limit of the schedule', () => {
    const [service, timer] = systemdUnits(job());
    expect(service?.name).toBe('windrow-mine.service');
    expect(service?.text).toContain('EnvironmentFile=/srv/my exports/.env\n');
    expect(service?.text).toContain(
      'ExecStart=/usr/bin/node /opt/windrow/main.js run "/srv/my exports/100%%.yaml" --data /srv/data\n',
    );
    expect(service?.text).toContain('TimeoutStartSec=7200\n');
    expect(service?.text).toMatch(/^# OnFailure=.*^# User=windrow$/ms);
    expect(timer?.text).toContain('OnCalendar=*-*-* 03:00:00 Europe/Berlin\n');
    expect(timer?.text).toContain('RandomizedDelaySec=300\n');
    expect(systemdUnits(job(bare))[0]?.text).toContain('TimeoutStartSec=infinity\n');
  });

  it('name the folder and the file of a path that ends or reads like a pattern', () => {
    const at = (folder: string) =>
      systemdUnits(
        job({}, { pipelineFile: `${folder}/p.yaml`, environmentFile: `${folder}/.env` }),
      )[0]?.text ?? '';
    expect(at('/srv/a\\')).toContain(
      '\nWorkingDirectory=/srv/a\\/\nEnvironmentFile=/srv/a\\\\/.env\n',
    );
    expect(at('/srv/a ')).toContain('\nWorkingDirectory=/srv/a /\n');
    expect(at('/srv/[a]*?')).toContain('\nEnvironmentFile=/srv/\\[a\\]\\*\\?/.env\n');
  });

  it('quote a folder whose name has a quote', () => {
    const [service] = systemdUnits(job({}, { data: '/srv/a "b' }));
    expect(service?.text).toContain('--data "/srv/a \\"b"\n');
    expect(service?.text).toContain('ReadWritePaths="-/srv/a \\"b"\n');
  });

  it.each([
    ['*/20 * * * *', ['*-*-* *:00,20,40:00 UTC']],
    ['0 9-11 * * 1-5', ['Mon,Tue,Wed,Thu,Fri *-*-* 09,10,11:00:00 UTC']],
    ['0 0 1 1,7 *', ['*-01,07-01 00:00:00 UTC']],
    ['0 0 1 * sun', ['*-*-01 00:00:00 UTC', 'Sun *-*-* 00:00:00 UTC']],
  ])('write %s as systemd does', (cron, wanted) => {
    expect(calendars({ ...SCHEDULE, cron, timeZone: 'UTC' })).toEqual(wanted);
  });
});

describe('a CronJob', () => {
  const manifestsOf = (task: ScheduledJob) => {
    return (kubernetesManifest(task)[0]?.text ?? '').split('---\n').map((text) => parse(text));
  };
  const manifestOf = (task: ScheduledJob) => manifestsOf(task)[0];

  it('has the schedule, and a container that can write only its volumes', () => {
    const { metadata, spec } = manifestOf(job());
    expect(metadata.name).toBe('windrow-mine');
    expect(spec).toMatchObject({ schedule: '0 3 * * *', timeZone: 'Europe/Berlin' });
    expect(spec.concurrencyPolicy).toBe('Forbid');
    const kept = { activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 7 * 86_400 };
    expect(spec.jobTemplate.spec).toMatchObject(kept);
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    expect(container.command.at(-1)).toBe(
      'sleep "$(shuf -i 0-300 -n 1)" && exec windrow run /etc/windrow/100%.yaml --data /data',
    );
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container.envFrom).toEqual([{ secretRef: { name: 'windrow-mine' } }]);
  });

  it('gives each run the options of the command line, and reads addresses from the ConfigMap', () => {
    const options = [
      { name: 'addresses', value: '/srv/mine.csv' },
      { name: 'zone-blocks', value: '5:' },
    ] as const;
    const { spec } = manifestOf(job(bare, { options }));
    expect(spec.jobTemplate.spec.template.spec.containers[0].args.slice(4)).toEqual([
      '--addresses',
      '/etc/windrow/mine.csv',
      '--zone-blocks',
      '5:',
    ]);
  });

  it('takes the name of a variable in a path as text', () => {
    const file = { pipelineFile: '/srv/$(WINDROW_SECRET_KEY).yaml' };
    const containerOf = (task: ScheduledJob) =>
      manifestOf(task).spec.jobTemplate.spec.template.spec.containers[0];
    expect(containerOf(job(bare, file)).args[1]).toBe('/etc/windrow/$$(WINDROW_SECRET_KEY).yaml');
    expect(containerOf(job({}, file)).command[2]).toContain(
      "run '/etc/windrow/$$(WINDROW_SECRET_KEY).yaml' ",
    );
  });

  it('prints its log, which Kubernetes keeps, in the form of the command line', () => {
    const options = [
      { name: 'log', value: '/srv/nightly.log' },
      { name: 'log-format', value: 'json' },
    ] as const;
    const { spec } = manifestOf(job(bare, { options }));
    const [{ args }] = spec.jobTemplate.spec.template.spec.containers;
    expect(args.slice(4)).toEqual(['--log-format', 'json']);
  });

  it('runs the image itself where there is no jitter, and needs no Secret without secrets', () => {
    const { spec } = manifestOf(job(bare, { environmentFile: undefined }));
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    expect(container.args).toEqual(['run', '/etc/windrow/100%.yaml', '--data', '/data']);
    expect(container).not.toHaveProperty('envFrom');
    expect(spec.jobTemplate.spec).not.toHaveProperty('activeDeadlineSeconds');
  });

  it('has a name that its jobs can extend', () => {
    const names = manifestsOf(job({}, { name: 'a'.repeat(64) })).map((file) => file.metadata.name);
    expect(names.map((name) => name.length)).toEqual([45, 52]);
  });

  it.each([
    // A night of 25 hours, the jitter, the time limit, and two hours.
    ['0 3 * * *', job(), '30h'],
    ['*/20 * * * *', job(bare), '3h'],
    ['0 9-17/4 * * mon-fri', job(bare), '67h'],
    ['0 0 29 2 *', job(bare), '8784h'],
    ['0 0 1 1 *', job(bare), '8784h'],
  ])('has a health check beside %s with the age that the times explain', (cron, task, age) => {
    const [, health] = manifestsOf({ ...task, schedule: { ...task.schedule, cron } });
    expect(health.metadata.name).toBe('windrow-mine-health');
    const { spec } = health.spec.jobTemplate.spec.template;
    expect(spec.volumes[0].persistentVolumeClaim.claimName).toBe('windrow-mine');
    const [{ args }] = spec.containers;
    expect(args).toEqual(['status', '--data', '/data', '--max-age', age]);
  });
});

describe('a DAG of Airflow', () => {
  it('has the schedule, and text that Python reads as it is', () => {
    const [dag] = airflowDag(job());
    expect(dag?.name).toBe('windrow_mine.py');
    expect(dag?.text).toContain('schedule="0 3 * * *"');
    expect(dag?.text).toContain('tz="Europe/Berlin"');
    expect(dag?.text).toContain('execution_timeout=timedelta(seconds=7200)');
    expect(dag?.text).toContain('skip_on_exit_code=5');
    expect(airflowDag(job({ onOverlap: 'queue' }))[0]?.text).toContain('skip_on_exit_code=None');
  });

  it('has no template of its own in a path', () => {
    const [dag] = airflowDag(job({}, { pipelineFile: '/srv/{{ conn }}{%x{#' }));
    expect(dag?.text).toContain("/{{ '{' }}{ conn }}{{ '{' }}%x{{ '{' }}#");
  });
});

it.each([kubernetesManifest, airflowDag])('no path of this machine is in a file of %o', (form) => {
  const options = ['addresses', 'log', 'metrics-file'] as const;
  const pairs = options.map((name) => ({ name, value: `/srv/${name}` }));
  const [file] = form(job({}, { options: pairs, command: ['windrow'] }));
  expect(file?.text).not.toContain('/srv');
  expect(file?.text).toContain('windrow run ');
  expect(file?.text).toContain('--addresses /etc/windrow/addresses');
  expect(file?.text).toContain('--metrics-file /data/metrics-file');
});
