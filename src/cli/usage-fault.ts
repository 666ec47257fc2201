import { type Advice, Fault, shellQuoted } from '../fault.ts';
import { suggestion } from '../pipeline/syntax/nearest.ts';
import { type OptionTable, optionName } from './terminal/options.ts';

/** Messages of the parser. */
const NO_VALUE = /^Not enough arguments following: (.*)$/;
const TOO_FEW = /^Not enough non-option arguments: got (\d+), need at least \d+$/;
const NO_CHOICE = /^ {2}Argument: ([^,]*), Given: (.*), Choices: (.*)$/m;
const UNKNOWN = /^Unknown (?:arguments?|commands?): (.*)$/;

const GLOBAL_OPTIONS = ['--help', '--json', '--version'];

/** A verb whose options are loaded. */
export interface LoadedVerb {
  readonly command: string;
  readonly options: OptionTable;
}

/**
 * The fault of a command line that the parser refuses, with the nearest verb or option. `loaded` is
 * absent where the line names no verb of `verbs`.
 */
export function usageFault(
  message: string,
  line: readonly string[],
  verbs: readonly string[],
  loaded?: LoadedVerb,
): Fault {
  const { command, options: table } = loaded ?? { command: '', options: {} };
  const positionals = positionalsOf(command);
  const typed = Object.keys(table).filter((name) => !positionals.includes(name));
  const options = [...GLOBAL_OPTIONS, ...typed.map(optionName)];
  const wrong = withoutArgument(message, command, table) ?? noChoice(message, options);
  if (wrong !== undefined) return wrong;
  const [, names = ''] = UNKNOWN.exec(message) ?? [];
  const unknown = names.split(', ').filter((name) => name !== '');
  const option = unknown.find((name) => line.some((each) => isOption(each, name)));
  if (option !== undefined) {
    return new Fault('usage', `There is no option ${dashed(option)} here.`, {
      advice: suggestion(`--${option}`, options),
    });
  }
  const [first] = unknown;
  if (first !== undefined && loaded !== undefined) {
    return new Fault('usage', `Unexpected argument ${first}.`, {
      advice: `${unexpectedAdvice(first, command)} See windrow ${verbIn(command)} --help.`,
    });
  }
  if (first !== undefined) {
    return new Fault('usage', `There is no verb ${first}.`, { advice: verbAdvice(first, verbs) });
  }
  const sentence = message.endsWith('.') ? message : `${message}.`;
  return new Fault('usage', sentence, { advice: 'See windrow --help.' });
}

/**
 * The fault of an option at the end of the line, or before an argument that looks like another
 * option; undefined for other messages of the parser.
 */
export function withoutValue(message: string, line: readonly string[]): Fault | undefined {
  const [, name] = NO_VALUE.exec(message) ?? [];
  if (name === undefined) return undefined;
  const option = dashed(name);
  const next = line[line.lastIndexOf(option) + 1];
  if (next === undefined) {
    return new Fault('usage', `${option} has no value.`, {
      advice: `Give one: ${option} VALUE.`,
    });
  }
  return new Fault('usage', `${option} has no value: ${next} looks like an option.`, {
    advice: `Give a value. If this is the value, write ${shellQuoted(`${option}=${next}`)}.`,
  });
}

/** The first argument that the verb demands and the line lacks. */
function withoutArgument(message: string, command: string, table: OptionTable): Fault | undefined {
  const [, given] = TOO_FEW.exec(message) ?? [];
  const missing = [...command.matchAll(/<\w+>/g)][Number(given)];
  if (missing === undefined) return undefined;
  const verb = verbIn(command);
  const meaning = table[missing[0].slice(1, -1)]?.describe;
  return new Fault('usage', `${verb} needs ${missing[0]}${meaning ? `: ${meaning}` : ''}.`, {
    advice: `The command is windrow ${command}. See windrow ${verb} --help.`,
  });
}

/** A value beside those that an option or an argument allows. */
function noChoice(message: string, options: readonly string[]): Fault | undefined {
  const [, name, given = '', choices = ''] = NO_CHOICE.exec(message) ?? [];
  if (name === undefined) return undefined;
  const place = options.includes(dashed(name)) ? dashed(name) : `<${name}>`;
  return new Fault('usage', `${place} cannot be ${given}.`, {
    advice: suggestion(unquoted(given), choices.split(', ').map(unquoted)),
  });
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, '$1');
}

function dashed(name: string): string {
  return `${name.length === 1 ? '-' : '--'}${name}`;
}

/** Advice on a word in the place of the verb, which may be a file that a verb takes. */
function verbAdvice(word: string, verbs: readonly string[]): Advice {
  if (/\.ya?ml$/.test(word)) {
    return { text: 'Name the verb first.', command: `windrow run ${word}` };
  }
  if (/\.csv$/.test(word)) {
    const command = `windrow run PIPELINE --addresses ${word}`;
    return { text: 'An address list belongs to a pipeline.', command };
  }
  if (/\.sql$/.test(word)) {
    return { text: 'Name the verb first.', command: `windrow query --file ${word}` };
  }
  const isPath = /[./\\]/.test(word);
  return isPath ? `Name a verb first: ${verbs.join(', ')}.` : suggestion(word, verbs);
}

/** Advice on one argument more than the verb takes. */
function unexpectedAdvice(word: string, command: string): string {
  const verb = verbIn(command);
  if (verb === 'query') return 'Put the whole SELECT in quotes, as one argument.';
  if (command.includes('<pipeline>')) {
    return `${verb} takes one pipeline file: use the verb once for each file.`;
  }
  return /[./\\]/.test(word)
    ? `windrow ${command} takes no path here: --data names a data root.`
    : `The command is windrow ${command}.`;
}

function isOption(argument: string, name: string): boolean {
  const [given] = argument.split('=');
  return given === `--${name}` || given === `--no-${name}` || given === `-${name}`;
}

/** The word of a verb, without its arguments. */
export function verbIn(command: string): string {
  return command.replace(/ .*$/, '');
}

/** Names of the positional arguments of a verb. */
export function positionalsOf(command: string): string[] {
  return [...command.matchAll(/[<[](\w+)/g)].map(([, name = '']) => name);
}
