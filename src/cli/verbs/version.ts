import type { Argv } from 'yargs';
import { type Console, jsonDocument } from '../terminal/console.ts';
import { withExitCodes } from '../terminal/options.ts';
import type { ExitCode } from '../terminal/report.ts';
import { windrowVersion } from '../terminal/version.ts';

export function versionOptions(args: Argv) {
  return withExitCodes(args);
}

/** `windrow version`: the same as `windrow --version`. */
export async function versionVerb(_given: object, output: Console): Promise<ExitCode> {
  const version = windrowVersion();
  output.out(output.isJson ? jsonDocument({ version }) : version);
  return 0;
}
