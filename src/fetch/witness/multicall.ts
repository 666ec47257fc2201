import { chunksOf, grouped } from '../../coverage/grouped.ts';
import {
  type AggregatedCall,
  abiWord,
  lowerText,
  MULTICALL3,
  type NodeQuestion,
  question,
  WORD_DIGITS,
} from './question.ts';

const AGGREGATE3 = '0x82ad56cb';
/** Calls of one request, whose body has about 200 KB. */
const MOST_CALLS = 400;
/** Fewer calls at one height fit into a batch of single calls. */
const FEWEST_CALLS = 20;
const WORD_BYTES = WORD_DIGITS / 2;

/** Calls of one height, by their positions among the questions. */
export interface CallGroup {
  readonly tag: string;
  readonly positions: readonly number[];
}

/** The questions that one call can ask together. Those of the pending state are asked singly. */
export function callGroups(questions: readonly NodeQuestion<unknown>[]): CallGroup[] {
  const tagged = questions.flatMap(({ part: { tag = '' } = {} }, position) => {
    return tag.startsWith('0x') ? [{ tag, position }] : [];
  });
  return [...grouped(tagged, ({ tag }) => tag)].flatMap(([tag, group]) => {
    const positions = group.map(({ position }) => position);
    if (positions.length < FEWEST_CALLS) return [];
    return chunksOf(positions, MOST_CALLS).map((chunk) => ({ tag, positions: chunk }));
  });
}

/** The results of calls by `aggregate3`, in their order; undefined for one that failed. */
export function aggregate(
  calls: readonly AggregatedCall[],
  tag: string,
): NodeQuestion<readonly (string | undefined)[]> {
  const tuples = calls.map(({ target, data }) => {
    const bytes = (data.length - 2) / 2;
    const padded = data.slice(2).padEnd(WORD_DIGITS * Math.ceil(bytes / WORD_BYTES), '0');
    // The second word allows the call to fail.
    return [target, 1, 3 * WORD_BYTES, bytes].map(abiWord).join('') + padded;
  });
  let offset = tuples.length * WORD_BYTES;
  const offsets = tuples.map((tuple) => {
    const start = offset;
    offset += tuple.length / 2;
    return start;
  });
  const head = [WORD_BYTES, tuples.length, ...offsets].map(abiWord).join('');
  const data = AGGREGATE3 + head + tuples.join('');
  return question('eth_call', [{ to: MULTICALL3, data }, tag], (result) =>
    resultsIn(lowerText(result)?.slice(2) ?? '', calls.length),
  );
}

function resultsIn(digits: string, count: number): (string | undefined)[] | undefined {
  const bytesAt = (at: number, length: number) => digits.slice(2 * at, 2 * (at + length));
  const numberAt = (at: number) => Number(`0x${bytesAt(at, WORD_BYTES)}`);
  const start = numberAt(0) + WORD_BYTES;
  if (numberAt(start - WORD_BYTES) !== count) return undefined;
  return Array.from({ length: count }, (_, nth) => {
    const tuple = start + numberAt(start + nth * WORD_BYTES);
    const bytes = tuple + numberAt(tuple + WORD_BYTES);
    const length = numberAt(bytes);
    const returned = bytesAt(bytes + WORD_BYTES, length);
    const isWhole = numberAt(tuple) === 1 && returned.length === 2 * length;
    return isWhole ? `0x${returned}` : undefined;
  });
}
