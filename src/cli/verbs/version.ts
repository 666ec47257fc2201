import type { Argv } from 'yargs';
import { windrowVersion } from '../../run/job/version.ts';
import { jsonDocument } from '../../run/shell/json-document.ts';
import type { ExitCode } from '../../run/shell/run-document.ts';
import type { Console } from '../terminal/console.ts';
import { withExitCodes } from '../terminal/options.ts';

export function versionOptions(args: Argv) {
  return withExitCodes(args);
}

/** `windrow version`: the same as `windrow --version`. */
export async function versionVerb(_given: object, output: Console): Promise<ExitCode> {
  const version = windrowVersion();
  output.out(output.isJson ? jsonDocument({ version }) : version);
  return 0;
}
