#!/usr/bin/env node
import { hideBin } from 'yargs/helpers';
import { isCode } from '../land/storage/disk.ts';
import { limitMemory } from '../land/storage/memory-limit.ts';
import { limitArenas, limitHeapGrowth, systemEffects } from '../system.ts';
import { commandLine, report } from './command-line.ts';
import { loggedConsole } from './log/logged-console.ts';
import { withoutSecrets } from './log/node-reports.ts';
import { systemConsole } from './terminal/console.ts';

// A reader such as `| head` may close the pipe. The verb still runs to its end, so that an export
// is not cut short and the exit code is that of the work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (!isCode(error, 'EPIPE')) throw error;
  });
}
let reported: unknown;
// Where a verb's module cannot be loaded, yargs both passes the error on and leaves it unhandled.
process.on('unhandledRejection', (error) => {
  if (error !== reported) throw error;
});
limitHeapGrowth();
limitArenas();
const line = hideBin(process.argv);
const output = loggedConsole(systemConsole(line.includes('--json')), systemEffects('warn'));
const refused = withoutSecrets(process.report);
if (refused !== undefined) output.note(refused, 'warn');
try {
  limitMemory(process.env['WINDROW_MEMORY_LIMIT']);
  process.exitCode = await commandLine(line, output);
} catch (error) {
  reported = error;
  process.exitCode = report(error, output);
}
// The work is done, and its exit code stands: a signal that comes now only ends the process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
