import { Fault } from '../../../fault.ts';
import {
  type ChosenValues,
  FIELDS,
  inSource,
  isKind,
  type JobKind,
  type JobSetting,
  KINDS,
  oneOfWords,
} from './fields.ts';

/** Asks on a terminal; '' means that the suggestion is accepted. Rejects when the input ends. */
export type Ask = (question: string) => Promise<string>;

export interface Choice {
  readonly kind: JobKind;
  readonly values: ChosenValues;
}

const KIND: JobSetting = {
  option: 'kind',
  question: `Kind of job (${Object.keys(KINDS).join(', ')})`,
  fallback: 'address-activity',
  problem: oneOfWords(Object.keys(KINDS), 'a kind of job'),
};

/** How often a question is repeated after an answer that is not valid. */
const MAX_TRIES = 20;

/**
 * The values of a new pipeline: given options, answers to questions for the others, and without a
 * terminal (`ask` undefined) their defaults. Throws a usage fault for an option that is missing or
 * not valid.
 */
export async function chosen(
  options: Readonly<Record<string, unknown>>,
  ask: Ask | undefined,
  note: (text: string) => void,
): Promise<Choice> {
  const kind = await fieldValue(KIND, options['kind'], ask, note);
  if (!isKind(kind)) throw new Error(`${kind} is not a kind of job`);
  const values: Record<string, string> = {};
  for (const field of FIELDS) {
    const value = options[field.option];
    if (field.isFor?.(kind, values) !== false) {
      values[field.option] = await fieldValue(field, value, ask, note);
    } else if (value !== undefined) {
      note(`--${field.option} has no effect on a job of the kind ${kind}.`);
    }
  }
  return { kind, values };
}

async function fieldValue(
  field: JobSetting,
  input: unknown,
  ask: Ask | undefined,
  note: (text: string) => void,
): Promise<string> {
  const { option, question, fallback } = field;
  if (typeof input === 'string') {
    const problem = problemOf(field, input);
    if (problem === undefined) return input;
    throw new Fault('usage', `--${option} ${problem.clause} (${JSON.stringify(input)}).`, {
      advice: problem.advice,
    });
  }
  if (ask === undefined) {
    if (fallback !== undefined) return fallback;
    throw new Fault('usage', `--${option} is missing.`, {
      advice: `${question}. windrow init asks for it on a terminal.`,
    });
  }
  const suggestion = fallback === undefined ? '' : ` [${fallback}]`;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = (await ask(`${question}${suggestion}: `)).trim();
    const value = answer === '' && fallback !== undefined ? fallback : answer;
    const problem = problemOf(field, value);
    if (problem === undefined) return value;
    note(`This ${problem.clause}. ${problem.advice}`);
  }
  throw new Fault('usage', `No valid answer to: ${question}.`, {
    advice: `Give it as an option: --${option}.`,
  });
}

function problemOf(
  { option, problem }: JobSetting,
  value: string,
): { readonly clause: string; readonly advice: string } | undefined {
  const text = problem === undefined ? inSource(option, value) : problem(value);
  if (text === undefined) return undefined;
  const [clause = '', advice = ''] = text.split('\n');
  return { clause, advice };
}
