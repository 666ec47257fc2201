import { Fault } from '../../fault.ts';

/** A problem at one position of a configuration file. */
export interface Problem {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1; absent for problems of a whole line. */
  readonly column?: number;
  /** A clause without a full stop. */
  readonly message: string;
  /** The source of the value; absent for a missing value. */
  readonly source?: string;
  /** One or more sentences. */
  readonly advice: string;
}

const SHOWN_CHARACTERS = 80;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const USER_OF_URL = /\/\/[^/\s]*@/g;

/**
 * A value from outside, made safe for a message: escapes invisible characters, removes the user
 * name and password of a URL, and cuts the text to 80 characters.
 */
export function shown(value: string): string {
  const visible = value
    .replace(USER_OF_URL, '//[redacted]@')
    .replace(UNPRINTABLE, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  const characters = [...visible];
  if (characters.length <= SHOWN_CHARACTERS) return visible;
  return `${characters.slice(0, SHOWN_CHARACTERS - 1).join('')}…`;
}

function placeOf(file: string, problem: Problem): string {
  const column = problem.column === undefined ? '' : `:${problem.column}`;
  return `${file}:${problem.line}${column}`;
}

function clause(problem: Problem): string {
  return problem.source === undefined
    ? `${problem.message}.`
    : `${problem.message} (${shown(problem.source)}).`;
}

/** The first `limit` problems, one per line, and the number of the others. */
export function problemLines(
  file: string,
  problems: readonly Problem[],
  limit = Number.POSITIVE_INFINITY,
): string[] {
  const lines = problems
    .slice(0, limit)
    .map((problem) => `${placeOf(file, problem)}: ${clause(problem)} ${problem.advice}`);
  const rest = problems.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

/**
 * One configuration fault for all problems of a file, in the order of the file: a paragraph for a
 * single problem, else a list of the first `limit` with the number of the others.
 */
export function faultOf(
  file: string,
  problems: readonly Problem[],
  limit = Number.POSITIVE_INFINITY,
): Fault {
  const inOrder = [...problems].sort(
    (a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0),
  );
  const [only] = inOrder;
  if (only !== undefined && inOrder.length === 1) {
    return new Fault('configuration', clause(only), {
      where: placeOf(file, only),
      advice: only.advice,
    });
  }
  const lines = problemLines(file, inOrder, limit).map((line) => `- ${line}`);
  return new Fault('configuration', `${inOrder.length} problems:\n${lines.join('\n')}`, {
    where: file,
    advice: 'Correct them all, then try again.',
  });
}
