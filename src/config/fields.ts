import { z } from 'zod';
import { suggestion } from './nearest.ts';

/**
 * The kinds of value a pipeline is made of. Each message has two lines, what is wrong and what to
 * do; the place and the value are added by whoever reports it.
 */
export function says(what: string, advice: string): string {
  return `${what}\n${advice}`;
}

/** A plain decimal integer, bounds included. */
export function wholeNumberField(min: number, max: number, meaning: string) {
  const message = says(
    `is not a whole number from ${min} to ${max}`,
    'Write it in plain digits, without quotes or separators.',
  );
  return z.int(message).min(min, message).max(max, message).describe(meaning);
}

/** A plain decimal number, bounds included. */
export function plainNumber(min: number, max: number, meaning: string) {
  const message = says(
    `is not a number from ${min} to ${max}`,
    'Write it in plain digits without trailing zeros, as in 2 or 0.5.',
  );
  return z.number(message).min(min, message).max(max, message).describe(meaning);
}

/** Digits without quotes are text where text is wanted; the reader kept every one of them. */
export function asText<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), schema);
}

/** Text that matches the pattern as a whole. */
export function textField(pattern: RegExp, what: string, advice: string, meaning: string) {
  const message = says(what, advice);
  return asText(z.string(message).regex(pattern, message)).describe(meaning);
}

/** The name of a file, relative to the pipeline's. */
export function fileName(meaning: string) {
  return textField(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no path of ours holds them.
    /^[^\u0000-\u001f]+$/,
    'is not the name of a file',
    'Name a file by its path from the folder of the pipeline.',
    meaning,
  );
}

/** One of a few words. */
export function oneOf<const V extends readonly string[]>(values: V, meaning: string) {
  return z
    .enum(values, {
      error: (issue) => says('is not one of the allowed values', suggestion(issue.input, values)),
    })
    .describe(meaning);
}

/**
 * A mapping with these keys and no others. `notes` holds advice for keys that are refused for a
 * reason of their own. The message for unknown keys is one line of advice per key.
 */
export function mapping<Shape extends z.ZodRawShape>(
  shape: Shape,
  notes: Readonly<Record<string, string>> = {},
) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .map((key) => (Object.hasOwn(notes, key) ? notes[key] : suggestion(key, known)))
            .join('\n')
        : says('is not a mapping', `Give it the keys it takes: ${known.join(', ')}.`),
  });
}

/** A list of at least one value. */
export function severalOf(element: z.ZodType<string>, meaning: string) {
  const message = says('is not a list of values', 'List at least one value in brackets.');
  return z.array(element, message).min(1, message).describe(meaning);
}

/** Heights of one axis, both included. */
export interface BlockBounds {
  readonly from: number;
  readonly to: number | 'safe' | 'head';
}

export function boundsField(meaningOfTo: string) {
  const height = (meaning: string) => wholeNumberField(0, Number.MAX_SAFE_INTEGER, meaning);
  return mapping({
    from: height('First height').default(0),
    to: z
      .union(
        [z.enum(['safe', 'head']), height('Last height')],
        says('is neither safe, nor head, nor a height', 'Write one of these without quotes.'),
      )
      .default('safe')
      .describe(meaningOfTo),
  });
}
