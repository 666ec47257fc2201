import { isAskedByHash, isSameList, listAt, listKey } from '../coverage/list.ts';
import { intersection } from '../coverage/ranges.ts';
import type { Region } from '../coverage/slice.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import { planned } from './look-ups.ts';
import { Pieces } from './pieces.ts';
import type { HeadsByAxis, Plan } from './plan.ts';
import { depthReason, type Way, wayOf } from './routes.ts';

/** A region that cannot be fetched again, with the reason. */
export interface LostRegion extends Region {
  readonly reason: string;
}

export interface RepairPlan {
  readonly plan: Plan;
  readonly lost: readonly LostRegion[];
}

/** The request and the way that fetch a region's list. */
interface RegionSource {
  readonly request: PipelineRequest;
  readonly way: Way;
  readonly pieces: Pieces;
}

/**
 * The slices that fetch these regions again, each from the list that landed it. A region is lost if
 * the pipeline has no request for its list.
 */
export function planRepair(
  pipeline: Pipeline,
  heads: HeadsByAxis,
  regions: readonly Region[],
): RepairPlan {
  const sources = new Map<string, RegionSource>();
  const lost: LostRegion[] = [];
  for (const region of regions) {
    const id = listKey(region);
    const source = sources.get(id) ?? sourceOf(pipeline, heads, region);
    if (source === undefined) {
      lost.push({ ...region, reason: 'the pipeline does not ask this list' });
      continue;
    }
    sources.set(id, source);
    lost.push(...addRegion(source, heads, region));
  }
  const requests = [...sources.values()].map(({ request, way, pieces }) => {
    const slices = pieces.slices();
    const options = { request, isFound: request.foundIn !== undefined };
    return planned(options, way, { keys: 0, asking: undefined, slices, keyBlocks: 0, missing: 0 });
  });
  const slices = requests.flatMap((request) => request.slices);
  return {
    plan: { heads, newestHeadSeen: {}, isAgain: true, beyondHead: {}, requests, slices },
    lost,
  };
}

/** The first request of the pipeline that reads the region's list, perhaps as an alternative. */
function sourceOf(
  pipeline: Pipeline,
  heads: HeadsByAxis,
  region: Region,
): RegionSource | undefined {
  const axisHeads = heads[listAt(region).entry.axis];
  if (axisHeads === undefined) return undefined;
  for (const request of pipeline.requests) {
    for (const route of [request, ...request.alternatives]) {
      const list = route.lists.find((list) => isSameList(list, region));
      if (list === undefined) continue;
      const way = wayOf(route, list, pipeline, axisHeads);
      return { request, way, pieces: new Pieces(list, way.shape) };
    }
  }
  return undefined;
}

/** Adds the slices of a region; returns the parts that cannot be fetched. */
function addRegion(
  { way, pieces }: RegionSource,
  heads: HeadsByAxis,
  region: Region,
): LostRegion[] {
  const { list, depthLimit } = way;
  if (isOfSnapshot(region)) {
    return [{ ...region, reason: 'no service reports a state as of a past block' }];
  }
  const safe = heads[list.entry.axis]?.safe ?? 0;
  // A plan of keys that are found in rows has the hashes again, because their own rows are gone.
  if (isAskedByHash(region)) return [];
  const final = intersection(region, { from: depthLimit, to: safe - 1 });
  const open = intersection(region, { from: Math.max(depthLimit, safe), to: region.to });
  if (final !== undefined) pieces.addWindows(final, region.keys, false);
  if (open !== undefined) pieces.addWindows(open, region.keys, true);
  const beyond = intersection(region, { from: 0, to: depthLimit - 1 });
  return beyond === undefined
    ? []
    : [{ ...region, ...beyond, reason: depthReason(way.list, way.depthLimit) }];
}

/** Whether the region is of a snapshot, which changes with every block. */
export function isOfSnapshot(region: Region): boolean {
  return listAt(region).entry.list === 'snapshot';
}
