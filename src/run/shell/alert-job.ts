import type { Effects } from '../../effects.ts';
import { Fault, shellQuoted } from '../../fault.ts';
import { Secret } from '../../fetch/http/signature.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { alertVariables } from '../../pipeline/alert-settings.ts';
import { witnessVariables } from '../../pipeline/captures/witness-settings.ts';
import type { SecretFrom } from '../../pipeline/syntax/secret-from.ts';
import { type ChannelSurroundings, openDestination } from '../alerts/deliver/openers.ts';
import { type Deliver, DeliveryFailure } from '../alerts/deliver/receiver.ts';
import { heartbeat, openHttp } from '../alerts/deliver/webhook.ts';
import type { AlertJob } from '../alerts/send-alerts.ts';
import { privateText, REDIS_PASSWORD, SECRET_VARIABLES } from '../job/credentials.ts';
import type { LoadedPipeline } from '../job/pipeline-file.ts';

/** Headers of a collector of traces usually hold a token. */
const COLLECTOR_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

type Settings = Pick<LoadedPipeline, 'pipeline' | 'resolve' | 'file'>;

/** The destinations of a pipeline with their secrets. A missing secret fails each delivery. */
export async function alertJob(
  loaded: Settings,
  layout: Layout,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<AlertJob> {
  const { openers, url } = channelsOf(loaded, effects, env);
  // Secrets are read at each delivery, so that a long process sees renewed ones.
  const destinations = openers.map(([name, open]) => {
    const deliver: Deliver = async (alert) => (await open())(alert);
    return [name, deliver] as const;
  });
  const beat = url && (async () => heartbeat(await url(), openHttp(env)));
  return {
    pipeline: loaded.pipeline,
    file: shellQuoted(loaded.file),
    layout,
    disk: localDisk,
    effects,
    destinations: new Map(destinations),
    heartbeat: beat,
  };
}

/** What keeps alerts from being sent, as in `team: ALERT_URL is not set in the environment`. */
export async function alertProblems(
  loaded: Settings,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const { openers, url } = channelsOf(loaded, effects, env);
  const problems: string[] = [];
  for (const [name, open] of [...openers, ...(url ? [['heartbeat', url] as const] : [])]) {
    await open().catch((error: unknown) => {
      if (!(error instanceof DeliveryFailure)) throw error;
      problems.push(`${name}: ${error.message}`);
    });
  }
  return problems;
}

/** Functions that open the destinations of a pipeline, and that read the URL of its heartbeat. */
function channelsOf(loaded: Settings, effects: Effects, env: NodeJS.ProcessEnv) {
  const { destinations, heartbeat: from } = loaded.pipeline.alerts;
  const surroundings = surroundingsOf(loaded, effects, env);
  const openers = Object.entries(destinations).map(
    ([name, destination]) => [name, () => openDestination(destination, surroundings)] as const,
  );
  const url = from && (() => surroundings.url(from));
  return { openers, url };
}

function surroundingsOf(
  loaded: Settings,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): ChannelSurroundings {
  const secret = async ({ env: variable, file = '' }: SecretFrom): Promise<Secret> => {
    const inFile = (): Promise<string> =>
      privateText(loaded.resolve(file), 'Correct its name in the pipeline.');
    const text = variable === undefined ? await inFile().catch(unread(file)) : env[variable];
    if (text?.trim()) return new Secret(text.trim());
    throw notReady(variable ? `${variable} is not set in the environment` : `${file} is empty`);
  };
  const url = async (from: SecretFrom): Promise<Secret> => {
    const text = await secret(from);
    const protocol = URL.canParse(text.reveal()) ? new URL(text.reveal()).protocol : '';
    if (protocol === 'http:' || protocol === 'https:') return text;
    throw notReady(`${from.env ?? from.file} does not hold an http or https URL`);
  };
  return { effects, env, programEnv: withoutSecrets(loaded, env), secret, url };
}

const unread = (file: string) => (error: unknown) => {
  if (!(error instanceof Fault)) throw error;
  throw notReady(`${file}: ${error.message.replace(/\.$/, '')}`);
};

function notReady(message: string): DeliveryFailure {
  return new DeliveryFailure(message, { isRetryable: false });
}

/** The environment without the credentials of the service and the secrets of other destinations. */
function withoutSecrets({ pipeline }: Settings, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const hidden = new Set<string>([...SECRET_VARIABLES, REDIS_PASSWORD, ...COLLECTOR_HEADERS]);
  for (const name of alertVariables(pipeline.alerts)) hidden.add(name);
  for (const name of witnessVariables(pipeline.reconcile)) hidden.add(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}
