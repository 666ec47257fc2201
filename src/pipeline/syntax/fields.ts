import { z } from 'zod';
import { Fault, suggestion } from '../../fault.ts';

/**
 * A schema message of two lines: the problem, as a clause that follows the name of the value, and
 * the advice. `problemsOf` adds the position and the value.
 */
export function says(problem: string, advice: string): string {
  return `${problem}\n${advice}`;
}

export function wholeNumberMessage(min: number, max: number): string {
  return says(
    `is not a whole number from ${min} to ${max}`,
    'Write it in plain digits, without quotes or separators.',
  );
}

/** A plain decimal integer. Bounds are inclusive. */
export function wholeNumberField(min: number, max: number, meaning: string) {
  const message = wholeNumberMessage(min, max);
  return z.int(message).min(min, message).max(max, message).describe(meaning);
}

/** A plain decimal number. Bounds are inclusive. */
export function plainNumber(min: number, max: number, meaning: string) {
  const message = says(
    `is not a number from ${min} to ${max}`,
    'Write it in plain digits without trailing zeros, as in 2 or 0.5.',
  );
  return z.number(message).min(min, message).max(max, message).describe(meaning);
}

/** A text without a problem; its message names the problem and the advice of `problemIn`. */
export function soundText(
  noText: string,
  problemIn: (text: string) => { readonly message: string; readonly advice: string } | undefined,
) {
  return z.string(noText).superRefine((text, context) => {
    const problem = problemIn(text);
    if (problem === undefined) return;
    context.addIssue({ code: 'custom', message: says(problem.message, problem.advice) });
  });
}

/** Accepts unquoted digits as text. The YAML reader keeps only numbers that print as written. */
export function asText<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), schema);
}

/** true or false. The YAML reader gives both as text. */
export function yesOrNo(meaning: string) {
  const message = says('is not true or false', 'Write true or false, without quotes.');
  const words = new Map<unknown, boolean>([
    ['true', true],
    ['false', false],
  ]);
  return z.preprocess((value) => words.get(value) ?? value, z.boolean(message)).describe(meaning);
}

/** Text that matches the pattern, which includes its own anchors. */
export function textField(pattern: RegExp, problem: string, advice: string, meaning: string) {
  const message = says(problem, advice);
  return asText(z.string(message).regex(pattern, message)).describe(meaning);
}

/** A name of letters, digits, hyphens and underscores, described as `noun`. */
export function nameField(noun: string, example: string, meaning: string) {
  return textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    `is not ${noun}`,
    `Use letters, digits, hyphens and underscores, as in ${example}.`,
    meaning,
  );
}

/** The path of a file, relative to the folder of the pipeline. */
export function fileName(meaning: string) {
  return textField(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are excluded.
    /^[^\u0000-\u001f]+$/,
    'is not the name of a file',
    'Name a file by its path from the folder of the pipeline.',
    meaning,
  );
}

/** One of the given words. */
export function oneOf<const V extends readonly string[]>(values: V, meaning: string) {
  return z
    .enum(values, {
      error: (issue) => says('is not one of the allowed values', suggestion(issue.input, values)),
    })
    .describe(meaning);
}

/**
 * A mapping with these keys and no others. `notes` holds advice for unknown keys that need a
 * special explanation. The message for unknown keys has one line of advice per key.
 */
export function mapping<Shape extends z.ZodRawShape>(
  shape: Shape,
  notes: Readonly<Record<string, string>> = {},
) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .map((key) => (Object.hasOwn(notes, key) ? notes[key] : suggestion(key, keys)))
            .join('\n')
        : says('is not a mapping', `Give it the keys it takes: ${keys.join(', ')}.`),
  });
}

/** A list of at least one value. */
export function severalOf(element: z.ZodType<string>, meaning: string) {
  const message = says('is not a list of values', 'List at least one value in brackets.');
  return z.array(element, message).min(1, message).describe(meaning);
}

/** The value of an option as a whole number from `min` to `max`; throws a usage fault. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= min && value <= max) return value;
  const isWhole = /^-?[0-9]+$/.test(text);
  const finding = isWhole
    ? `is out of range (${text})`
    : `is not a whole number (${JSON.stringify(text)})`;
  throw new Fault('usage', `${option} ${finding}.`, {
    advice: `Give a whole number from ${min} to ${max}.`,
  });
}
