import type { Argv, PositionalOptions } from 'yargs';
import yargs from 'yargs';
import { Fault } from '../fault.ts';
import { systemFault } from '../land/storage/disk-fault.ts';
import { windrowVersion } from '../run/job/version.ts';
import type { ExitCode } from '../run/shell/run-document.ts';
import { missingBinding } from './job/missing-binding.ts';
import type { Console } from './terminal/console.ts';
import { EXIT_CODES, logOptions, optionName, type VerbOptions } from './terminal/options.ts';
import { print } from './terminal/verb-result.ts';
import {
  checkValues,
  type LoadedVerb,
  positionalsOf,
  usageFault,
  verbIn,
  withoutValue,
} from './usage-fault.ts';
import { callVerb, type Verb, type VerbTable } from './verb.ts';
import { VERBS } from './verb-table.ts';

/** A `-` for stdin or stdout, marked as text: the parser would drop it. */
const MARKED_STREAM = '\n-';

/** Marks SQL that begins with a comment, which would look like an option, as text. */
function asText(argument: string): string {
  if (argument === '-') return MARKED_STREAM;
  return argument.startsWith('--') && argument.includes('\n') ? `\n${argument}` : argument;
}

/** Declares the options of a verb to the parser. */
function declare(
  parser: Argv,
  { command, options }: LoadedVerb,
  examples: VerbOptions['examples'],
): Argv {
  const positionals = positionalsOf(command);
  for (const [name, option] of Object.entries(options)) {
    if (positionals.includes(name)) parser.positional(name, option as PositionalOptions);
    else parser.option(optionName(name).slice(2), option);
  }
  for (const [example, meaning] of Object.entries(examples)) parser.example(example, meaning);
  return parser.epilogue(EXIT_CODES);
}

/**
 * Runs one command line and returns its exit code. The module of a verb is loaded only when the
 * verb is used: loading all of them would double the time of a short verb.
 */
export async function commandLine(
  typed: readonly string[],
  output: Console,
  verbs: VerbTable = VERBS,
): Promise<ExitCode> {
  let ended: ExitCode = 0;
  const [first, ...rest] = typed.map((word) => (word === '-h' ? '--help' : word));
  const line = first === 'help' ? [...rest, '--help'] : first === undefined ? [] : [first, ...rest];
  const isHelp = line.length === 0 || line.includes('--help');
  if (isHelp && line.every((word) => word.startsWith('--'))) {
    output.out(verbsText(verbs, Math.min(100, output.columns)));
    return 0;
  }
  const all = Object.values(verbs).flat();
  const names = all.map(({ command }) => verbIn(command));
  const [word = ''] = line;
  if (isHelp && /^\w/.test(word) && !names.includes(word)) {
    throw usageFault(`Unknown argument: ${word}`, [word], names);
  }
  // The verb of the line, once its module is loaded.
  let loaded: LoadedVerb | undefined;
  const parser: Argv = yargs(line.map(asText))
    .scriptName('windrow')
    .middleware((values) => {
      if (loaded !== undefined) checkValues(values, line, loaded);
      for (const [name, value] of Object.entries(values)) {
        if (value === MARKED_STREAM) values[name] = '-';
      }
    })
    .usage('$0 <verb>\n\nExports a chain explorer to a lake of Delta tables and SQL views.')
    .epilogue(EXIT_CODES)
    .option('json', { type: 'boolean', default: false, describe: 'Print results as JSON' })
    .demandCommand(1, 'Name a verb.')
    .strict()
    .version(windrowVersion())
    .wrap(Math.min(100, output.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      if (error !== undefined && error !== null) throw error;
      throw usageFault(message, line, names, loaded);
    });
  for (const verb of all) {
    const { command, summary, role, load } = verb;
    const builder = async (args: Argv) => {
      const [{ options, examples }] = await load();
      loaded = { command, options: role === 'server' ? options : { ...options, ...logOptions } };
      return declare(args, loaded, examples);
    };
    parser.command(command, summary, builder, async (input) => {
      ended = await callVerb(verb, input, output);
    });
  }
  await parser.parseAsync().catch((error: unknown) => {
    // The parser throws this fault of its own past the handler above.
    throw error instanceof Error ? (withoutValue(error.message) ?? error) : error;
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

/** A verb, or an option, as `windrow --help` lists it. */
type ListedVerb = Pick<Verb, 'command' | 'summary'>;

const OPTIONS: readonly ListedVerb[] = [
  { command: '--json', summary: 'Print results as JSON' },
  { command: '--help', summary: 'Show this help, or that of a verb' },
  { command: '--version', summary: 'Show the version' },
];

/** The help of windrow itself: its verbs by task, in lines of at most `columns` characters. */
function verbsText(
  tasks: Readonly<Record<string, readonly ListedVerb[]>>,
  columns: number,
): string {
  const named = Object.entries(tasks).map(([task, verbs]) => {
    const full = verbs.map(({ command, summary }) => ({ command: `windrow ${command}`, summary }));
    return [task, full] as const;
  });
  const sections = [...named, ['Options', OPTIONS] as const];
  const widths = sections.flatMap(([, verbs]) => verbs.map(({ command }) => command.length));
  const indent = Math.max(...widths) + 4;
  const rows = sections.map(([task, verbs]) =>
    [`${task}:`, ...verbs.map((verb) => row(verb, indent, columns))].join('\n'),
  );
  return [
    'windrow <verb>',
    'Exports a chain explorer to a lake of Delta tables and SQL views.',
    ...rows,
    wrapped(EXIT_CODES, columns).join('\n'),
  ].join('\n\n');
}

function row({ command, summary }: ListedVerb, indent: number, columns: number): string {
  const [first = '', ...others] = wrapped(summary, Math.max(20, columns - indent));
  const lines = [`  ${command}`.padEnd(indent) + first];
  return [...lines, ...others.map((line) => ' '.repeat(indent) + line)].join('\n');
}

/** The lines of a text, each as full as words allow; a word that is wider has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S+`, 'g')) ?? [];
}
