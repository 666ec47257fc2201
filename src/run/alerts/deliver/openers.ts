import type { Effects } from '../../../effects.ts';
import type { Secret } from '../../../fetch/http/signature.ts';
import type { Channel, ChannelSettings } from '../../../pipeline/alert-channels.ts';
import type { AlertDestination } from '../../../pipeline/alert-settings.ts';
import type { SecretFrom } from '../../../pipeline/syntax/secret-from.ts';
import { command } from './command.ts';
import { email } from './email.ts';
import type { Deliver } from './receiver.ts';
import { openHttp, webhook } from './webhook.ts';

/** The secrets and the environment that channels are opened with. */
export interface ChannelSurroundings {
  readonly effects: Effects;
  readonly env: NodeJS.ProcessEnv;
  /** The environment of a program, without secrets. */
  readonly programEnv: NodeJS.ProcessEnv;
  /** Reads a secret; throws a DeliveryFailure. */
  readonly secret: (from: SecretFrom) => Promise<Secret>;
  /** Reads a secret that is an http or https URL. */
  readonly url: (from: SecretFrom) => Promise<Secret>;
}

type Opener<C extends Channel> = (
  settings: ChannelSettings<C>,
  surroundings: ChannelSurroundings,
) => Deliver | Promise<Deliver>;

const OPENERS: { readonly [C in Channel]: Opener<C> } = {
  webhook: async ({ url, signingKey }, surroundings) => {
    const key = signingKey && (await surroundings.secret(signingKey));
    const { effects, env } = surroundings;
    return webhook(await surroundings.url(url), key, effects, openHttp(env));
  },
  email: async (settings, { secret }) => {
    const { user, password } = settings;
    if (user === undefined || password === undefined) return email(settings, undefined);
    return email(settings, { user: await secret(user), password: await secret(password) });
  },
  command: (settings, { programEnv, effects }) => command(settings, programEnv, effects),
};

/** Opens a destination for one delivery; throws a DeliveryFailure for a secret that is missing. */
export async function openDestination<C extends Channel>(
  { kind, settings }: AlertDestination<C>,
  surroundings: ChannelSurroundings,
): Promise<Deliver> {
  return OPENERS[kind](settings, surroundings);
}
