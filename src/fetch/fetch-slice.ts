import type { Endpoint } from '../catalogue/entry.ts';
import { paramOf } from '../catalogue/index.ts';
import type { Slice } from '../coverage/slice.ts';
import type { FetchedPart, SlicePart } from '../coverage/slice-part.ts';
import type { Caller } from './http/caller.ts';
import { fetchListed, fetchRanged } from './walk/heights/fetch-listed.ts';
import { lookUpKeys } from './walk/look-up.ts';
import { sliceCaller } from './walk/pending-records.ts';
import { fetchPositions } from './walk/positions/fetch-positions.ts';
import { walkSnapshot } from './walk/positions/walk-snapshot.ts';
import type { SourceSettings } from './walk/walk.ts';

/**
 * Walks a slice and yields it in one or more parts. Parts without proof have a status that names
 * the reason: `truncated` at the record cap of the service, `depth_limited` below the documented
 * depth of the list, `inconsistent` where answers contradict each other, `failed` where a list
 * shifted faster than it could be read. Throws a CallFailure where a request gets no answer.
 */
export async function* fetchSlice(
  caller: Caller,
  slice: Slice,
  settings: SourceSettings,
): AsyncGenerator<FetchedPart> {
  // Pending records are separated from the others only here, so walks never see them.
  const ofSlice = sliceCaller(caller, slice);
  for await (const part of partsOf(ofSlice, slice, settings)) {
    yield { ...part, ...ofSlice.taken(part.slice) };
  }
}

async function* partsOf(
  caller: Caller,
  slice: Slice,
  settings: SourceSettings,
): AsyncGenerator<SlicePart> {
  const endpoint = slice.list.entry;
  const reading = { caller, endpoint, slice, settings, limit: settings.pageSize };
  switch (endpoint.list) {
    case 'ranged':
      yield* fetchRanged(reading);
      break;
    case 'by-key':
      if (endpoint.reply.shape === 'bare' && paramOf(endpoint, 'keys') !== undefined) {
        yield* await lookUpKeys(reading);
      } else yield* fetchListed(reading);
      break;
    case 'positional':
      yield* await fetchPositions({ ...reading, limit: pageOfMoving(endpoint, settings) });
      break;
    case 'snapshot':
      yield await walkSnapshot(reading);
      break;
    default:
      throw new Error(`${endpoint.path} is not a list and cannot be fetched`);
  }
}

/**
 * A list that grows by more than a page per request cannot be read, so pages must not be too small.
 */
function pageOfMoving({ limits }: Endpoint, { pageSize }: SourceSettings): number {
  return Math.max(pageSize, limits.pageSize?.default ?? 1);
}
