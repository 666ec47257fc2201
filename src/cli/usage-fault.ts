import { type Advice, Fault, suggestion } from '../fault.ts';
import { type OptionTable, optionName } from './terminal/options.ts';

/** Messages of the parser. */
const NO_VALUE = /^Not enough arguments following: (.*)$/;
const TOO_FEW = /^Not enough non-option arguments: got (\d+), need at least \d+$/;
const MISSING = /^Missing required argument: (.*)$/;
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
  const option = unknown.find((name) => line.some((argument) => isOption(argument, name)));
  if (option !== undefined) {
    return new Fault('usage', `There is no option ${dashed(option)} here.`, {
      advice: suggestion(`--${option}`, options),
    });
  }
  const [first] = unknown;
  if (first !== undefined && loaded !== undefined) {
    const whole = verbIn(command) === 'query' ? 'Put the whole SELECT in quotes. ' : '';
    const advice = whole + formAdvice(command);
    return new Fault('usage', `Unexpected argument ${first}.`, { advice });
  }
  if (first !== undefined) {
    return new Fault('usage', `There is no verb ${first}.`, { advice: verbAdvice(first, verbs) });
  }
  const sentence = message.endsWith('.') ? message : `${message}.`;
  return new Fault('usage', sentence, { advice: 'See windrow --help.' });
}

/** The fault of an option without a value; undefined for other messages of the parser. */
export function withoutValue(message: string): Fault | undefined {
  const [, name] = NO_VALUE.exec(message) ?? [];
  return name === undefined ? undefined : noValue(dashed(name));
}

/**
 * Throws a usage fault for values that the parser would take in another way: text for an option
 * that is on or off, because `--dry-run=yes` would be off; an empty value, as of a variable that is
 * not set; and a second value of an option that has one.
 */
export function checkValues(
  values: Readonly<Record<string, unknown>>,
  line: readonly string[],
  { command, options }: LoadedVerb,
): void {
  const toggles = ['--json'];
  for (const [name, { array, type }] of Object.entries(options)) {
    const option = optionName(name);
    const value = values[name];
    if (type === 'boolean') toggles.push(option);
    if (value === '' && !positionalsOf(command).includes(name)) throw noValue(option);
    if (!Array.isArray(value) || array === true) continue;
    const message = `${option} has ${value.length} values: ${value.join(', ')}.`;
    throw new Fault('usage', message, { advice: 'Give one of them.' });
  }
  for (const word of line) {
    const [, name = '', text = ''] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionName(name);
    if (!toggles.includes(option) || /^(true|false)$/.test(text)) continue;
    const advice = `Write ${option}, or leave it out.`;
    throw new Fault('usage', `${option} takes no value (${text}).`, { advice });
  }
}

function noValue(option: string): Fault {
  const advice = `Give one: ${option} VALUE, or ${option}=VALUE if it begins with a dash.`;
  return new Fault('usage', `${option} has no value.`, { advice });
}

/** The first argument that the verb demands and the line lacks. */
function withoutArgument(message: string, command: string, table: OptionTable): Fault | undefined {
  const [, count] = TOO_FEW.exec(message) ?? [];
  const [, option = ''] = MISSING.exec(message) ?? [];
  const place = option ? dashed(option) : command.match(/<\w+>/g)?.[Number(count)];
  if (place === undefined) return undefined;
  const verb = verbIn(command);
  const isPlace = (name: string) => [optionName(name), `<${name}>`].includes(place);
  const meaning = Object.entries(table).find(([name]) => isPlace(name))?.[1].describe;
  return new Fault('usage', `${verb} needs ${place}${meaning ? `: ${meaning}` : ''}.`, {
    advice: formAdvice(command),
  });
}

/** A value beside those that an option or an argument allows. */
function noChoice(message: string, options: readonly string[]): Fault | undefined {
  const [, name, value = '', choices = ''] = NO_CHOICE.exec(message) ?? [];
  if (name === undefined) return undefined;
  const place = options.includes(dashed(name)) ? dashed(name) : `<${name}>`;
  return new Fault('usage', `${place} cannot be ${value}.`, {
    advice: suggestion(unquoted(value), choices.split(', ').map(unquoted)),
  });
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, '$1');
}

function dashed(name: string): string {
  return `${name.length === 1 ? '-' : '--'}${name}`;
}

/** Advice on a word in the place of the verb, which may be a pipeline file. */
function verbAdvice(word: string, verbs: readonly string[]): Advice {
  if (/\.ya?ml$/.test(word)) {
    return { text: 'Name the verb first.', command: `windrow run ${word}` };
  }
  return suggestion(word, verbs);
}

/** Advice on arguments that are too few or too many. */
function formAdvice(command: string): string {
  return `The command is windrow ${command}. See windrow ${verbIn(command)} --help.`;
}

function isOption(argument: string, name: string): boolean {
  const [option] = argument.split('=');
  return option === `--${name}` || option === `--no-${name}` || option === `-${name}`;
}

/** The word of a verb, without its arguments. */
export function verbIn(command: string): string {
  return command.replace(/ .*$/, '');
}

/** Names of the positional arguments of a verb. */
export function positionalsOf(command: string): string[] {
  return [...command.matchAll(/[<[](\w+)/g)].map(([, name = '']) => name);
}
