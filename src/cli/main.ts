#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { Fault } from '../fault.ts';
import { isCode } from '../land/storage/disk.ts';
import { missingBinding } from './missing-binding.ts';
import { jsonDocument, systemConsole } from './terminal/console.ts';
import { withExitCodes } from './terminal/options.ts';
import type { ExitCode } from './terminal/report.ts';
import { windrowVersion } from './terminal/version.ts';
import { usageFault } from './usage-fault.ts';

/** Marks SQL that begins with a comment, which would look like an option, as text. */
function asText(argument: string): string {
  return argument.startsWith('--') && argument.includes('\n') ? `\n${argument}` : argument;
}

/**
 * Runs one command line and returns its exit code. The module of a verb is loaded only when the
 * verb is used: loading all of them would double the time of a short verb.
 */
async function main(line: readonly string[]): Promise<ExitCode> {
  let ended: ExitCode = 0;
  const output = systemConsole(line.includes('--json'));
  const parser = withExitCodes(yargs(line.map(asText)))
    .scriptName('windrow')
    .parserConfiguration({ 'duplicate-arguments-array': false })
    .usage('$0 <verb>\n\nExports a chain explorer to a lake of Delta tables and SQL views.')
    .command(
      'plan <pipeline>',
      'Print what a run would fetch and what it costs',
      async (args) => (await import('./verbs/plan.ts')).planOptions(args),
      async (given) => {
        const { planVerb } = await import('./verbs/plan.ts');
        ended = await planVerb(given, output);
      },
    )
    .command(
      'run <pipeline>',
      'Fetch missing blocks, write them to the lake and publish the warehouse',
      async (args) => (await import('./verbs/run.ts')).runOptions(args),
      async (given) => {
        const { runVerb } = await import('./verbs/run.ts');
        ended = await runVerb(given, output);
      },
    )
    .command(
      'refetch <pipeline>',
      'Fetch complete blocks again and replace their rows',
      async (args) => (await import('./verbs/refetch.ts')).refetchOptions(args),
      async (given) => {
        const { refetchVerb } = await import('./verbs/refetch.ts');
        ended = await refetchVerb(given, output);
      },
    )
    .command(
      'backfill <pipeline>',
      'Fetch older blocks than the pipeline requests',
      async (args) => (await import('./verbs/backfill.ts')).backfillOptions(args),
      async (given) => {
        const { backfillVerb } = await import('./verbs/backfill.ts');
        ended = await backfillVerb(given, output);
      },
    )
    .command(
      'audit <pipeline>',
      'Fetch a sample of finished slices again and report differences',
      async (args) => (await import('./verbs/audit.ts')).auditOptions(args),
      async (given) => {
        const { auditVerb } = await import('./verbs/audit.ts');
        ended = await auditVerb(given, output);
      },
    )
    .command(
      'verify [pipeline]',
      'Find damaged files of the lake; --repair fetches their rows again',
      async (args) => (await import('./verbs/verify.ts')).verifyOptions(args),
      async (given) => {
        const { verifyVerb } = await import('./verbs/verify.ts');
        ended = await verifyVerb(given, output);
      },
    )
    .command(
      'status',
      'Show what the lake holds and how far it is complete',
      async (args) => (await import('./verbs/status.ts')).statusOptions(args),
      async (given) => {
        const { statusVerb } = await import('./verbs/status.ts');
        ended = await statusVerb(given, output);
      },
    )
    .command(
      'describe [name]',
      'Describe endpoints, datasets, views and macros',
      async (args) => (await import('./verbs/describe.ts')).describeOptions(args),
      async (given) => {
        const { describeVerb } = await import('./verbs/describe.ts');
        ended = await describeVerb(given, output);
      },
    )
    .command(
      'query [sql]',
      'Run one SELECT over the warehouse',
      async (args) => (await import('./verbs/query.ts')).queryOptions(args),
      async (given) => {
        const { queryVerb } = await import('./verbs/query.ts');
        ended = await queryVerb(given, output);
      },
    )
    .command(
      'check',
      'Check the warehouse for gaps, duplicates and contradictions',
      async (args) => (await import('./verbs/check.ts')).checkOptions(args),
      async (given) => {
        const { checkVerb } = await import('./verbs/check.ts');
        ended = await checkVerb(given, output);
      },
    )
    .command(
      'runs [run]',
      'List runs, or show the report of one',
      async (args) => (await import('./verbs/runs.ts')).runsOptions(args),
      async (given) => {
        const { runsVerb } = await import('./verbs/runs.ts');
        ended = await runsVerb(given, output);
      },
    )
    .command(
      'quarantine <action> [id..]',
      'List, show, replay or drop records that broke their contract',
      async (args) => (await import('./verbs/quarantine/quarantine.ts')).quarantineOptions(args),
      async (given) => {
        const { quarantineVerb } = await import('./verbs/quarantine/quarantine.ts');
        ended = await quarantineVerb(given, output);
      },
    )
    .command(
      'load',
      'Rebuild the warehouse from the lake',
      async (args) => (await import('./verbs/load.ts')).loadOptions(args),
      async (given) => {
        const { loadVerb } = await import('./verbs/load.ts');
        ended = await loadVerb(given, output);
      },
    )
    .command(
      'export [what..]',
      'Write views or query results as Parquet, CSV or Arrow files',
      async (args) => (await import('./verbs/export.ts')).exportOptions(args),
      async (given) => {
        const { exportVerb } = await import('./verbs/export.ts');
        ended = await exportVerb(given, output);
      },
    )
    .command(
      'connect',
      'Print how other programs open the warehouse and the lake',
      async (args) => (await import('./verbs/connect.ts')).connectOptions(args),
      async (given) => {
        const { connectVerb } = await import('./verbs/connect.ts');
        ended = await connectVerb(given, output);
      },
    )
    .command(
      'serve',
      'Serve the explorer interface from a simulated chain, record files or a lake',
      async (args) => (await import('./verbs/serve/serve.ts')).serveOptions(args),
      async (given) => {
        const { serveVerb } = await import('./verbs/serve/serve.ts');
        ended = await serveVerb(given, output);
      },
    )
    .command(
      'demo',
      'Export a simulated chain into data/demo and query it',
      async (args) => (await import('./verbs/demo.ts')).demoOptions(args),
      async (given) => {
        const { demoVerb } = await import('./verbs/demo.ts');
        ended = await demoVerb(given, output);
      },
    )
    .option('json', { type: 'boolean', default: false, describe: 'Print results as JSON' })
    .demandCommand(1, 'Name a verb.')
    .strict()
    .version(windrowVersion())
    .wrap(Math.min(100, output.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error, usage) => {
      if (error !== undefined && error !== null) throw error;
      // At this point `usage` is the parser itself, unlike its type.
      throw usageFault(message, String(usage.help()), line);
    });
  await parser.parseAsync();
  return ended;
}

/** Codes of system errors about a path. All other failures have a Fault of their own. */
const PATH_CODES = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENAMETOOLONG'];

function pathFault(error: unknown): unknown {
  if (!(error instanceof Error) || !PATH_CODES.some((code) => isCode(error, code))) return error;
  const where = 'path' in error && typeof error.path === 'string' ? { where: error.path } : {};
  return new Fault('lake', `The operating system reports: ${error.message}.`, {
    ...where,
    advice: 'Check the path and its permissions, --data DIR first.',
    cause: error,
  });
}

let reported: unknown;

/** Prints a Fault as one paragraph; any other error is a bug of windrow and shows its stack. */
function report(thrown: unknown): number {
  reported = thrown;
  const error = missingBinding(thrown) ?? pathFault(thrown);
  const output = systemConsole(process.argv.includes('--json'));
  if (!(error instanceof Fault)) {
    output.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  }
  output.note(`windrow: ${error.paragraph()}`);
  if (output.isJson) {
    const { kind, message, where = null, advice, exitCode } = error;
    output.out(jsonDocument({ error: { kind, message, where, advice, exitCode } }));
  }
  return error.exitCode;
}

// A reader such as `| head` may close the pipe. The verb still runs to its end, so that an export
// is not cut short and the exit code is that of the work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (!isCode(error, 'EPIPE')) throw error;
  });
}
// Where a verb's module cannot be loaded, yargs both passes the error on and leaves it unhandled.
process.on('unhandledRejection', (error) => {
  if (error !== reported) throw error;
});
process.exitCode = await main(hideBin(process.argv)).catch(report);
