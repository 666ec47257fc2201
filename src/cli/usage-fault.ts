import { suggestion } from '../config/nearest.ts';
import { Fault } from '../fault.ts';

const UNKNOWN = /^Unknown (?:arguments?|commands?): (.*)$/;

/**
 * The fault of a command line that the parser refuses, with the nearest verb or option. `help` is
 * the help text of the verb, or of windrow where the line names no known verb.
 */
export function usageFault(message: string, help: string, line: readonly string[]): Fault {
  const [, names = ''] = UNKNOWN.exec(message) ?? [];
  const unknown = names.split(', ').filter((name) => name !== '');
  const option = unknown.find((name) => line.some((each) => isOption(each, name)));
  if (option !== undefined) {
    const dashes = option.length === 1 ? '-' : '--';
    return new Fault('usage', `There is no option ${dashes}${option} here.`, {
      advice: suggestion(`--${option}`, optionsIn(help)),
    });
  }
  const [first] = unknown;
  const [, usage = '', verb] = /^(windrow ([a-z]+).*)/.exec(help) ?? [];
  if (first !== undefined && verb !== undefined) {
    return new Fault('usage', `Unexpected argument ${first}.`, {
      advice: `${unexpectedAdvice(verb, first, usage)} See windrow ${verb} --help.`,
    });
  }
  const verbs = verbsIn(help);
  if (first !== undefined && verbs.length > 0) {
    return new Fault('usage', `There is no verb ${first}.`, { advice: verbAdvice(first, verbs) });
  }
  const sentence = message.endsWith('.') ? message : `${message}.`;
  return new Fault('usage', sentence, { advice: 'See windrow --help.' });
}

/** Advice on a word in the place of the verb, which may be a file that a verb takes. */
function verbAdvice(word: string, verbs: readonly string[]): string {
  if (/\.ya?ml$/.test(word)) return `Name the verb first: windrow run ${word}.`;
  if (/\.csv$/.test(word)) {
    return `An address list belongs to a pipeline: windrow run PIPELINE --addresses ${word}.`;
  }
  if (/\.sql$/.test(word)) return `Name the verb first: windrow query --file ${word}.`;
  const isPath = /[./\\]/.test(word);
  return isPath ? `Name a verb first: ${verbs.join(', ')}.` : suggestion(word, verbs);
}

/** Advice on one argument more than the verb takes. */
function unexpectedAdvice(verb: string, word: string, usage: string): string {
  if (verb === 'query') return 'Put the whole SELECT in quotes, as one argument.';
  if (usage.includes('<pipeline>')) {
    return `${verb} takes one pipeline file: use the verb once for each file.`;
  }
  return /[./\\]/.test(word)
    ? `${usage} takes no path here: --data names a data root.`
    : `The command is ${usage}.`;
}

function isOption(argument: string, name: string): boolean {
  const [given] = argument.split('=');
  return given === `--${name}` || given === `--no-${name}` || given === `-${name}`;
}

/** The options that a help text lists, in its order. */
function optionsIn(help: string): string[] {
  return [...help.matchAll(/^\s+(?:-\w, )?(--[a-z][a-z-]*)/gm)].map(([, option = '']) => option);
}

/** The verbs that the help text of windrow itself lists. */
function verbsIn(help: string): string[] {
  return [...help.matchAll(/^ {2}windrow ([a-z]+)/gm)].map(([, verb = '']) => verb);
}
