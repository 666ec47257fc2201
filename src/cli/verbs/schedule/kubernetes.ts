import { stringify } from 'yaml';
import { shellQuoted } from '../../../fault.ts';
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
/** Longest name of a CronJob: jobs add 11 characters to it. */
const LONGEST_NAME = 52;

/** Finished jobs and their logs stay for a week. */
const KEPT_SECONDS = 7 * 86_400;

/** A CronJob. Its volumes are a claim, a ConfigMap with the files of the pipeline, and a Secret. */
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
  const container = {
    name: 'windrow',
    image,
    ...(jitterMs === 0
      ? { args: run.map(plain) }
      : { command: ['sh', '-c', [...pause, `exec ${plain(line)}`].join(' && ')] }),
    ...(environmentFile === undefined ? {} : { envFrom: [{ secretRef: { name: label } }] }),
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
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: label, labels: { 'app.kubernetes.io/name': 'windrow' } },
    spec: {
      schedule: cron,
      timeZone,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 3600,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: {
        spec: {
          backoffLimit: 0,
          ttlSecondsAfterFinished: KEPT_SECONDS,
          ...(timeoutMs === undefined ? {} : { activeDeadlineSeconds: wholeSecondsOf(timeoutMs) }),
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
  const queue =
    onOverlap === 'queue'
      ? '# CronJobs queue no runs: a time that comes during a run is left out.\n'
      : '';
  const heading = `# The files of the pipeline, its secrets and its data have the name ${label}:\n`;
  const text = stringify(manifest, { lineWidth: 0 });
  return [{ name: `${label}.yaml`, text: `${heading}${queue}${text}` }];
}
