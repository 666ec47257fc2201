import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { type Credentials, Secret } from '../fetch/signature.ts';
import { isCode } from '../land/disk.ts';
import type { CredentialsFrom } from '../plan/pipeline-source.ts';
import { rateLimitSchema } from '../service/rate-limits-schema.ts';
import type { KeyHolder } from '../service/settings.ts';

const VARIABLES = ['WINDROW_ACCESS_KEY', 'WINDROW_SECRET_KEY', 'WINDROW_PASSPHRASE'] as const;

/** Of one file. */
const MOST_KEYS = 1_000;

const fileSchema = z.strictObject({
  accessKey: z.string().min(1),
  secretKey: z.string().min(1),
  passphrase: z.string().min(1),
});

/** The credentials in the environment, or undefined when none of the variables is set. */
export function environmentCredentials(env: NodeJS.ProcessEnv): Credentials | undefined {
  const [accessKey = '', secretKey = '', passphrase = ''] = VARIABLES.map((name) => env[name]);
  if (accessKey === '' && secretKey === '' && passphrase === '') return undefined;
  const unset = VARIABLES.filter((name) => (env[name] ?? '') === '');
  if (unset.length > 0) {
    throw new Fault('configuration', `${unset.join(' and ')} is not set.`, {
      advice: `Set all of ${VARIABLES.join(', ')}, or none of them.`,
    });
  }
  return secretsIn({ accessKey, secretKey, passphrase });
}

/** What the pipeline says to sign with; undefined for unsigned requests. `file` is absolute. */
export async function credentialsFrom(
  from: CredentialsFrom,
  pipelineFile: string,
  resolve: (file: string) => string,
  env: NodeJS.ProcessEnv,
): Promise<Credentials | undefined> {
  if (from.kind === 'none') return undefined;
  if (from.kind === 'file') return fileCredentials(resolve(from.file));
  const found = environmentCredentials(env);
  if (found !== undefined) return found;
  throw new Fault('configuration', `${VARIABLES.join(', ')} are not set.`, {
    where: pipelineFile,
    advice: 'Set them, or write credentials: none under source when the service asks for none.',
  });
}

async function fileCredentials(file: string): Promise<Credentials> {
  const text = await privateText(file, 'Correct source.credentials.file in the pipeline.');
  const parsed = fileSchema.safeParse(jsonOrUndefined(text));
  if (!parsed.success) {
    // What is wrong is not quoted: it may be a secret.
    throw new Fault('configuration', 'The file of secrets does not have the form expected.', {
      where: file,
      advice: 'Write {"accessKey": "...", "secretKey": "...", "passphrase": "..."} and no more.',
    });
  }
  return secretsIn(parsed.data);
}

const holdersSchema = z
  .array(
    z.strictObject({ ...fileSchema.shape, limit: rateLimitSchema.optional() }),
    'is not a list of keys',
  )
  .min(1, 'has no key')
  .max(MOST_KEYS, `has more than ${MOST_KEYS} keys`)
  .refine(
    (keys) => new Set(keys.map(({ accessKey }) => accessKey)).size === keys.length,
    'names the same accessKey twice',
  );

/**
 * Who may ask a service, from a file that only its owner may read: a JSON list of keys, each with a
 * limit of its own if it has one.
 */
export async function keyHolders(file: string): Promise<KeyHolder[]> {
  const text = await privateText(file, 'Name a file of keys with --keys.');
  const parsed = holdersSchema.safeParse(jsonOrUndefined(text));
  if (parsed.success) {
    return parsed.data.map(({ limit, ...secrets }) => ({
      ...secretsIn(secrets),
      ...(limit === undefined ? {} : { limit }),
    }));
  }
  const [issue] = parsed.error.issues;
  // The place is told, and never the value.
  const place = (issue?.path ?? []).map((part) => `[${JSON.stringify(part)}]`).join('');
  const [what = ''] = (issue?.message ?? '').split('\n');
  throw new Fault('configuration', `The file of keys is wrong: keys${place} ${what}.`, {
    where: file,
    advice:
      'Write [{"accessKey": "...", "secretKey": "...", "passphrase": "..."}], each key with a ' +
      '"limit" beside these if it should have one.',
  });
}

function secretsIn(given: z.infer<typeof fileSchema>): Credentials {
  return {
    accessKey: new Secret(given.accessKey),
    secretKey: new Secret(given.secretKey),
    passphrase: new Secret(given.passphrase),
  };
}

/** The text of a file of secrets, which is refused where others than its owner may read it. */
async function privateText(file: string, advice: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      throw new Fault('configuration', 'Others than its owner may read the file of secrets.', {
        where: file,
        advice: `Make it private: chmod 600 ${file}`,
      });
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new Fault('configuration', 'The file of secrets is not there.', { where: file, advice });
  }
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
