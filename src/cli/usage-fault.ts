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
  const verbs = verbsIn(help);
  const [first] = unknown;
  if (first !== undefined && verbs.length > 0) {
    return new Fault('usage', `There is no verb ${first}.`, { advice: suggestion(first, verbs) });
  }
  const sentence = message.endsWith('.') ? message : `${message}.`;
  return new Fault('usage', sentence, { advice: 'See windrow --help.' });
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
