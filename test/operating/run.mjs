/**
 * The files that windrow writes for other programs, read by these programs.
 *
 *     npm run build && npm ci --prefix test/operating
 *     python3 -m venv test/operating/.venv
 *     test/operating/.venv/bin/pip install -r test/operating/requirements.txt
 *     apt-get install cron systemd && npm run test:operating
 *
 * systemd-analyze verifies the units and agrees on the times, Debian's cron runs a crontab line, the
 * CronJob has the form of Kubernetes, the client of Prometheus reads the metrics and its
 * grammar the rules and the dashboard, a mail server gets alerts, hadolint reads the Dockerfile, and a
 * script takes the steps of the image.
 *
 * Apart from these, `node test/operating/run.mjs airflow` parses the DAG under the Airflow of
 * test/operating/.airflow, and steady.mjs measures the memory, open files and threads of
 * `windrow follow`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import { Tally } from '../interop/tally.mjs';
import { runByCron } from './cron.mjs';
import { builtImage, runImage } from './image.mjs';
import { receiveMail } from './mail.mjs';
import { readMetrics } from './metrics.mjs';
import { readExpressions } from './promql.mjs';
import { isInstalled, REPOSITORY, ran, served, toolPath, windrow } from './tools.mjs';

const SCHEDULES = [
  { cron: '30 2 * * *', timeZone: 'UTC', more: ', jitter: 5m, timeout: 2h' },
  { cron: '*/20 1,5-6 1-7 * *', timeZone: 'Asia/Tokyo', more: ', onOverlap: queue' },
  { cron: '0 9-17/4 * * mon-fri', timeZone: 'America/New_York', more: '' },
  { cron: '0 0 1,15 * sun', timeZone: 'UTC', more: ', jitter: 1h' },
];
const ADDRESS = `0x${'1'.repeat(40)}`;

const bundled = { entryPoints: [`${REPOSITORY}src/pipeline/syntax/cron.ts`], bundle: true };
const [{ text: cronCode }] = buildSync({ ...bundled, format: 'esm', write: false }).outputFiles;
const { nextCronMs } = await import(`data:text/javascript,${encodeURIComponent(cronCode)}`);

const wanted = process.argv.slice(2);
const tally = new Tally();
const work = mkdtempSync(join(tmpdir(), 'windrow-operating-'));
const service = await served(30_000);
try {
  if (wanted.includes('airflow')) tryAirflow();
  else await tryAll();
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  service.close();
  rmSync(work, { recursive: true, force: true });
}
tally.close();

/** A folder as `windrow init` writes it, with a schedule, and the files of these schedulers. */
function folderWith({ cron, timeZone, more }, name, ...forms) {
  const folder = join(work, name);
  const options = ['--url', service.url, '--addresses', ADDRESS, '--credentials', 'none'];
  const made = windrow(['init', folder, ...options, '--from', '29900', '--zone-from', '118000']);
  tally.holds(`windrow init writes ${name}`, made.code === 0, made.output);
  const file = join(folder, 'address-activity.yaml');
  const schedule = `schedule: { cron: "${cron}", timeZone: ${timeZone}${more} }`;
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${schedule}\n`);
  for (const form of forms) {
    const args = ['schedule', file, '--as', form, '--data', join(folder, 'data')];
    const written = windrow([...args, '--out', join(folder, form)]);
    tally.holds(`${name}: windrow schedule --as ${form}`, written.code === 0, written.output);
  }
  return folder;
}

async function tryAll() {
  const minutely = folderWith(
    { cron: '* * * * *', timeZone: 'UTC', more: ', timeout: 10m' },
    'minute',
    'crontab',
  );
  const byCron = isInstalled('cron')
    ? runByCron(tally, minutely, textOf(minutely, 'crontab/windrow-address-activity.crontab'))
    : Promise.resolve(tally.holds('cron is installed', false));
  const manifests = [];
  for (const [i, schedule] of SCHEDULES.entries()) {
    const folder = folderWith(schedule, `schedule ${i + 1}`, 'systemd', 'kubernetes');
    verifyUnits(folder);
    compareTimes(folder, schedule);
    manifests.push(join(folder, 'kubernetes/windrow-address-activity.yaml'));
  }
  try {
    lint(manifests);
    readExpressions(tally);
    readMetrics(tally, minutely);
    await receiveMail(tally, minutely);
    const image = builtImage(tally, join(work, 'images'));
    ran('chmod', ['-R', 'a+rX', work]);
    runImage(tally, image, minutely, service.url);
  } finally {
    await byCron;
  }
}

function textOf(folder, name) {
  return readFileSync(join(folder, name), 'utf8');
}

function verifyUnits(folder) {
  const units = ['service', 'timer'].map((kind) =>
    join(folder, `systemd/windrow-address-activity.${kind}`),
  );
  const { code, output } = ran('systemd-analyze', ['verify', ...units]);
  tally.holds(`systemd-analyze verifies ${folder}`, code === 0 && output === '', output);
}

/** The next times by systemd and by windrow, over a year with two changes of the clocks. */
function compareTimes(folder, { cron, timeZone }) {
  const lines = textOf(folder, 'systemd/windrow-address-activity.timer')
    .split('\n')
    .filter((line) => line.startsWith('OnCalendar='));
  const args = ['calendar', '--iterations=40', '--base-time=2026-01-01 00:00:00 UTC'];
  const times = new Set();
  for (const line of lines) {
    const text = ran('systemd-analyze', [...args, line.slice('OnCalendar='.length)], {
      env: { ...process.env, TZ: 'UTC' },
    }).output;
    for (const [, day, time] of text.matchAll(/: \w{3} (\d\S+) (\S+) UTC$/gm)) {
      times.add(Date.parse(`${day}T${time}Z`));
    }
  }
  const systemd = [...times].sort((a, b) => a - b).slice(0, 40);
  const ticks = [];
  let atMs = Date.UTC(2026, 0, 1);
  while (ticks.length < 40) {
    atMs = nextCronMs({ cron, timeZone }, atMs);
    ticks.push(atMs);
  }
  tally.equal(`systemd has the times of ${cron} in ${timeZone}`, systemd.join(), ticks.join());
}

function lint(manifests) {
  const docker = ran(toolPath('hadolint'), [join(REPOSITORY, 'Dockerfile')]);
  tally.holds('hadolint accepts the Dockerfile', docker.code === 0, docker.output);
  const deploy = join(REPOSITORY, 'docs/deploy');
  const compose = parse(readFileSync(join(deploy, 'docker-compose.yaml'), 'utf8'));
  const { command } = compose.services.windrow;
  tally.equal('the command of docker-compose', command.slice(0, 2).join(' '), 'schedule run');
  const workers = parse(readFileSync(join(deploy, 'workers-compose.yaml'), 'utf8'), {
    merge: true,
  });
  tally.equal('the command of workers', workers.services.worker.command[0], 'worker');
  const all = [...manifests, join(deploy, 'workers-kubernetes.yaml')];
  const { code, output } = ran(toolPath('kubernetes-validate'), ['--strict', ...all]);
  tally.holds('all manifests have the form of Kubernetes', code === 0, output);
}

function tryAirflow() {
  const python = join(REPOSITORY, 'test/operating/.airflow/bin/python');
  const env = {
    ...process.env,
    AIRFLOW_HOME: join(work, 'airflow'),
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
  };
  for (const [i, schedule] of SCHEDULES.entries()) {
    const folder = folderWith(schedule, `schedule ${i + 1}`, 'airflow');
    const file = join(folder, 'airflow/windrow_address_activity.py');
    const script = `import runpy, json
space = runpy.run_path(${JSON.stringify(file)})
dag = space["dag"]
[task] = dag.tasks
print("FOUND " + json.dumps([dag.dag_id, task.task_id, str(dag.timezone), task.bash_command]))`;
    const { code, output } = ran(python, ['-c', script], { env });
    tally.holds(`Airflow reads the DAG of ${schedule.cron}`, code === 0, output);
    const [, text = '[]'] = /^FOUND (.*)$/m.exec(output) ?? [];
    const [id, task, zone, command = ''] = JSON.parse(text);
    tally.equal('its names', [id, task].join(), 'windrow_address_activity,run');
    tally.equal('its time zone', String(zone).replace('Etc/', ''), schedule.timeZone);
    tally.holds(
      'its command',
      command.includes('windrow run /etc/windrow/address-activity.yaml '),
      command,
    );
  }
}
