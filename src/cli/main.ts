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

/** SQL may begin with a comment, which looks like an option: no option has a line feed in it. */
function asText(argument: string): string {
  return argument.startsWith('--') && argument.includes('\n') ? `\n${argument}` : argument;
}

/**
 * Runs one command line; the exit code says how it ended. A verb's module is loaded when it is
 * asked for: half of the time a short verb takes would go into what other verbs need.
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
      'Fetch what is missing, land it and publish the warehouse',
      async (args) => (await import('./verbs/run.ts')).runOptions(args),
      async (given) => {
        const { runVerb } = await import('./verbs/run.ts');
        ended = await runVerb(given, output);
      },
    )
    .command(
      'refetch <pipeline>',
      'Read again what is complete, and replace it',
      async (args) => (await import('./verbs/refetch.ts')).refetchOptions(args),
      async (given) => {
        const { refetchVerb } = await import('./verbs/refetch.ts');
        ended = await refetchVerb(given, output);
      },
    )
    .command(
      'backfill <pipeline>',
      'Fetch what is missing in older blocks than the pipeline asks for',
      async (args) => (await import('./verbs/backfill.ts')).backfillOptions(args),
      async (given) => {
        const { backfillVerb } = await import('./verbs/backfill.ts');
        ended = await backfillVerb(given, output);
      },
    )
    .command(
      'audit <pipeline>',
      'Read a sample of what is finished again, and tell what has changed',
      async (args) => (await import('./verbs/audit.ts')).auditOptions(args),
      async (given) => {
        const { auditVerb } = await import('./verbs/audit.ts');
        ended = await auditVerb(given, output);
      },
    )
    .command(
      'verify [pipeline]',
      'Compare every file of the lake with what was written; --repair fetches it again',
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
      'Tell what there is to export and to ask: endpoints, datasets, views',
      async (args) => (await import('./verbs/describe.ts')).describeOptions(args),
      async (given) => {
        const { describeVerb } = await import('./verbs/describe.ts');
        ended = await describeVerb(given, output);
      },
    )
    .command(
      'query [sql]',
      'Answer one SELECT over the warehouse',
      async (args) => (await import('./verbs/query.ts')).queryOptions(args),
      async (given) => {
        const { queryVerb } = await import('./verbs/query.ts');
        ended = await queryVerb(given, output);
      },
    )
    .command(
      'check',
      'Look for gaps, duplicates and other findings in the warehouse',
      async (args) => (await import('./verbs/check.ts')).checkOptions(args),
      async (given) => {
        const { checkVerb } = await import('./verbs/check.ts');
        ended = await checkVerb(given, output);
      },
    )
    .command(
      'runs [run]',
      'List the runs so far, or tell of one',
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
      'Write views or an answer as Parquet, CSV or Arrow files',
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
      'Answer the interface from a simulated chain, records on disk or a lake',
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
      // Here the parser hands over what makes the help text, whatever its types say.
      throw usageFault(message, String(usage.help()), line);
    });
  await parser.parseAsync();
  return ended;
}

/** What the system says when a path cannot be used; anything else is told by a Fault of its own. */
const PATH_CODES = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENAMETOOLONG'];

function pathFault(error: unknown): unknown {
  if (!(error instanceof Error) || !PATH_CODES.some((code) => isCode(error, code))) return error;
  const where = 'path' in error && typeof error.path === 'string' ? { where: error.path } : {};
  return new Fault('lake', `The system says ${error.message}.`, {
    ...where,
    advice: 'Check that the path is right and may be written to, above all --data DIR.',
    cause: error,
  });
}

let told: unknown;

/** A Fault is told in one paragraph; anything else is a mistake of ours and shows its stack. */
function tell(thrown: unknown): number {
  told = thrown;
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

// A reader that has seen enough (`| head`) closes the pipe. The verb goes on to its end without it,
// so that an export is not cut short and the exit code still says how it went.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (!isCode(error, 'EPIPE')) throw error;
  });
}
// Where a verb's module cannot be loaded, yargs passes the error on and leaves it unhandled, too.
process.on('unhandledRejection', (error) => {
  if (error !== told) throw error;
});
process.exitCode = await main(hideBin(process.argv)).catch(tell);
