import { isAskedByHash, isSameList, listAt, listKey } from '../coverage/list.ts';
import { type Interval, intersection } from '../coverage/ranges.ts';
import type { Region } from '../coverage/slice.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import { planned } from './look-ups.ts';
import { Pieces } from './pieces.ts';
import type { HeadsByAxis, Plan } from './plan.ts';
import { depthReason, type Way, wayOf } from './routes.ts';

/** A region that cannot be fetched again, and why. */
export interface LostRegion extends Region {
  readonly reason: string;
}

export interface RepairPlan {
  readonly plan: Plan;
  readonly lost: readonly LostRegion[];
}

interface Asked {
  readonly request: PipelineRequest;
  readonly way: Way;
  readonly pieces: Pieces;
}

/**
 * The slices that fetch exactly these regions again, each by the list that it was landed from. The
 * pipeline says how its lists are asked; a region of a list that it does not ask is lost to it.
 */
export function planRepair(
  pipeline: Pipeline,
  heads: HeadsByAxis,
  regions: readonly Region[],
): RepairPlan {
  const asked = new Map<string, Asked>();
  const lost: LostRegion[] = [];
  for (const region of regions) {
    const id = listKey(region);
    const known = asked.get(id) ?? askedBy(pipeline, heads, region);
    if (known === undefined) {
      lost.push({ ...region, reason: 'the pipeline does not ask this list' });
      continue;
    }
    asked.set(id, known);
    lost.push(...addRegion(known, heads, region));
  }
  const requests = [...asked.values()].map(({ request, way, pieces }) => {
    const slices = pieces.slices();
    const of = { request, isFound: request.foundIn !== undefined };
    return planned(of, way, { keys: 0, asking: undefined, slices, asked: 0, missing: 0 });
  });
  const slices = requests.flatMap((request) => request.slices);
  return {
    plan: { heads, newestHeadSeen: {}, isAgain: true, beyondHead: {}, requests, slices },
    lost,
  };
}

/** The first request of the pipeline that asks the region's list, itself or as an alternative. */
function askedBy(pipeline: Pipeline, heads: HeadsByAxis, region: Region): Asked | undefined {
  const of = heads[listAt(region).entry.axis];
  if (of === undefined) return undefined;
  for (const request of pipeline.requests) {
    for (const route of [request, ...request.alternatives]) {
      const list = route.lists.find((each) => isSameList(each, region));
      if (list === undefined) continue;
      const way = wayOf(route, list, pipeline, of);
      return { request, way, pieces: new Pieces(list, way.shape) };
    }
  }
  return undefined;
}

/** Adds what can be fetched again; returns what cannot. */
function addRegion({ way, pieces }: Asked, heads: HeadsByAxis, region: Region): LostRegion[] {
  const { list, reach } = way;
  if (isOfSnapshot(region)) {
    return [{ ...region, reason: 'no service reports a state as of a past block' }];
  }
  const safe = heads[list.entry.axis]?.safe ?? 0;
  if (isAskedByHash(region)) {
    for (const key of region.keys) pieces.add(intervalOf(region), key, region.to >= safe);
    return [];
  }
  const final = intersection(region, { from: reach, to: safe - 1 });
  const open = intersection(region, { from: Math.max(reach, safe), to: region.to });
  for (const key of region.keys) {
    if (final !== undefined) pieces.addWindows(final, key, false);
    if (open !== undefined) pieces.addWindows(open, key, true);
  }
  const beyond = intersection(region, { from: 0, to: reach - 1 });
  return beyond === undefined ? [] : [{ ...region, ...beyond, reason: depthReason(way) }];
}

/** Whether the region is a state as of a block, which is another one at every later block. */
export function isOfSnapshot(region: Region): boolean {
  return listAt(region).entry.list === 'snapshot';
}

function intervalOf({ from, to }: Interval): Interval {
  return { from, to };
}
