import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { type Credentials, Secret } from '../fetch/signature.ts';
import { isCode } from '../land/disk.ts';
import type { CredentialsFrom } from '../plan/pipeline-source.ts';

const VARIABLES = ['WINDROW_ACCESS_KEY', 'WINDROW_SECRET_KEY', 'WINDROW_PASSPHRASE'] as const;

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
  return {
    accessKey: new Secret(accessKey),
    secretKey: new Secret(secretKey),
    passphrase: new Secret(passphrase),
  };
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
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      throw new Fault('configuration', 'Others than its owner may read the file of secrets.', {
        where: file,
        advice: `Make it private: chmod 600 ${file}`,
      });
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new Fault('configuration', 'The file of secrets is not there.', {
      where: file,
      advice: 'Correct source.credentials.file in the pipeline.',
    });
  }
  const parsed = fileSchema.safeParse(jsonOrUndefined(text));
  if (!parsed.success) {
    // What is wrong is not quoted: it may be a secret.
    throw new Fault('configuration', 'The file of secrets does not have the form expected.', {
      where: file,
      advice: 'Write {"accessKey": "...", "secretKey": "...", "passphrase": "..."} and no more.',
    });
  }
  return {
    accessKey: new Secret(parsed.data.accessKey),
    secretKey: new Secret(parsed.data.secretKey),
    passphrase: new Secret(parsed.data.passphrase),
  };
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
