import { Fault } from '../fault.ts';
import { shown } from './problem.ts';
import type { Interval } from './ranges.ts';

const RANGE = /^(0|[1-9][0-9]*):(0|[1-9][0-9]*)$/;

/**
 * The inclusive interval that `--blocks A:B` asks for, with 0 <= A <= B < 2^53. Throws a usage
 * fault that names the option for anything but two heights in plain digits.
 */
export function parseBlocks(text: string, option = '--blocks'): Interval {
  const [, first = '', last = ''] = RANGE.exec(text) ?? [];
  const from = Number(first);
  const to = Number(last);
  if (first === '' || !Number.isSafeInteger(from) || !Number.isSafeInteger(to)) {
    throw new Fault('usage', `${option} is not a range of heights (${shown(text)}).`, {
      advice: 'Give the first and the last height in plain digits, as in 19000000:19009999.',
    });
  }
  if (from > to) {
    throw new Fault('usage', `${option} ends before it begins (${shown(text)}).`, {
      advice: `Give the lower height first, as in ${last}:${first}.`,
    });
  }
  return { from, to };
}
