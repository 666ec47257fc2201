import type { Endpoint } from '../catalogue/entry.ts';
import { endpointAt, paramOf } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import { halves } from '../plan/ranges.ts';
import type { Slice } from '../plan/slice.ts';
import { type Caller, counting } from './caller.ts';
import { fetchPositions } from './fetch-positions.ts';
import type { Listing } from './listing.ts';
import { lookUpKeys } from './look-up.ts';
import { partingPending } from './pending-records.ts';
import { walk } from './walk.ts';
import { walkCrowded } from './walk-crowded.ts';
import { walkSnapshot } from './walk-snapshot.ts';
import { type Part, provenPart, type SourceSettings, UNSPLIT } from './walked.ts';

/** A slice, or a part of one that had to be split, with what was found and what that proves. */
export interface Fetched extends Part {
  /** Requests sent since the part before it, without the client's own retries. */
  readonly requests: number;
  /** Records of its keys that are in no block yet. */
  readonly pending: readonly WireRecord[];
}

export interface FetchSettings extends SourceSettings {
  readonly listing: Listing;
}

/**
 * Walks a slice; where a walk cannot be proven, splits by height, then by key, and walks the
 * parts, each proven and landed on its own; one key in one block by its two sides. What cannot be
 * split further is named: `truncated` at the service's record cap, `depth_limited` below what a
 * list shows by its definition, `inconsistent` where the service contradicts itself, `failed` where
 * the listing never held still.
 */
export async function* fetchSlice(
  caller: Caller,
  slice: Slice,
  settings: FetchSettings,
): AsyncGenerator<Fetched> {
  const counted = counting(caller);
  // Walks see no pending record: the only place where these are parted from the others.
  const parted = partingPending(counted, slice);
  for await (const part of partsOf(parted, slice, settings)) {
    yield { ...part, pending: parted.taken(part.slice), requests: counted.taken() };
  }
}

async function* partsOf(
  caller: Caller,
  slice: Slice,
  settings: FetchSettings,
): AsyncGenerator<Part> {
  const endpoint = endpointAt(slice.endpoint);
  const whole = { ...settings, ...UNSPLIT };
  const reading = { caller, endpoint, slice, settings: whole, limit: settings.pageSize };
  switch (endpoint.list) {
    case 'ranged':
      yield* fetchStill(caller, slice, settings);
      break;
    case 'by-key':
      if (endpoint.reply.shape === 'bare' && paramOf(endpoint, 'keys') !== undefined) {
        yield* await lookUpKeys(reading);
      } else yield* fetchStill(caller, slice, settings);
      break;
    case 'positional':
      yield* await fetchPositions({ ...reading, limit: pageOfMoving(endpoint, settings) });
      break;
    case 'snapshot':
      yield await walkSnapshot(reading);
      break;
    default:
      throw new Error(`${endpoint.path} is no list and cannot be fetched`);
  }
}

/** A list that grows by more than a page a request cannot be read, so pages are not too small. */
function pageOfMoving({ limits }: Endpoint, { pageSize }: FetchSettings): number {
  return Math.max(pageSize, limits.pageSize?.default ?? 1);
}

/** Lists that stand still: they may be split. */
async function* fetchStill(
  caller: Caller,
  slice: Slice,
  settings: FetchSettings,
): AsyncGenerator<Part> {
  const parts = splitSlice(slice);
  const canSplit = parts !== undefined;
  const first = await walk(caller, slice, { ...settings, canSplit, acceptCap: false });
  const walked = await settings.listing.withoutRepeats(caller, slice, settings, first);
  if (walked.outcome === 'proven') yield provenPart(slice, walked.records);
  else if (walked.outcome === 'contradictory') {
    yield { slice, status: 'inconsistent', reason: walked.reason, records: walked.records };
  } else if (parts !== undefined) {
    for (const part of parts) yield* fetchStill(caller, part, settings);
  } else if (walked.outcome === 'saturated') {
    yield await walkCrowded(caller, slice, settings, walked.reason);
  } else {
    yield { slice, status: 'failed', reason: walked.reason, records: [] };
  }
}

/**
 * Halves by height, where it is asked by bounds; else, or of one block, halves of the keys;
 * undefined for what cannot be split.
 */
function splitSlice(slice: Slice): readonly [Slice, Slice] | undefined {
  const { interval, keys } = slice;
  const isBounded = endpointAt(slice.endpoint).list === 'ranged';
  if (isBounded && interval.from < interval.to) {
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
