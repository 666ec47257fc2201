import { z } from 'zod';
import { Fault } from '../../fault.ts';
import { mapping, says, wholeNumberField, wholeNumberMessage } from './fields.ts';
import { shown } from './problem.ts';

/** Inclusive bounds of heights on one axis. */
export interface BlockBounds {
  /** A negative number counts blocks below the safe height. */
  readonly from: number;
  readonly to: number | 'safe' | 'head';
}

const COUNT = '(?:0|[1-9][0-9]*)[kM]?';
const RANGE = new RegExp(`^(-?${COUNT})?:(\\+?${COUNT})?$`);
const UNITS: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };

const ADVICE =
  'Write the first and the last height, as in 19000000:19009999 or 16M:17M; 16M:+1000 is 1,000 ' +
  'blocks, 16M: ends below the safe height, and -1000: is the newest 1,000 blocks below it.';

/** The range, or the problem of a text that is not one. */
function rangeOf(
  text: string,
): BlockBounds | { readonly problem: string; readonly advice: string } {
  const [whole, first = '0', last] = RANGE.exec(text) ?? [];
  const from = heightOf(first);
  const end = last === undefined ? undefined : heightOf(last);
  const isCount = last?.startsWith('+') === true;
  const to = isCount ? from + Number(end) - 1 : (end ?? Number.MAX_SAFE_INTEGER);
  const isEmpty = whole === undefined || whole === ':' || Object.is(from, -0);
  if (isEmpty || !Number.isSafeInteger(from) || !Number.isSafeInteger(to)) {
    return { problem: 'is not a range of heights', advice: ADVICE };
  }
  if (from < 0 && last !== undefined) {
    const advice = `Leave out its end, as in ${first}:.`;
    return { problem: 'counts from the safe height and has an end', advice };
  }
  if (from > to) {
    const advice = isCount
      ? 'Give at least one block, as in 16M:+1000.'
      : `Give the lower height first, as in ${last}:${first}.`;
    return { problem: 'ends before it begins', advice };
  }
  return { from, to: last === undefined ? 'safe' : to };
}

function heightOf(text: string): number {
  const [, digits = '', unit = ''] = /^\+?(-?[0-9]+)(.*)$/.exec(text) ?? [];
  return Number(digits) * (UNITS[unit] ?? 1);
}

/**
 * The inclusive range of `--blocks A:B`, with 0 <= A <= B < 2^53. `A:` ends below the safe height,
 * `:B` begins with block 0, `A:+N` has N blocks, and `-N:` the newest N below the safe height.
 * Throws a usage fault that names the option for any other text.
 */
export function parseBlocks(text: string, option = '--blocks'): BlockBounds {
  const range = rangeOf(text);
  if ('from' in range) return range;
  const { problem, advice } = range;
  throw new Fault('usage', `${option} ${problem} (${shown(text)}).`, { advice });
}

/** A range of heights in a pipeline file: first and last height, or the text of `--blocks`. */
export function boundsField(meaningOfTo: string) {
  const most = Number.MAX_SAFE_INTEGER;
  const height = wholeNumberMessage(0, most);
  const bounds = mapping({
    // A range that counts from the safe height comes from a text, never from a number.
    from: z
      .int(height)
      .min(-most, height)
      .max(most, height)
      .describe('First height')
      .meta({ minimum: 0 })
      .default(0),
    to: z
      .union(
        [z.enum(['safe', 'head']), wholeNumberField(0, most, 'Last height')],
        says('is neither safe, nor head, nor a height', 'Write one of these without quotes.'),
      )
      .default('safe')
      .describe(meaningOfTo),
  });
  return z
    .preprocess((value, context) => {
      if (typeof value !== 'string') return value;
      const range = rangeOf(value);
      if ('from' in range) return range;
      context.addIssue({ code: 'custom', message: says(range.problem, range.advice) });
      return z.NEVER;
    }, bounds)
    .meta({ type: ['object', 'string'] });
}
