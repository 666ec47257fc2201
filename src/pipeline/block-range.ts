import type { BlockBounds } from '../config/fields.ts';
import { shown } from '../config/problem.ts';
import { Fault } from '../fault.ts';

const RANGE = /^(0|[1-9][0-9]*)?:(0|[1-9][0-9]*)?$/;

/**
 * The inclusive range of `--blocks A:B`, with 0 <= A <= B < 2^53. `A:` ends below the safe height,
 * `:B` begins with block 0. Throws a usage fault that names the option for any other text.
 */
export function parseBlocks(text: string, option = '--blocks'): BlockBounds {
  const [whole, first, last] = RANGE.exec(text) ?? [];
  const from = Number(first ?? 0);
  const to = Number(last ?? Number.MAX_SAFE_INTEGER);
  const isEmpty = whole === undefined || whole === ':';
  if (isEmpty || !Number.isSafeInteger(from) || !Number.isSafeInteger(to)) {
    throw new Fault('usage', `${option} is not a range of heights (${shown(text)}).`, {
      advice:
        'Give the first and the last height in plain digits, as in 19000000:19009999; 19000000: ' +
        'ends below the safe height.',
    });
  }
  if (from > to) {
    throw new Fault('usage', `${option} ends before it begins (${shown(text)}).`, {
      advice: `Give the lower height first, as in ${last}:${first}.`,
    });
  }
  return { from, to: last === undefined ? 'safe' : to };
}
