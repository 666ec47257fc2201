import { windowsOf } from '../coverage/ranges.ts';
import { axisSettings, firstHeight } from '../pipeline/axis-settings.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import type { Plan, PlanInput } from './plan.ts';
import { planSlices } from './slices.ts';

/** A plan of this many slices takes about 40 MB, and its reader may still hold the one before. */
const BAND_SLICES = 200_000;

/**
 * The plan of a pipeline in bands of heights, the newest first: together they have the slices of
 * `planSlices`, and one of them is in memory at a time. Requests of lists without a limit of blocks
 * are planned at once, before the others, because a band would cut their slices.
 */
export function* plansByBand(input: PlanInput, bandSlices = BAND_SLICES): Generator<Plan> {
  const { pipeline } = input;
  const whole = pipeline.requests.filter((request) => !isWindowed(request));
  if (whole.length > 0) yield planSlices({ ...input, pipeline: { ...pipeline, requests: whole } });
  for (const { axis, requests, bounds, from, to, perWindow } of windowedParts(input)) {
    const windows = Math.max(1, Math.floor(bandSlices / perWindow));
    const bands = windowsOf({ from, to }, windows * pipeline.windowBlocks).reverse();
    // Requests without blocks are planned, too: the plan says why they have none.
    for (const band of bands.length === 0 ? [{ from, to }] : bands) {
      // The last band ends where the pipeline does: at the safe height, for instance.
      const range = band.to === to ? { ...bounds, from: band.from } : band;
      const part = { ...pipeline, requests, [axis === 'primary' ? 'blocks' : 'zoneBlocks']: range };
      yield planSlices({ ...input, pipeline: part });
    }
  }
}

/** The requests with windows of each axis, their range, and the number of slices of a window. */
function windowedParts({ pipeline, heads, keys }: PlanInput) {
  return (['primary', 'zone'] as const).flatMap((axis) => {
    const requests = pipeline.requests.filter((request) => {
      return isWindowed(request) && request.entry.axis === axis;
    });
    if (requests.length === 0) return [];
    const { head = 0, safe = 0 } = heads[axis] ?? {};
    const bounds = axisSettings(pipeline, axis).blocks;
    const from = firstHeight(bounds, safe);
    const to = typeof bounds.to === 'number' ? Math.min(bounds.to, head) : head;
    const perWindow = requests.reduce((sum, { keySet = '', lists }) => {
      return sum + lists.length * Math.ceil((keys[keySet]?.length ?? 1) / pipeline.groupSize);
    }, 0);
    return [{ axis, requests, bounds, from, to, perWindow }];
  });
}

/** Whether the slices of a request are windows of heights, whichever of its lists is read. */
function isWindowed({ entry, alternatives }: PipelineRequest): boolean {
  return [entry, ...alternatives.map((route) => route.entry)].every(({ list, limits }) => {
    return list === 'ranged' && limits.blockSpan !== undefined;
  });
}
