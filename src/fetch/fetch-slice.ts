import { endpointAt } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import type { Status } from '../plan/coverage.ts';
import { halves } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import type { Listing } from './listing.ts';
import { type Caller, type Walked, type WalkSettings, walk } from './walk.ts';

/** A slice, or a part of one that had to be split, with what was found and what that proves. */
export interface Fetched {
  readonly slice: Slice;
  readonly status: Status;
  readonly reason: string;
  readonly records: readonly WireRecord[];
}

export interface FetchSettings extends Omit<WalkSettings, 'canSplit' | 'acceptCap'> {
  readonly listing: Listing;
}

/**
 * Walks a slice; where a walk cannot be proven, splits by height, then by key, and walks the
 * parts, each proven and landed on its own. What cannot be split further is named: `truncated`
 * at the service's record cap, `inconsistent` where the service contradicts itself, `failed`
 * where the listing never held still.
 */
export async function* fetchSlice(
  caller: Caller,
  slice: Slice,
  settings: FetchSettings,
): AsyncGenerator<Fetched> {
  const parts = splitSlice(slice);
  const canSplit = parts !== undefined;
  const first = await walk(caller, slice, { ...settings, canSplit, acceptCap: false });
  const walked = await settings.listing.withoutRepeats(caller, slice, settings, first);
  if (walked.outcome === 'proven' || walked.outcome === 'contradictory') {
    yield { slice, ...judged(slice, walked) };
  } else if (parts !== undefined) {
    for (const part of parts) yield* fetchSlice(caller, part, settings);
  } else if (walked.outcome === 'saturated') {
    const capped = await walk(caller, slice, { ...settings, canSplit: false, acceptCap: true });
    yield 'records' in capped
      ? { slice, status: 'truncated', reason: walked.reason, records: capped.records }
      : { slice, status: 'failed', reason: capped.reason, records: [] };
  } else {
    yield { slice, status: 'failed', reason: walked.reason, records: [] };
  }
}

/** Halves by height; of one block, halves of the keys; undefined for one key on one block. */
function splitSlice(slice: Slice): readonly [Slice, Slice] | undefined {
  const { interval, keys } = slice;
  if (endpointAt(slice.endpoint).list === 'by-key') return undefined;
  if (interval.from < interval.to) {
    const [low, high] = halves(interval);
    return [
      { ...slice, interval: low },
      { ...slice, interval: high },
    ];
  }
  if (keys.length < 2) return undefined;
  const middle = keys.length >> 1;
  return [
    { ...slice, keys: keys.slice(0, middle) },
    { ...slice, keys: keys.slice(middle) },
  ];
}

function judged(
  slice: Slice,
  walked: Extract<Walked, { readonly records: unknown }>,
): Omit<Fetched, 'slice'> {
  const { records } = walked;
  if (walked.outcome === 'contradictory') {
    return { status: 'inconsistent', reason: walked.reason, records };
  }
  return { status: slice.provisional ? 'provisional' : 'complete', reason: '', records };
}
