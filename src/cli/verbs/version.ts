import type { Argv } from 'yargs';
import { windrowVersion } from '../../run/job/version.ts';
import { withExitCodes } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

export function versionOptions(args: Argv) {
  return withExitCodes(args);
}

/** `windrow version`: the same as `windrow --version`. */
export async function versionVerb(): Promise<VerbResult> {
  const version = windrowVersion();
  return { document: { version }, lines: [version], exitCode: 0 };
}
