import type { Axis } from '../catalogue/entry.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { listAt } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import { blocksIn, cutByHeights, intersection, subtract } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import { isResting } from '../coverage/unfinished.ts';
import { axisSettings, firstHeight } from '../pipeline/axis-settings.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import { type ListPlanInput, planFound, planned, planSnapshot } from './look-ups.ts';
import { Pieces } from './pieces.ts';
import type { Heads, NoBlocks, Plan, PlanInput, PlannedRequest } from './plan.ts';
import { costOf, depthReason, type Way, wayOf } from './routes.ts';

/**
 * The slices that complete the coverage of a pipeline: requested intervals minus complete ones,
 * with keys of equal gaps packed together, by the cheapest way above its depth limit. Slices are
 * cut at the safe height: records below it are fetched once, records above it in every run.
 */
export function planSlices(input: PlanInput): Plan {
  const requests = input.pipeline.requests.flatMap((request) =>
    request.lists.flatMap((_, at) => planRequest(input, request, at)),
  );
  const sign = input.pipeline.order === 'newest-first' ? -1 : 1;
  const slices = (['primary', 'zone'] as const).flatMap((axis) =>
    requests
      .filter(({ list }) => list.entry.axis === axis)
      .flatMap((planned) => planned.slices)
      .sort((a, b) => sign * (a.interval.from - b.interval.from)),
  );
  return {
    heads: input.heads,
    newestHeadSeen: newestHeads(input.coverage),
    isAgain: input.isAgain === true,
    beyondHead: beyondHeads(input),
    requests,
    slices,
  };
}

function beyondHeads({ pipeline, heads }: PlanInput): Partial<Record<Axis, number>> {
  const beyond: Partial<Record<Axis, number>> = {};
  for (const { entry, blocks } of pipeline.requests) {
    const { axis, list } = entry;
    const whole = axisSettings(pipeline, axis).blocks;
    // The range of a request lies within that of the pipeline.
    const { to } = blocks ?? whole;
    const last = Math.min(...[to, whole.to].filter((bound) => typeof bound === 'number'));
    if (list === 'snapshot' || !Number.isFinite(last)) continue;
    if (last > (heads[axis]?.head ?? last)) beyond[axis] = Math.max(beyond[axis] ?? 0, last);
  }
  return beyond;
}

function newestHeads(coverage: Coverage): Partial<Record<Axis, number>> {
  const newest: Partial<Record<Axis, number>> = {};
  for (const { parts, ...list } of coverage.grouped()) {
    const { axis } = listAt(list).entry;
    newest[axis] = parts.reduce((high, { head }) => Math.max(high, head), newest[axis] ?? -1);
  }
  return newest;
}

/** The plan of one list of a request: its own slices first, then those of used alternatives. */
function planRequest(input: PlanInput, request: PipelineRequest, at: number): PlannedRequest[] {
  const { pipeline } = input;
  const { axis, list, path } = request.entry;
  const heads = input.heads[axis];
  const requestList = request.lists[at];
  if (heads === undefined || requestList === undefined) {
    throw new Error(`${path} is planned without the head of its axis`);
  }
  const coverage = input.isAgain === true ? undefined : input.coverage;
  const ways = [request, ...request.alternatives].map((route) =>
    wayOf(route, route.lists[at] ?? requestList, pipeline, heads, coverage),
  );
  const isFound = request.foundIn !== undefined;
  const options = { input, request, heads, ways };
  if (list === 'snapshot') return [planSnapshot(options)];
  const range = axisSettings(pipeline, axis).blocks;
  const interval = askedInterval(range, request.blocks ?? range, heads);
  if (isFound && list === 'by-key') return [planFound(options, interval)];
  const foundKeys = input.rowKeys.get(request) ?? [];
  const keys =
    request.keySet === undefined
      ? ['']
      : isFound
        ? [...new Set(foundKeys.map(({ key }) => key))]
        : (input.keys[request.keySet] ?? []);
  return planIntervals({ ...options, keys, isFound }, interval);
}

/** The common blocks of the pipeline and its request, or the reason why there are none. */
function askedInterval(
  range: Pipeline['blocks'],
  blocks: Pipeline['blocks'],
  heads: Heads,
): Interval | NoBlocks {
  const whole = upToHead(range, heads);
  const part = upToHead(blocks, heads);
  if (typeof whole === 'string') return whole;
  if (typeof part === 'string') return part;
  return intersection(whole, part) ?? 'outside-range';
}

function upToHead(bounds: Pipeline['blocks'], { head, safe }: Heads): Interval | NoBlocks {
  const from = firstHeight(bounds, safe);
  const { to } = bounds;
  const last = to === 'safe' ? safe - 1 : to === 'head' ? head : Math.min(to, head);
  if (from <= last) return { from, to: last };
  return from > head ? 'above-head' : 'not-final';
}

function planIntervals(
  options: ListPlanInput & { readonly keys: readonly string[]; readonly isFound: boolean },
  asking: Interval | NoBlocks,
): PlannedRequest[] {
  const { input, heads, ways, keys } = options;
  const interval = typeof asking === 'string' ? undefined : asking;
  const used = ways.map((way) => new Pieces(way.list, way.shape, input.mostSlices));
  const beyond: Slice[] = [];
  let missing = 0;
  const add = (gap: Interval, keysOfGap: readonly string[], provisional: boolean): void => {
    const cuts = ways.map(({ depthLimit }) => depthLimit - 1);
    for (const part of cutByHeights(gap, cuts)) {
      const way = cheapest(options, part, keysOfGap.length);
      if (way === undefined) beyond.push(...unreachableSlices(ways, part, keysOfGap));
      else used[way]?.addWindows(part, keysOfGap, provisional);
    }
  };
  if (interval !== undefined) {
    const final = { from: interval.from, to: Math.min(interval.to, heads.safe - 1) };
    const open = { from: Math.max(interval.from, heads.safe), to: interval.to };
    if (final.from <= final.to) {
      for (const { gap, isDue, keys: same } of gapsOf(options, final)) {
        missing += blocksIn(gap) * same.length;
        if (input.isAgain !== true && isDue) add(gap, same, false);
      }
      if (input.isAgain === true && keys.length > 0) add(final, keys, false);
    }
    if (open.from <= open.to && keys.length > 0) add(open, keys, true);
  }
  const belowSafe = interval === undefined ? 0 : Math.min(interval.to, heads.safe - 1);
  const keyBlocks =
    interval === undefined ? 0 : Math.max(0, belowSafe - interval.from + 1) * keys.length;
  return ways.flatMap((way, i) => {
    const slices = [...(used[i]?.slices() ?? []), ...(i === 0 ? beyond : [])];
    if (i > 0 && slices.length === 0) return [];
    return [planned(options, way, { keys: keys.length, asking, slices, keyBlocks, missing })];
  });
}

interface Gap {
  readonly gap: Interval;
  /** False where unfinished records need not be read again yet. */
  readonly isDue: boolean;
  /** All keys that have exactly this gap. */
  readonly keys: string[];
}

/** The gaps that no way has complete. */
function gapsOf(
  { input, heads, ways, keys }: ListPlanInput & { readonly keys: readonly string[] },
  final: Interval,
): readonly Gap[] {
  const { coverage } = input;
  const gaps = new Map<string, Gap>();
  const gapOf = (gap: Interval, isDue: boolean): Gap => {
    const id = `${gap.from}:${gap.to}:${isDue}`;
    const gapWithKeys = gaps.get(id) ?? { gap, isDue, keys: [] };
    gaps.set(id, gapWithKeys);
    return gapWithKeys;
  };
  const lists = ways.map(({ list }) => coverage.keysOf(list));
  let before: readonly unknown[] = [];
  let gapsOfKey: readonly Gap[] = [];
  for (const key of keys) {
    // Keys without coverage share their parts, and so do those of one walk.
    if (before.length === 0 || lists.some((all, i) => all.get(key) !== before[i])) {
      before = lists.map((all) => all.get(key));
      let open = [final];
      let resting: Interval[] = [];
      for (const { list } of ways) {
        open = open.flatMap((gap) => coverage.missing(list, key, gap));
        if (list.entry.finishedBy === undefined) continue;
        const parts = coverage.get(list, key);
        resting = [...resting, ...parts.filter((part) => isResting(part, part.to, heads.head))];
      }
      gapsOfKey = open.flatMap((gap) => {
        const due = subtract(gap, resting);
        const others = subtract(gap, due);
        return [
          ...due.map((part) => gapOf(part, true)),
          ...others.map((part) => gapOf(part, false)),
        ];
      });
    }
    for (const gap of gapsOfKey) gap.keys.push(key);
  }
  return [...gaps.values()];
}

/** The index of the way that reads the interval with the fewest requests; the first of equals. */
function cheapest(
  { input, ways }: ListPlanInput,
  part: Interval,
  keys: number,
): number | undefined {
  let best: { readonly way: number; readonly cost: number } | undefined;
  for (const [i, way] of ways.entries()) {
    if (way.depthLimit > part.from) continue;
    const cost = costOf(way, part, keys, input.densities);
    if (best === undefined || cost < best.cost) best = { way: i, cost };
  }
  return best?.way;
}

/** Intervals below all depth limits become slices that land as `depth_limited` without requests. */
function unreachableSlices(ways: readonly Way[], part: Interval, keys: readonly string[]): Slice[] {
  const [way] = ways;
  if (way === undefined) return [];
  const unreachable = depthReason(way.list, way.depthLimit);
  const slice = { list: way.list, keys, interval: part, provisional: false };
  return [{ ...slice, unreachable }];
}
