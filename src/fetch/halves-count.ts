import type { WireRecord } from '../catalogue/record.ts';
import type { Interval } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import type { PageReply } from './caller.ts';
import type { Ceilings } from './ceilings.ts';
import { askedEnd, capOf, misfit, readIfShown, readPage } from './pages.ts';
import { listedOn } from './pending-records.ts';
import type { Reading } from './walked.ts';
import { heightOf, matchedKeys } from './wire.ts';

/**
 * A list that is cut off at a number of records looks whole. But its parts, asked for one by one,
 * then have more than was shown of all together: halves by height or by key that both have records,
 * or what lies around the one height, or beside the one key, that all of them have in common.
 */

export type Counted =
  | { readonly kind: 'whole' }
  /** The parts have more records than the list showed. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'drift'; readonly reason: string }
  /** All of it is of one key at one height. */
  | { readonly kind: 'uncountable' };

/**
 * Whether a walk shows everything: it does where lists of late showed more, or else its parts are
 * counted, which takes up to ten requests. `records` are all that it was shown. That a list is cut
 * off is believed when the list and its parts say so twice, because what one answer teaches would
 * spoil all that are to come.
 */
export async function checkCount(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Counted> {
  const { endpoint, settings } = reading;
  const { ceilings, acceptCap } = settings;
  const { path } = endpoint;
  const isUncapped = capOf(endpoint, settings) === Number.POSITIVE_INFINITY;
  if (ceilings === undefined || acceptCap || isUncapped || records.length === 0) return WHOLE;
  const counted = ceilings.isProven(path, records.length)
    ? WHOLE
    : await ceilings.inTurn(path, async () => {
        if (ceilings.isProven(path, records.length)) return WHOLE;
        return countInParts(reading, records, ceilings);
      });
  if (counted.kind !== 'drift') ceilings.listed(path, records.length);
  return counted;
}

const WHOLE: Counted = { kind: 'whole' };

async function countInParts(
  reading: Reading,
  records: readonly WireRecord[],
  ceilings: Ceilings,
): Promise<Counted> {
  const { path } = reading.endpoint;
  for (const partsOf of [partsByHeight, partsByKey]) {
    const parts = await partsOf(reading, records);
    if (parts === 'unsure') return { kind: 'drift', reason: 'whether ranges hold their end' };
    if (parts === undefined) continue;
    const counted = await countParts(parts);
    if (counted.kind === 'cut') {
      const isShownAgain = (await countOf(reading)) === records.length;
      const again = isShownAgain ? await countParts(parts) : counted;
      if (!isShownAgain || again.kind !== 'cut') {
        return { kind: 'drift', reason: 'a list and its parts were counted differently' };
      }
      ceilings.learn(path, { cap: records.length });
    }
    if (counted.kind !== 'uncountable') return counted;
  }
  return { kind: 'uncountable' };
}

/** Readings that share no record. */
interface Parts {
  readonly readings: readonly Reading[];
  /** Records in all of them if none is hidden; 0 where they lie beside what was shown. */
  readonly due: number;
}

async function countParts({ readings, due }: Parts): Promise<Counted> {
  let found = 0;
  for (const reading of readings) {
    const count = await countOf(reading);
    if (typeof count === 'string') return { kind: 'drift', reason: count };
    found += count;
  }
  // That there is nothing beside it does not say that all of it was shown.
  if (found === due) return { kind: due === 0 ? 'uncountable' : 'whole' };
  if (found > due) return { kind: 'cut' };
  return { kind: 'drift', reason: `${due} records were listed, and ${found} in their parts` };
}

/** undefined where one height was asked. */
async function partsByHeight(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Parts | 'unsure' | undefined> {
  const { endpoint, slice } = reading;
  if (endpoint.list !== 'ranged') return undefined;
  const { from } = slice.interval;
  const to = askedEnd(reading);
  const heights = records.map((record) => heightOf(endpoint, record) ?? from);
  heights.sort((a, b) => a - b);
  const middle = heights[(heights.length - 1) >> 1] ?? from;
  const last = heights.at(-1) ?? from;
  // The cut lies above `cut`, so that both halves have records.
  const cut = middle < last ? middle : heights.findLast((height) => height < last);
  if (cut === undefined && from === to) return undefined;
  const isIncluded = await includesEnd(reading, last);
  if (isIncluded === undefined) return 'unsure';
  const upTo = (height: number): Interval => ({ from, to: isIncluded ? height : height + 1 });
  const below = asking(reading, { interval: upTo(cut ?? last - 1) });
  const above = asking(reading, { interval: { from: (cut ?? last) + 1, to } });
  if (cut !== undefined) return { readings: [below, above], due: records.length };
  return { readings: [...(from < last ? [below] : []), ...(last < to ? [above] : [])], due: 0 };
}

/** undefined where one key was asked, or where a record names two: the parts would share it. */
async function partsByKey(
  reading: Reading,
  records: readonly WireRecord[],
): Promise<Parts | undefined> {
  const { endpoint, slice } = reading;
  const named = records.map((record) => matchedKeys(endpoint, record, slice));
  if (slice.keys.length < 2 || named.some((keys) => keys.length !== 1)) return undefined;
  const used = new Set(named.flat());
  const [first] = slice.keys.filter((key) => used.has(key));
  if (first === undefined) return undefined;
  const beside = asking(reading, { keys: slice.keys.filter((key) => key !== first) });
  if (used.size === 1) return { readings: [beside], due: 0 };
  return { readings: [asking(reading, { keys: [first] }), beside], due: records.length };
}

/** The same reading of another slice, with its heights as they are sent. */
function asking(reading: Reading, of: Partial<Pick<Slice, 'interval' | 'keys'>>): Reading {
  return {
    ...reading,
    slice: { ...reading.slice, ...of },
    settings: { ...reading.settings, isExact: true, isAside: true },
  };
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

/**
 * Records in blocks, by what the first page and the last one say, or why they are not to be
 * believed. Pending records stand in front of them, and every part of a list may show them.
 */
async function countOf(reading: Reading): Promise<number | string> {
  const { limit } = reading;
  const first = await readPage(reading, 1);
  const pages = first.totalPage ?? 0;
  const wrong = misfit(first, 1, first, limit);
  if (wrong !== undefined || pages <= 1) return wrong ?? first.records.length;
  const last = await readIfShown(reading, pages);
  // What is counted and not shown is there all the same.
  const onLast = last === undefined ? 1 : listedOn(last);
  const unfit = last && misfit(last, pages, first, limit);
  return unfit ?? (pages - 1) * limit + onLast - (await pendingInFront(reading, first, pages));
}

/** Reads on only where the first page has nothing but pending records. */
async function pendingInFront(reading: Reading, first: PageReply, pages: number): Promise<number> {
  let count = 0;
  let reply: PageReply | undefined = first;
  for (let page = 1; reply !== undefined; page += 1) {
    count += listedOn(reply) - reply.records.length;
    if (reply.records.length > 0 || page === pages) break;
    reply = await readIfShown(reading, page + 1);
  }
  return count;
}
