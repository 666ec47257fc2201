import type { Effects } from '../../effects.ts';
import { Fault, shellQuoted } from '../../fault.ts';
import { Secret } from '../../fetch/http/signature.ts';
import type { Disk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import {
  type AlertDestination,
  alertVariables,
  type SecretFrom,
} from '../../pipeline/alert-settings.ts';
import { command } from '../alerts/deliver/command.ts';
import { email } from '../alerts/deliver/email.ts';
import { type AlertReceiver, DeliveryFailure } from '../alerts/deliver/receiver.ts';
import { heartbeat, openHttp, webhook } from '../alerts/deliver/webhook.ts';
import type { AlertJob } from '../alerts/send-alerts.ts';
import { privateText, SECRET_VARIABLES } from '../job/credentials.ts';
import type { LoadedPipeline } from '../job/pipeline-file.ts';

/** Headers of a collector of traces usually hold a token. */
const COLLECTOR_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

type Settings = Pick<LoadedPipeline, 'pipeline' | 'resolve' | 'file'>;

/** The destinations of a pipeline with their secrets. A missing secret fails each delivery. */
export async function alertJob(
  loaded: Settings,
  layout: Layout,
  disk: Disk,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<AlertJob> {
  const { alerts } = loaded.pipeline;
  const destinations = Object.entries(alerts.destinations).map(
    ([name, settings]) => [name, destinationOf(settings, loaded, effects, env)] as const,
  );
  const url = alerts.heartbeat;
  const beat = async (): Promise<void> => {
    if (url === undefined) return;
    await heartbeat(await urlIn(url, loaded, env), new AbortController().signal, openHttp(env));
  };
  return {
    pipeline: loaded.pipeline,
    file: shellQuoted(loaded.file),
    layout,
    disk,
    effects,
    destinations: new Map(destinations),
    heartbeat: url === undefined ? undefined : beat,
  };
}

/** Reads its secrets at each delivery, so that a long process sees renewed ones. */
function destinationOf(
  settings: AlertDestination,
  loaded: Settings,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): AlertReceiver {
  return {
    async deliver(alert, signal) {
      const opened = await openDestination(settings, loaded, effects, env);
      await opened.deliver(alert, signal);
    },
  };
}

async function openDestination(
  settings: AlertDestination,
  loaded: Settings,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<AlertReceiver> {
  if (settings.kind === 'command') {
    return command(settings.command, withoutSecrets(loaded, env), effects);
  }
  if (settings.kind === 'webhook') {
    const { url, signingKey } = settings;
    const key = signingKey && (await secretIn(signingKey, loaded, env));
    return webhook(await urlIn(url, loaded, env), key, effects, openHttp(env));
  }
  const { user, password } = settings;
  if (user === undefined || password === undefined) return email(settings, undefined);
  return email(settings, {
    user: await secretIn(user, loaded, env),
    password: await secretIn(password, loaded, env),
  });
}

/** What keeps alerts from being sent, as in `team: ALERT_URL is not set in the environment`. */
export async function alertProblems(
  loaded: Settings,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const { destinations, heartbeat: url } = loaded.pipeline.alerts;
  const opened: [name: string, open: () => Promise<unknown>][] = Object.entries(destinations).map(
    ([name, settings]) => [name, () => openDestination(settings, loaded, effects, env)],
  );
  if (url !== undefined) opened.push(['heartbeat', () => urlIn(url, loaded, env)]);
  const problems: string[] = [];
  for (const [name, open] of opened) {
    await open().catch((error: unknown) => {
      if (!(error instanceof DeliveryFailure)) throw error;
      problems.push(`${name}: ${error.message}`);
    });
  }
  return problems;
}

async function urlIn(from: SecretFrom, loaded: Settings, env: NodeJS.ProcessEnv): Promise<Secret> {
  const url = await secretIn(from, loaded, env);
  const protocol = URL.canParse(url.reveal()) ? new URL(url.reveal()).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return url;
  throw notReady(`${placeOf(from)} does not hold an http or https URL`);
}

async function secretIn(
  from: SecretFrom,
  { resolve }: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Secret> {
  const text =
    from.kind === 'environment'
      ? (env[from.name] ?? '')
      : await privateText(resolve(from.file), 'Correct its name in the pipeline.').catch(
          (error: unknown) => {
            if (!(error instanceof Fault)) throw error;
            throw notReady(`${from.file}: ${error.message.replace(/\.$/, '')}`);
          },
        );
  if (text.trim() === '') {
    const problem = from.kind === 'environment' ? 'is not set in the environment' : 'is empty';
    throw notReady(`${placeOf(from)} ${problem}`);
  }
  return new Secret(text.trim());
}

function placeOf(from: SecretFrom): string {
  return from.kind === 'environment' ? from.name : from.file;
}

function notReady(message: string): DeliveryFailure {
  return new DeliveryFailure(message, { isRetryable: false });
}

/** The environment without the credentials of the service and the secrets of other destinations. */
function withoutSecrets({ pipeline }: Settings, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const hidden = new Set<string>([...SECRET_VARIABLES, ...COLLECTOR_HEADERS]);
  for (const name of alertVariables(pipeline.alerts)) hidden.add(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
}
