import { z } from 'zod';
import { Fault, shellQuoted } from '../../fault.ts';
import { type Credentials, Secret } from '../../fetch/http/signature.ts';
import { jsonIn } from '../../json-in.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { QueriedService } from '../../pipeline/source-settings.ts';
import { commandOutput, variablesIn } from './secret-command.ts';
import { decodedText } from './text-file.ts';

const VARIABLES = ['WINDROW_ACCESS_KEY', 'WINDROW_SECRET_KEY', 'WINDROW_PASSPHRASE'] as const;

/** Environment variables that programs started by windrow do not get. */
export { VARIABLES as SECRET_VARIABLES };

/** The variable that holds the password of the Redis of workers. */
export const REDIS_PASSWORD = 'WINDROW_REDIS_PASSWORD';

const SECRET_NAMES: ReadonlySet<string> = new Set(VARIABLES);

/** The file of a signing key; of an API key alone, the other two are absent or ignored. */
const filled = z.string().trim().min(1);
const fileSchema = z.strictObject({ accessKey: filled, secretKey: filled, passphrase: filled });
const apiKeyFileSchema = fileSchema.partial({ secretKey: true, passphrase: true });

/**
 * The credentials in the environment, or undefined when none of the variables is set. With `key`
 * only the access key is read.
 */
export function environmentCredentials(
  env: NodeJS.ProcessEnv,
  authentication: QueriedService['authentication'] = 'signature',
): Credentials | undefined {
  const [accessKey = '', secretKey = '', passphrase = ''] = VARIABLES.map((name) => {
    const value = trimmed(env[name] ?? '', name);
    if (!/^(["']).*\1$/.test(value)) return value;
    throw new Fault('configuration', `The value of ${name} has quotes around it.`, {
      advice: 'Remove them: a shell takes quotes away, but Docker and kubectl keep them.',
    });
  });
  if (authentication === 'key') {
    return accessKey === '' ? undefined : { accessKey: new Secret(accessKey) };
  }
  if (accessKey === '' && secretKey === '' && passphrase === '') return undefined;
  const unset = VARIABLES.filter((name) => (env[name] ?? '').trim() === '');
  if (unset.length > 0) {
    throw new Fault('configuration', notSet(unset), {
      advice: `Set all of ${listed(VARIABLES)}, or none of them.`,
    });
  }
  return secretsIn({ accessKey, secretKey, passphrase });
}

/**
 * A secret without blanks, line ends and byte order marks around it, which files and variables add.
 * Throws a configuration fault, without the value, for characters that a header cannot have.
 */
export function trimmed(value: string, name: string, where?: string): string {
  const secret = value.trim();
  if (/^[\x20-\x7e\xa0-\xff]*$/.test(secret)) return secret;
  throw new Fault('configuration', `The value of ${name} has characters that cannot be sent.`, {
    where,
    advice: 'Copy it again: it has a line end, a control character or one beyond Latin-1 inside.',
  });
}

/** `A is not set.`, `A, B and C are not set.` */
function notSet(names: readonly string[]): string {
  return `${listed(names)} ${names.length === 1 ? 'is' : 'are'} not set.`;
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** The credentials that the pipeline names; undefined for unsigned requests. */
export async function credentialsFrom(
  { credentials: from, authentication }: Pick<QueriedService, 'credentials' | 'authentication'>,
  pipelineFile: string,
  resolve: (file: string) => string,
  env: NodeJS.ProcessEnv,
): Promise<Credentials | undefined> {
  if (from.kind === 'none') return undefined;
  if (from.kind === 'file') {
    const file = resolve(from.file);
    const text = await privateText(file, 'Correct source.credentials.file in the pipeline.');
    const credentials = jsonCredentials(text, authentication, file);
    if (credentials !== undefined) return credentials;
    // The message quotes no value, because it may be a secret.
    throw new Fault('configuration', 'The file of secrets does not have the form expected.', {
      where: file,
      advice: `Write ${formOf(authentication)}.`,
    });
  }
  if (from.kind === 'command') {
    const others = Object.entries(env).filter(([name]) => !SECRET_NAMES.has(name));
    const environment = Object.fromEntries(others);
    const output = await commandOutput(from, resolve('.'), environment, pipelineFile);
    const variables = variablesIn(output);
    const credentials =
      variables === undefined
        ? jsonCredentials(output, authentication, pipelineFile)
        : environmentCredentials(variables, authentication);
    if (credentials !== undefined) return credentials;
    const problem = 'The command of the credentials does not print them in a known form.';
    throw new Fault('configuration', problem, {
      where: pipelineFile,
      advice: `Let it print ${formOf(authentication)}; or lines such as ${VARIABLES[0]}=...`,
    });
  }
  const credentials = environmentCredentials(env, authentication);
  if (credentials !== undefined) return credentials;
  const isKeyOnly = authentication === 'key';
  throw new Fault('configuration', notSet(isKeyOnly ? VARIABLES.slice(0, 1) : VARIABLES), {
    where: pipelineFile,
    advice: isKeyOnly
      ? 'Set it, or write credentials: none under source if the service needs no key.'
      : 'Set them, or write credentials: none under source if the service needs no signature.',
  });
}

/** Whether another reading of the credentials may give a newer key. */
export function isRenewable({ credentials }: Pick<QueriedService, 'credentials'>): boolean {
  return credentials.kind === 'command' || credentials.kind === 'file';
}

function jsonCredentials(
  text: string,
  authentication: QueriedService['authentication'],
  where: string,
): Credentials | undefined {
  const value = jsonIn(text);
  if (authentication === 'key') {
    const key = apiKeyFileSchema.safeParse(value).data;
    return key && { accessKey: new Secret(trimmed(key.accessKey, 'accessKey', where)) };
  }
  const keys = fileSchema.safeParse(value).data;
  return keys && secretsIn(keys, where);
}

function formOf(authentication: QueriedService['authentication']): string {
  return authentication === 'key'
    ? '{"accessKey": "..."}'
    : '{"accessKey": "...", "secretKey": "...", "passphrase": "..."} and no more; a service ' +
        'without signatures needs authentication: key in the pipeline';
}

/** The secrets of these texts. Throws Fault('configuration') for characters that cannot be sent. */
export function secretsIn(texts: z.infer<typeof fileSchema>, where?: string): Credentials {
  const secretOf = (name: keyof typeof texts) => new Secret(trimmed(texts[name], name, where));
  return {
    accessKey: secretOf('accessKey'),
    secretKey: secretOf('secretKey'),
    passphrase: secretOf('passphrase'),
  };
}

/** The text of a file of secrets. Throws a Fault if users other than its owner may read it. */
export async function privateText(file: string, advice: string): Promise<string> {
  try {
    if ((await localDisk.stat(file))?.isPrivate === false) {
      throw new Fault('configuration', 'The file of secrets is readable by other users.', {
        where: file,
        advice: `Make it private: chmod 600 ${shellQuoted(file)}`,
      });
    }
    return decodedText(await localDisk.readBytes(file), file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Fault || code === undefined) throw error;
    const problem = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new Fault('configuration', `The file of secrets ${problem}.`, { where: file, advice });
  }
}
