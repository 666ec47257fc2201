import { windrowVersion } from '../../run/job/version.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

export const versionOptions = {
  options: {},
  examples: {},
};

/** `windrow version`: the same as `windrow --version`. */
export async function versionVerb(): Promise<VerbResult> {
  const version = windrowVersion();
  return { document: { version }, lines: [version], exitCode: 0 };
}
