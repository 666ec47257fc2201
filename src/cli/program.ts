import { hideBin } from 'yargs/helpers';
import { isCode } from '../land/storage/disk.ts';
import { limitMemory } from '../land/storage/memory-limit.ts';
import { limitArenas, limitHeapGrowth, STOP_SIGNALS } from '../system.ts';
import { commandLine, report } from './command-line.ts';
import { loggedConsole } from './log/logged-console.ts';
import { withoutSecrets } from './log/node-reports.ts';
import { systemConsole } from './terminal/console.ts';
import type { VerbTable } from './verb.ts';

/** Runs the command line of this process, and sets its exit code. */
export async function runProgram(verbs: VerbTable): Promise<void> {
  // A stream may fail: a reader such as `| head` closes the pipe, a disk is full, a terminal is
  // gone. The verb still runs to its end, so that its work is not cut short.
  let unprinted: Error | undefined;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error) => {
    if (!isCode(error, 'EPIPE')) unprinted ??= error;
  });
  process.on('exit', () => {
    if (unprinted === undefined) return;
    output.note(`windrow: The results cannot be written to stdout: ${unprinted.message}.`, 'error');
    // The exit code of work is that of the work; the result of any other verb is its output.
    if (output.log?.isWork !== true) process.exitCode ||= 1;
  });
  let reported: unknown;
  // Where a verb's module cannot be loaded, yargs both passes the error on and leaves it unhandled.
  process.on('unhandledRejection', (error) => {
    if (error !== reported) throw error;
  });
  limitHeapGrowth();
  limitArenas();
  const line = hideBin(process.argv);
  const output = loggedConsole(systemConsole(line.includes('--json')));
  const refused = withoutSecrets(process.report);
  if (refused !== undefined) output.note(refused, 'warn');
  try {
    limitMemory(process.env['WINDROW_MEMORY_LIMIT']);
    process.exitCode = await commandLine(line, output, verbs);
  } catch (error) {
    reported = error;
    process.exitCode = report(error, output);
  }
  // The work is done, and its exit code stands: a signal that comes now only ends the process.
  for (const signal of STOP_SIGNALS) process.on(signal, () => process.exit());
}
