import { Fault } from '../../fault.ts';
import { axisSettings, firstHeight } from '../../pipeline/axis-settings.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { HeadsByAxis } from '../../plan/plan.ts';
import { unlessRefused } from '../http/call-failure.ts';
import type { Caller } from '../http/caller.ts';
import { readDepthLimit } from './depth-limit.ts';
import type { HeadMemory } from './head-memory.ts';
import { readHead, readLowestHead } from './heads.ts';

/** The number of readings of each head; the lowest reading counts. */
const HEAD_READINGS = { standard: 5, strict: 12 };

/**
 * The heads of the axes that the pipeline reads, and the depth limit of its lists that go back a
 * number of years. Sends several requests per axis for the heads; one when following, where earlier
 * readings are remembered, and one per axis that records only name heights of, if the service has
 * that chain. See `readLowestHead` and `readDepthLimit` for the errors.
 */
export async function readHeads(
  pipeline: Pipeline,
  caller: Caller,
  signal: AbortSignal | undefined,
  following?: { readonly memory: HeadMemory; readonly nowMs: number },
): Promise<HeadsByAxis> {
  const { source, requests } = pipeline;
  const entries = requests.flatMap(({ entry, alternatives }) => [
    entry,
    ...alternatives.map((route) => route.entry),
  ]);
  const heads: { -readonly [A in keyof HeadsByAxis]: HeadsByAxis[A] } = {};
  for (const axis of new Set(entries.map((entry) => entry.axis))) {
    const { chain, finalityLagBlocks } = axisSettings(pipeline, axis);
    const readings = following === undefined ? HEAD_READINGS[pipeline.proof] : 1;
    const headSource = { chain, finalityLagBlocks, readings };
    const read = await readLowestHead(caller, axis, headSource, signal);
    heads[axis] = following?.memory.noted(axis, read, following.nowMs) ?? read;
  }
  for (const { axis } of entries.flatMap(({ finishedBy = [] }) => finishedBy)) {
    if (axis === undefined || heads[axis] !== undefined) continue;
    const read = await readHead(caller, axis, axisSettings(pipeline, axis), signal).catch(ifServed);
    if (read !== undefined) heads[axis] = read;
  }
  const years = entries.flatMap(({ axis, limits }) =>
    axis === 'primary' && limits.depthYears !== undefined ? [limits.depthYears] : [],
  );
  if (heads.primary === undefined || years.length === 0) return heads;
  const { head } = heads.primary;
  const from = firstHeight(pipeline.blocks, heads.primary.safe);
  if (from > head) return heads;
  const depthLimit = await readDepthLimit(caller, {
    chain: source.chain,
    from,
    head,
    years: Math.min(...years),
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...heads, primary: { ...heads.primary, depthLimit } };
}

/** Undefined in place of the head of a chain that the service does not have. */
function ifServed(error: unknown): undefined {
  if (error instanceof Fault && error.kind === 'refused') return undefined;
  return unlessRefused(error);
}
