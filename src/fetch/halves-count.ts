import type { WireRecord } from '../catalogue/record.ts';
import type { Slice } from '../plan/slice.ts';
import { askedEnd, capOf, misfit, readPageOf } from './pages.ts';
import type { Reading } from './walked.ts';
import { heightOf, matchedKeys } from './wire.ts';

/**
 * A list that is cut off at a number of records looks whole. But its two halves by height, each
 * with records of its own, then have more than was shown of both together: one of them would have
 * to be cut off at that same number, and the other one has records too.
 */

export type Counted =
  | { readonly kind: 'whole' }
  /** The halves have more records than the list showed. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'drift'; readonly reason: string }
  /** All records stand at one height. */
  | { readonly kind: 'uncountable' };

/**
 * Whether a walk that is longer than all that were proven shows everything; up to ten requests.
 * `records` are all that it was shown. That a list is cut off is believed when it is seen twice.
 */
export async function checkCount(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Counted> {
  const { endpoint, settings, limit } = reading;
  const { ceilings, acceptCap } = settings;
  const { path } = endpoint;
  const isUncapped = capOf(endpoint, settings) === Number.POSITIVE_INFINITY;
  const isShort = records.length <= limit;
  if (ceilings === undefined || isShort || acceptCap || isUncapped) return { kind: 'whole' };
  if (ceilings.isProven(path, records.length)) return { kind: 'whole' };
  const halves = await halvesOf(reading, records);
  if (halves === undefined) return { kind: 'uncountable' };
  if (halves === 'unsure') return { kind: 'drift', reason: 'whether ranges hold their end' };
  const counted = await countHalves(halves, records.length);
  if (counted.kind === 'whole') ceilings.learn(path, { provenRecords: records.length });
  if (counted.kind !== 'cut') return counted;
  const again = await countHalves(halves, records.length);
  if (again.kind === 'cut') ceilings.learn(path, { cap: records.length });
  return again.kind === 'cut' ? again : { kind: 'drift', reason: 'two counts were different' };
}

type Halves = readonly [Reading, Reading];

async function countHalves([low, high]: Halves, shown: number): Promise<Counted> {
  const [below, above] = [await countOf(low), await countOf(high)];
  if (typeof below === 'string') return { kind: 'drift', reason: below };
  if (typeof above === 'string') return { kind: 'drift', reason: above };
  const found = below + above;
  if (found === shown) return { kind: 'whole' };
  if (found > shown) return { kind: 'cut' };
  return { kind: 'drift', reason: `${shown} records were listed, and ${found} in its halves` };
}

/** Two readings that share the walk's records, each with some; undefined where there are none. */
async function halvesOf(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Halves | 'unsure' | undefined> {
  const { endpoint, slice } = reading;
  if (endpoint.list === 'by-key') return halvesByKey(reading, records);
  if (endpoint.list !== 'ranged') return undefined;
  const heights = records.map((record) => heightOf(endpoint, record) ?? slice.interval.from);
  heights.sort((a, b) => a - b);
  const middle = heights[(heights.length - 1) >> 1] ?? 0;
  const last = heights.at(-1) ?? 0;
  // The cut lies above `cut`, so that both halves have records.
  const cut = middle < last ? middle : heights.findLast((height) => height < last);
  if (cut === undefined) return undefined;
  const isIncluded = await includesEnd(reading, last);
  if (isIncluded === undefined) return 'unsure';
  const end = isIncluded ? cut : cut + 1;
  const to = askedEnd(endpoint, slice);
  return [
    asking(reading, { interval: { from: slice.interval.from, to: end } }),
    asking(reading, { interval: { from: cut + 1, to } }),
  ];
}

/** Every record has to name one key alone, or the halves would share it. */
function halvesByKey(reading: Reading, records: readonly WireRecord[]): Halves | undefined {
  const { endpoint, slice } = reading;
  const named = records.map((record) => matchedKeys(endpoint, record, slice));
  if (named.some((keys) => keys.length !== 1)) return undefined;
  const used = new Set(named.flat());
  const [first] = slice.keys.filter((key) => used.has(key));
  if (first === undefined || used.size < 2) return undefined;
  const rest = slice.keys.filter((key) => key !== first);
  return [asking(reading, { keys: [first] }), asking(reading, { keys: rest })];
}

/** The same reading of another slice, with its heights as they are sent. */
function asking(reading: Reading, of: Partial<Pick<Slice, 'interval' | 'keys'>>): Reading {
  return { ...reading, slice: { ...reading.slice, ...of } };
}

/**
 * Whether the list holds what stands at the end of the range asked, where it says so twice; two
 * requests, once a run.
 */
async function includesEnd(reading: Reading, height: number): Promise<boolean | undefined> {
  const { endpoint, settings } = reading;
  const known = settings.ceilings?.includesEnd(endpoint.path);
  if (known !== undefined) return known;
  const atHeight = asking(reading, { interval: { from: height, to: height } });
  const counts = [await countOf(atHeight), await countOf(atHeight)];
  const [first, second] = counts.map((count) => (typeof count === 'string' ? count : count > 0));
  if (typeof first !== 'boolean' || first !== second) return undefined;
  settings.ceilings?.learn(endpoint.path, { includesEnd: first });
  return first;
}

/** Records by what the first page and the last one say, or why they are not to be believed. */
async function countOf(reading: Reading): Promise<number | string> {
  const { slice, limit } = reading;
  const first = await readPageOf(reading, slice.interval, 1);
  const pages = first.totalPage ?? 0;
  const wrong = misfit(first, 1, first, limit);
  if (wrong !== undefined || pages <= 1) return wrong ?? first.records.length;
  const last = await readPageOf(reading, slice.interval, pages);
  return misfit(last, pages, first, limit) ?? (pages - 1) * limit + last.records.length;
}
