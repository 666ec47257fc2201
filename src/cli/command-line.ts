import yargs, { type Argv } from 'yargs';
import { Fault } from '../fault.ts';
import { systemFault } from '../land/storage/disk-fault.ts';
import { windrowVersion } from '../run/job/version.ts';
import type { ExitCode } from '../run/shell/run-document.ts';
import { missingBinding } from './job/missing-binding.ts';
import type { Console } from './terminal/console.ts';
import { withExitCodes } from './terminal/options.ts';
import { print } from './terminal/verb-result.ts';
import { usageFault, withoutValue } from './usage-fault.ts';
import type { VerbTable } from './verb.ts';
import { VERBS } from './verb-table.ts';
import { verbsText } from './verbs-text.ts';

/** A `-` for stdin or stdout, marked as text: the parser would drop it. */
const MARKED_STREAM = '\n-';

/** Arguments with several values; of any other option that is repeated, the last value counts. */
const LISTS = new Set(['_', 'what', 'files', 'id', 'pipelines', 'only', 'dataset']);

/** Ranges that begin with a minus would look like options: `--blocks -1000:`. */
function withRanges(line: readonly string[]): string[] {
  return line.flatMap((word, at) => {
    if (/^-[0-9]/.test(word) && isRange(line[at - 1])) return [];
    const next = line[at + 1] ?? '';
    return [isRange(word) && /^-[0-9]/.test(next) ? `${word}=${next}` : word];
  });
}

function isRange(word: string | undefined): boolean {
  return word === '--blocks' || word === '--zone-blocks';
}

/** Marks SQL that begins with a comment, which would look like an option, as text. */
function asText(argument: string): string {
  if (argument === '-') return MARKED_STREAM;
  return argument.startsWith('--') && argument.includes('\n') ? `\n${argument}` : argument;
}

/**
 * Runs one command line and returns its exit code. The module of a verb is loaded only when the
 * verb is used: loading all of them would double the time of a short verb.
 */
export async function commandLine(
  line: readonly string[],
  output: Console,
  verbs: VerbTable = VERBS,
): Promise<ExitCode> {
  let ended: ExitCode = 0;
  const isHelp = line.length === 0 || line.some((word) => word === '--help' || word === 'help');
  if (isHelp && line.every((word) => word === 'help' || word.startsWith('--'))) {
    output.out(verbsText(verbs, Math.min(100, output.columns)));
    return 0;
  }
  const parser: Argv = withExitCodes(yargs(withRanges(line).map(asText)))
    .scriptName('windrow')
    .middleware((given) => {
      for (const [name, value] of Object.entries(given)) {
        if (value === MARKED_STREAM) given[name] = '-';
        if (Array.isArray(value) && !LISTS.has(name)) given[name] = value.at(-1);
      }
    }, true)
    .usage('$0 <verb>\n\nExports a chain explorer to a lake of Delta tables and SQL views.')
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
  const end = (code: ExitCode) => (ended = code);
  for (const { add } of Object.values(verbs).flat()) add(parser, output, end);
  await parser.parseAsync().catch((error: unknown) => {
    // The parser throws this fault of its own past the handler above.
    throw error instanceof Error ? (withoutValue(error.message, line) ?? error) : error;
  });
  return ended;
}

/**
 * Prints a Fault as one paragraph; any other error is a bug of windrow and shows its stack. Returns
 * the exit code.
 */
export function report(thrown: unknown, output: Console): number {
  const error = missingBinding(thrown) ?? systemFault(thrown);
  if (!(error instanceof Fault)) {
    output.note(error instanceof Error ? (error.stack ?? error.message) : String(error), 'error');
    return 1;
  }
  const { kind, message, where = null, advice, remedy, exitCode } = error;
  const command = typeof remedy === 'string' ? null : remedy.command;
  output.note(`windrow: ${error.paragraph()}`, 'error', { kind, exitCode });
  print({ document: { error: { kind, message, where, advice, command, exitCode } } }, output);
  return error.exitCode;
}
