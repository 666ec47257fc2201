import type { Axis, Endpoint } from '../../catalogue/entry.ts';
import { datasetNamed, endpoints, fieldFor, paramOf } from '../../catalogue/index.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import { type Caller, PRIORITY } from '../http/caller.ts';
import { queryByRole } from '../http/request.ts';

export interface BlockSource {
  readonly axis: Axis;
  /** `chainShortName` on the axis. */
  readonly chain: string;
  readonly signal?: AbortSignal;
}

/** The endpoint that returns the block of the axis at a given height. */
export function blockLookUp(axis: Axis): Endpoint {
  const byHeight = endpoints.filter(
    (entry) =>
      entry.axis === axis &&
      paramOf(entry, 'height') !== undefined &&
      datasetNamed(entry.dataset).isOnePerHeight === true &&
      fieldFor(entry, 'block_hash') !== undefined,
  );
  // An endpoint that requires a height returns a single block.
  const endpoint = byHeight.find((entry) => paramOf(entry, 'height')?.required) ?? byHeight[0];
  if (endpoint === undefined) throw new Error(`no endpoint looks up a block of the ${axis} axis`);
  return endpoint;
}

/** The block at a height; undefined where the service lists none. Sends one request. */
export async function blockAt(
  caller: Caller,
  { axis, chain, signal }: BlockSource,
  height: number,
): Promise<ListedRecord | undefined> {
  const endpoint = blockLookUp(axis);
  const query = queryByRole(endpoint, { chain, height, page: 1, limit: 1 });
  const { records } = await caller.call(endpoint, query, { priority: PRIORITY.firstPage, signal });
  return records.find((record) => record.height === height);
}
