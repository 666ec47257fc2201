import type { Endpoint } from '../catalogue/entry.ts';
import { paramOf } from '../catalogue/index.ts';
import type { WireRecord } from '../catalogue/record.ts';
import type { Slice } from '../coverage/slice.ts';
import { type Caller, counting } from './http/caller.ts';
import { fetchListed, fetchRanged } from './walk/heights/fetch-listed.ts';
import { lookUpKeys } from './walk/look-up.ts';
import { partingPending } from './walk/pending-records.ts';
import { fetchPositions } from './walk/positions/fetch-positions.ts';
import { walkSnapshot } from './walk/positions/walk-snapshot.ts';
import type { Listing } from './walk/repeated-listing.ts';
import type { Part, SourceSettings } from './walk/walk.ts';

/** A slice, or a part of one, with what was found and what that proves. */
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
 * Walks a slice, in parts where it has to be split. What cannot be proven is named: `truncated` at
 * the service's record cap, `depth_limited` below what a list shows by its definition,
 * `inconsistent` where the service contradicts itself, `failed` where a moving list outran its
 * walk. Throws a CallFailure where a request gets no answer.
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
  const endpoint = slice.list.entry;
  const { listing } = settings;
  const reading = { caller, endpoint, slice, settings, limit: settings.pageSize };
  switch (endpoint.list) {
    case 'ranged':
      yield* fetchRanged(reading, listing);
      break;
    case 'by-key':
      if (endpoint.reply.shape === 'bare' && paramOf(endpoint, 'keys') !== undefined) {
        yield* await lookUpKeys(reading);
      } else yield* fetchListed(reading, listing);
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
