import { stringify } from 'yaml';
import { shellQuoted } from '../../../fault.ts';
import { longestPauseMs } from '../../../pipeline/syntax/cron.ts';
import {
  elsewhere,
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  STOP_SECONDS,
  stepsBefore,
  wholeSecondsOf,
} from './scheduled-job.ts';

/** The user of the container image. */
const USER = 10_001;
/** Longest name of the CronJob of runs: the other adds `-health`, and jobs 11 characters. */
const LONGEST_NAME = 45;

/** Finished jobs and their logs stay for a week. */
const KEPT_SECONDS = 7 * 86_400;

/** A run may take this long. */
const GRACE_MS = 2 * 3_600_000;
/** The longest `--max-age`. */
const LONGEST_HOURS = 366 * 24;

/**
 * A CronJob of the runs, and one of their health check, whose jobs fail where the last success is
 * older than the schedule explains. Their volumes are a claim, and a ConfigMap with the files of
 * the pipeline.
 */
export function kubernetesManifest(job: ScheduledJob): SchedulerFile[] {
  const { name, schedule, image, environmentFile } = job;
  const { cron, timeZone, timeoutMs, jitterMs, onOverlap } = schedule;
  const label = `windrow-${name}`.slice(0, LONGEST_NAME).replace(/-+$/, '');
  // A run prints its log: the cluster stores the output of containers, and the root is read-only.
  const options = job.options.filter(({ name }) => name !== 'log');
  const run = runCommand(elsewhere({ ...job, options, command: [] }));
  // Kubernetes puts variables, which hold secrets, in the place of $(NAME), and reads $$ as $.
  const plain = (text: string): string => text.replaceAll('$', '$$$$');
  // The cluster sets the variables itself.
  const pause = stepsBefore({ ...job, environmentFile: undefined });
  const line = ['windrow', ...run].map(shellQuoted).join(' ');
  const program =
    jitterMs === 0
      ? { args: run.map(plain) }
      : { command: ['sh', '-c', [...pause, `exec ${plain(line)}`].join(' && ')] };
  const secrets =
    environmentFile === undefined ? {} : { envFrom: [{ secretRef: { name: label } }] };
  const limit = timeoutMs === undefined ? {} : { activeDeadlineSeconds: wholeSecondsOf(timeoutMs) };
  const runs = cronJob(label, label, { schedule: cron, timeZone }, limit, {
    image,
    ...program,
    ...secrets,
  });
  const dueMs = longestPauseMs(schedule) + jitterMs + (timeoutMs ?? 0) + GRACE_MS;
  const hours = Math.min(LONGEST_HOURS, Math.ceil(dueMs / 3_600_000));
  const args = ['status', '--data', '/data', '--max-age', `${hours}h`];
  const health = cronJob(`${label}-health`, label, { schedule: '30 * * * *' }, {}, { image, args });
  const queue =
    onOverlap === 'queue'
      ? '# CronJobs queue no runs: a time that comes during a run is left out.\n'
      : '';
  const heading = `# The files of the pipeline, its secrets and its data have the name ${label}:\n`;
  const [text, check] = [runs, health].map((manifest) => stringify(manifest, { lineWidth: 0 }));
  const note = `# Its jobs fail where no run has succeeded for ${hours} hours:\n`;
  return [{ name: `${label}.yaml`, text: `${heading}${queue}${text}---\n${note}${check}` }];
}

/** A CronJob of one container, with the volumes of a pipeline. */
function cronJob(name: string, label: string, times: object, limit: object, program: object) {
  const container = {
    name: 'windrow',
    ...program,
    securityContext: {
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
    resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '4Gi' } },
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'config', mountPath: '/etc/windrow', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, labels: { 'app.kubernetes.io/name': 'windrow' } },
    spec: {
      ...times,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 3600,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: {
        spec: {
          backoffLimit: 0,
          ttlSecondsAfterFinished: KEPT_SECONDS,
          ...limit,
          template: {
            spec: {
              restartPolicy: 'Never',
              terminationGracePeriodSeconds: STOP_SECONDS,
              securityContext: { runAsNonRoot: true, runAsUser: USER, fsGroup: USER },
              containers: [container],
              volumes: [
                { name: 'data', persistentVolumeClaim: { claimName: label } },
                { name: 'config', configMap: { name: label } },
                { name: 'tmp', emptyDir: {} },
              ],
            },
          },
        },
      },
    },
  };
}
