#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { Fault } from '../fault.ts';
import { checkVerb } from './check.ts';
import { jsonDocument, systemConsole } from './console.ts';
import { demoVerb } from './demo.ts';
import { planVerb } from './plan.ts';
import { queryVerb } from './query.ts';
import type { ExitCode } from './report.ts';
import { runVerb } from './run.ts';
import { serveVerb } from './serve.ts';
import { statusVerb } from './status.ts';
import { windrowVersion } from './version.ts';

const data = {
  type: 'string',
  default: 'data',
  describe: 'Data root: where the lake, the warehouse and the reports lie',
} as const;

const overrides = {
  data,
  'source-url': { type: 'string', describe: "Base address of the service, for the pipeline's" },
  addresses: { type: 'string', describe: "CSV of addresses, for the pipeline's key sets" },
  blocks: { type: 'string', describe: 'Heights A:B of the primary chain, both included' },
  'zone-blocks': { type: 'string', describe: 'Heights A:B of the zone chain, both included' },
} as const;

const pipeline = {
  type: 'string',
  demandOption: true,
  describe: 'A pipeline file',
} as const;

const EXIT_CODES =
  'Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 partial, 4 checks failed, 5 locked, ' +
  '130 interrupted.';

/** Runs one command line; the exit code says how it ended. */
async function main(line: readonly string[]): Promise<ExitCode> {
  let ended: ExitCode = 0;
  const output = systemConsole(line.includes('--json'));
  const parser = yargs([...line])
    .scriptName('windrow')
    .parserConfiguration({ 'duplicate-arguments-array': false })
    .usage('$0 <verb>\n\nExports a chain explorer to a lake of Delta tables and SQL views.')
    .command(
      'plan <pipeline>',
      'Print what a run would fetch and what it costs',
      (args) =>
        args
          .positional('pipeline', pipeline)
          .options(overrides)
          .example('$0 plan pipelines/address-activity.yaml', 'the price, before the first call'),
      async (args) => {
        ended = await planVerb(args, output);
      },
    )
    .command(
      'run <pipeline>',
      'Fetch what is missing, land it and publish the warehouse',
      (args) =>
        args
          .positional('pipeline', pipeline)
          .options(overrides)
          .option('lock', {
            type: 'boolean',
            default: true,
            describe: 'Take the lock of the data root (--no-lock: safe, but may fetch twice)',
          })
          .option('verbose', { type: 'boolean', default: false, describe: 'Log what happens' })
          .example('$0 run pipelines/address-activity.yaml', 'once, or again to go on')
          .example('$0 run my.yaml --blocks 19000000:19009999 --data /lake', 'one window'),
      async (args) => {
        ended = await runVerb(args, output);
      },
    )
    .command(
      'status',
      'Show what the lake holds and how far it is complete',
      (args) => args.options({ data }).example('$0 status --data data/demo', 'tables and coverage'),
      async (args) => {
        ended = await statusVerb(args, output);
      },
    )
    .command(
      'query <sql>',
      'Answer one SELECT over the warehouse',
      (args) =>
        args
          .positional('sql', { type: 'string', demandOption: true, describe: 'One SELECT' })
          .options({
            data,
            'max-rows': { type: 'number', default: 10_000, describe: 'Rows at most' },
            timeout: { type: 'number', default: 60, describe: 'Seconds at most' },
          })
          .example('$0 query "SELECT * FROM coverage"', 'a view of the warehouse')
          .example('$0 query "FROM lake.transactions" --json', 'a dataset, as JSON'),
      async (args) => {
        ended = await queryVerb(args, output);
      },
    )
    .command(
      'check',
      'Look for gaps, duplicates and other findings in the warehouse',
      (args) => args.options({ data }).example('$0 check --json', 'all findings, as JSON'),
      async (args) => {
        ended = await checkVerb(args, output);
      },
    )
    .command(
      'serve',
      'Answer the interface from a simulated chain or from records on disk',
      (args) =>
        args
          .options({
            chain: { type: 'string', describe: 'Seed of a simulated chain' },
            records: {
              type: 'string',
              describe: 'Folder of NDJSON(.gz) records, a file a dataset',
            },
            head: { type: 'number', default: 30_000, describe: 'Head of the simulated chain' },
            host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
            port: { type: 'number', default: 8080, describe: 'Port to listen on; 0: any free one' },
            auth: {
              type: 'boolean',
              default: true,
              describe: 'Check signatures (--no-auth: do not)',
            },
          })
          .example('$0 serve --chain demo --no-auth', 'a simulated chain, for everybody here'),
      async (args) => {
        ended = await serveVerb(args, output);
      },
    )
    .command(
      'demo',
      'Export a simulated chain into data/demo and query it',
      (args) => args.options({ data: { ...data, default: 'data/demo' } }),
      async (args) => {
        ended = await demoVerb(args, output);
      },
    )
    .option('json', { type: 'boolean', default: false, describe: 'Print results as JSON' })
    .demandCommand(1, 'Name a verb.')
    .strict()
    .version(windrowVersion())
    .epilogue(EXIT_CODES)
    .wrap(Math.min(100, output.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      if (error !== undefined && error !== null) throw error;
      throw new Fault('usage', message, { advice: 'See windrow --help.' });
    });
  await parser.parseAsync();
  return ended;
}

/** A Fault is told in one paragraph; anything else is a mistake of ours and shows its stack. */
function tell(error: unknown): number {
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

process.exitCode = await main(hideBin(process.argv)).catch(tell);
