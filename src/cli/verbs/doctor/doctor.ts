import type { Effects } from '../../../effects.ts';
import { type Advice, adviceText, Fault, shellQuoted } from '../../../fault.ts';
import { connect, overHttp } from '../../../fetch/connect.ts';
import type { Credentials } from '../../../fetch/http/signature.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { credentialsFrom } from '../../../run/job/credentials.ts';
import { type LoadedPipeline, loadPipeline } from '../../../run/job/pipeline-file.ts';
import { withQueue } from '../../../run/queue/open-queue.ts';
import { alertProblems } from '../../../run/shell/alert-job.ts';
import { many } from '../../terminal/console.ts';
import { type Arguments, pipelineOptions, queue } from '../../terminal/options.ts';
import { print, type VerbOf } from '../../terminal/verb-result.ts';
import { checkAddress } from './address-checks.ts';
import { checkCaptures } from './capture-checks.ts';
import { type Diagnosis, exitCodeFor, failureOfFault, fine, warning } from './diagnosis.ts';
import { checkDisk, checkLake } from './root-checks.ts';
import { checkSchedule } from './schedule-check.ts';
import { checkClock, checkHeads, checkPageSizes, timed } from './service-checks.ts';

/** The time that the service has for all answers of one check. */
const PATIENCE_MS = 30_000;
const QUEUE_PATIENCE_MS = 5000;

export const doctorOptions = {
  options: {
    ...pipelineOptions,
    queue,
  },
  examples: {
    '$0 doctor my.yaml': 'check the machine, the service and the data root before a run',
  },
};

export type DoctorArguments = Arguments<typeof doctorOptions>;

/**
 * `windrow doctor`: checks everything that a run needs, and prints a remedy for each problem. Sends
 * one request per chain and one per list of the pipeline.
 */
export const doctorVerb: VerbOf<typeof doctorOptions> = async (input, output) => {
  const loaded = await loadPipeline(input.pipeline, input);
  const diagnoses: Diagnosis[] = [];
  for await (const diagnosis of diagnose(loaded, input, output.effects)) {
    diagnoses.push(diagnosis);
    print({ lines: linesOf(diagnosis) }, output);
  }
  const exitCode = exitCodeFor(diagnoses);
  const checks = diagnoses.map(({ kind: _, remedy, ...check }) => {
    return { ...check, remedy: adviceText(remedy, output) };
  });
  const count = (wanted: string): number =>
    diagnoses.filter(({ verdict }) => verdict === wanted).length;
  return {
    document: { pipeline: loaded.pipeline.name, data: input.data, exitCode, checks },
    lines: [`${many(count('fail'), 'failure')}, ${many(count('warn'), 'warning')}.`],
    exitCode,
  };
};

function linesOf({ check, verdict, finding, remedy }: Diagnosis): Advice[] {
  const line = `${verdict.padEnd(4)}  ${check}: ${finding}`;
  if (remedy === '') return [line];
  const indent = '      ';
  if (typeof remedy === 'string') return [line, indent + remedy];
  return [line, { ...remedy, text: indent + remedy.text }];
}

/** All checks in order. Those that need the service end with the first one that it fails. */
async function* diagnose(
  loaded: LoadedPipeline,
  { data: root, queue: queueUrl }: Pick<DoctorArguments, 'data' | 'queue'>,
  loud: Effects,
): AsyncGenerator<Diagnosis> {
  const { pipeline } = loaded;
  // The log would repeat the findings.
  const effects: Effects = { ...loud, log: () => undefined };
  const keys = many(new Set(Object.values(loaded.keys).flat()).size, 'key');
  yield fine('pipeline', `${many(pipeline.requests.length, 'request')}, ${keys} from lists.`);
  const disk = await checkDisk(root);
  yield disk;
  if (disk.verdict !== 'fail') yield* await checkLake(root, loud);
  if (queueUrl !== undefined) yield await checkQueue(queueUrl, effects);
  yield await checkSchedule(pipeline, root, effects.now());
  yield* await checkDestinations(loaded, effects, process.env);
  yield* await checkEnvironmentFile(loaded);
  const { source } = pipeline;
  const secrets = await credentialsFrom(source, loaded.file, loaded.resolve, process.env).catch(
    (error: unknown) => {
      if (error instanceof Fault) return error;
      throw error;
    },
  );
  if (secrets instanceof Fault) yield failureOfFault('credentials', secrets);
  const { url, timeouts } = source;
  let isReachable = true;
  for await (const diagnosis of checkAddress(url, effects.now(), timeouts.connectMs, process.env)) {
    yield diagnosis;
    isReachable = diagnosis.verdict !== 'fail';
  }
  yield* checkCaptures(pipeline, effects, process.env);
  if (!isReachable || secrets instanceof Fault) return;
  yield* checkService(loaded, secrets, effects);
}

async function* checkService(
  { pipeline, keys }: LoadedPipeline,
  secrets: Credentials | undefined,
  effects: Effects,
): AsyncGenerator<Diagnosis> {
  const transport = timed(overHttp(pipeline.source, process.env), effects);
  const connection = connect(pipeline.source, secrets, undefined, effects, {
    transport,
    maxWaitMs: PATIENCE_MS,
  });
  const service = { pipeline, keys, connection, effects };
  try {
    const { diagnoses, heads } = await checkHeads({ ...service, signal: patience() });
    yield* diagnoses;
    if (transport.newest() !== undefined) yield checkClock(transport.newest());
    if (heads === undefined) return;
    const kind = secrets === undefined ? 'needs none' : 'accepts them';
    yield fine('credentials', `The service ${kind}.`);
    yield* await checkPageSizes({ ...service, signal: patience() }, heads);
  } finally {
    await connection.close();
  }
}

function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

/** Whether Redis answers, and keeps its jobs over a restart and under a full memory. */
async function checkQueue(url: string, effects: Effects): Promise<Diagnosis> {
  try {
    const options = {
      url,
      worker: 'doctor',
      patienceMs: QUEUE_PATIENCE_MS,
      effects,
      env: process.env,
    };
    const risk = await withQueue(options, (queue) => queue.risk());
    if (risk === undefined) return fine('queue', 'The queue keeps its jobs.');
    return warning('queue', risk.text, risk.remedy);
  } catch (error) {
    return failureOfFault('queue', error);
  }
}

/** Whether other users may read the .env beside the pipeline; no diagnosis if there is none. */
export async function checkEnvironmentFile({
  resolve,
}: Pick<LoadedPipeline, 'resolve'>): Promise<readonly Diagnosis[]> {
  const file = resolve('.env');
  const facts = await localDisk.stat(file).catch(() => null);
  if (facts === undefined) return [];
  if (facts?.kind !== 'file') {
    const remedy = 'Put a file of variables there, or remove it.';
    return [warning('.env', `${file} is not a file that can be read.`, remedy)];
  }
  if (facts.isPrivate) return [fine('.env', 'Only its owner may read it.')];
  const remedy = `Run: chmod 600 ${shellQuoted(file)}`;
  return [warning('.env', `${file} is readable by other users.`, remedy)];
}

/** Whether the secrets of all alerts are there; no diagnosis if the pipeline has no alerts. */
export async function checkDestinations(
  loaded: Pick<LoadedPipeline, 'pipeline' | 'resolve' | 'file'>,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<readonly Diagnosis[]> {
  const { destinations, heartbeat } = loaded.pipeline.alerts;
  const count = Object.keys(destinations).length;
  const command = `windrow alerts test ${shellQuoted(loaded.file)}`;
  if (count === 0 && heartbeat === undefined) return [];
  const problems = await alertProblems(loaded, effects, env);
  if (problems.length > 0) {
    const text =
      'Variables belong in .env beside the pipeline, loaded before the run; files of secrets ' +
      'have mode 0600. Then send a test.';
    return [warning('alerts', `Not ready: ${problems.join('; ')}.`, { text, command })];
  }
  const ready = [
    ...(count === 0 ? [] : [many(count, 'destination')]),
    ...(heartbeat === undefined ? [] : ['the heartbeat']),
  ];
  const summary = `The secrets of ${ready.join(' and ')} are there.`;
  const next = count === 0 ? '' : ` To send a test to each destination, run: ${command}`;
  return [fine('alerts', summary + next)];
}
