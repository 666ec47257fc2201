import { readFile } from 'node:fs/promises';
import { Fault } from '../../../src/fault.ts';
import { isCode } from '../../../src/land/storage/disk.ts';
import { wholeNumber } from '../../../src/pipeline/syntax/fields.ts';
import { environmentCredentials } from '../../../src/run/job/credentials.ts';
import { checkAgainst } from '../faults/chain.ts';
import type { Source } from '../protocol/source.ts';
import { parseFaultPlan } from '../settings/fault-plan.ts';
import type { FaultPlan } from '../settings/fault-schema.ts';
import type { KeyHolder } from '../settings/settings.ts';
import { keyHolders } from './key-holders.ts';

export interface GuardArguments {
  readonly auth: boolean;
  readonly keys?: string | undefined;
  readonly keyOnly?: boolean | undefined;
}

/** The keys that requests are checked against; none with --no-auth. */
export async function keysOf(input: GuardArguments): Promise<readonly KeyHolder[]> {
  const { auth, keys, keyOnly = false } = input;
  const authentication = keyOnly ? 'key' : 'signature';
  if (!auth && keyOnly) {
    throw new Fault('usage', '--key-only and --no-auth exclude each other.', {
      advice: 'Give one of them.',
    });
  }
  if (!auth && keys !== undefined) {
    throw new Fault('usage', '--keys and --no-auth exclude each other.', {
      advice: 'Give one of them.',
    });
  }
  if (!auth) return [];
  if (keys !== undefined) return keyHolders(keys, authentication);
  const credentials = environmentCredentials(process.env, authentication);
  if (credentials !== undefined) return [credentials];
  throw new Fault('configuration', 'The service has no key to check requests against.', {
    advice:
      `Set WINDROW_ACCESS_KEY${keyOnly ? '' : ', WINDROW_SECRET_KEY and WINDROW_PASSPHRASE'}, ` +
      'name a file of keys with --keys, or serve without keys with --no-auth.',
  });
}

/** The plan of faults in a file; undefined without a file. */
export async function faultsIn(file: string | undefined): Promise<FaultPlan | undefined> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (!['ENOENT', 'EISDIR', 'EACCES'].some((code) => isCode(cause, code))) throw cause;
    throw new Fault('configuration', 'The plan of faults cannot be read.', {
      where: file,
      advice: 'Give the path of a YAML or JSON file with --faults.',
      cause,
    });
  }
  return parseFaultPlan({ text, file });
}

/** Throws a Fault('configuration') that names the file if the source cannot apply its faults. */
export function checkFaults(plan: FaultPlan, file: string, source: Source): void {
  try {
    checkAgainst(plan, source);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, message, advice } = error;
    throw new Fault(kind, message, { where: file, advice });
  }
}

/** The port of the administration; undefined without --admin. */
export function adminPortOf(input: {
  readonly admin?: boolean | undefined;
  readonly adminPort?: string | undefined;
}): number | undefined {
  const { admin = false, adminPort = '0' } = input;
  if (!admin && input.adminPort !== undefined) {
    throw new Fault('usage', '--admin-port needs --admin.', {
      advice: 'Add --admin, or omit --admin-port.',
    });
  }
  return admin ? wholeNumber('--admin-port', adminPort, 0, 65_535) : undefined;
}
