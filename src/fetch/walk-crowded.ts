import { endpointAt, paramOf } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import { type Slice, variant } from '../plan/slice.ts';
import type { Caller } from './caller.ts';
import { askedEnd, readPageOf } from './pages.ts';
import { walk } from './walk.ts';
import { type Part, provenPart, type SourceSettings, UNSPLIT } from './walked.ts';
import { matchedKeys } from './wire.ts';

/** What is left to do where a slice that cannot be split has more than the service lists. */

/**
 * The slice, of one key in one block: whole, if what crowds it lies in the next block or if it can
 * be asked by its two sides; else `truncated`, with as much as the service lists.
 */
export async function walkCrowded(
  caller: Caller,
  slice: Slice,
  settings: SourceSettings,
  reason: string,
): Promise<Part> {
  const capped = await walk(caller, slice, { ...settings, canSplit: false, acceptCap: true });
  if (!('records' in capped))
    return { slice, status: 'failed', reason: capped.reason, records: [] };
  const whole =
    (await walkToItsEnd(caller, slice, settings)) ?? (await walkBySides(caller, slice, settings));
  if (whole !== undefined) return provenPart(slice, whole);
  return { slice, status: 'truncated', reason, records: capped.records };
}

/**
 * The block alone, without the one behind it that is asked too; undefined where a range may not
 * hold its end, or where the block is too long as well.
 */
async function walkToItsEnd(
  caller: Caller,
  slice: Slice,
  settings: SourceSettings,
): Promise<readonly WireRecord[] | undefined> {
  const endpoint = endpointAt(slice.endpoint);
  const { to } = slice.interval;
  const of = { caller, endpoint, slice, limit: settings.pageSize };
  if (askedEnd({ ...of, settings: { ...settings, ...UNSPLIT } }) === to) return undefined;
  const alone = { ...settings, ...UNSPLIT, isExact: true } as const;
  const walked = await walk(caller, slice, alone);
  if (walked.outcome !== 'proven') return undefined;
  // Where the range had left its end out, there would be nothing in it.
  if (walked.records.length > 0) return walked.records;
  const next = await readPageOf({ ...of, settings: alone }, { from: to + 1, to: to + 1 }, 1);
  return next.records.length > 0 ? [] : undefined;
}

/**
 * What one key did in one block, by the two sides on which records can name it: what it sent, and
 * what it received from others. undefined where the list cannot be asked so, or a side is too long
 * as well.
 */
async function walkBySides(
  caller: Caller,
  slice: Slice,
  settings: SourceSettings,
): Promise<readonly WireRecord[] | undefined> {
  const endpoint = endpointAt(slice.endpoint);
  const side = paramOf(endpoint, 'side');
  const { params } = slice.variant;
  if (side === undefined || params[side.name] !== undefined) return undefined;
  const sideOf = (name: string): Slice => {
    return { ...slice, variant: variant({ ...params, [side.name]: name }) };
  };
  const whole: WireRecord[] = [];
  for (const name of ['from', 'to']) {
    const walked = await walk(caller, sideOf(name), { ...settings, ...UNSPLIT });
    if (walked.outcome !== 'proven') return undefined;
    // What the key sent to itself is on both sides, and was taken on the first.
    const isNew = (record: WireRecord): boolean =>
      name === 'from' || matchedKeys(endpoint, record, sideOf('from')).length === 0;
    whole.push(...walked.records.filter(isNew));
  }
  return whole;
}
