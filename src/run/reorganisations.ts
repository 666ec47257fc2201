import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed } from '../catalogue/index.ts';
import type { BlockCheckpoint, CheckpointsByAxis } from '../coverage/checkpoints.ts';
import {
  type BlockHashes,
  blockHashes,
  changedFrom,
  requestsToTake,
  takeCheckpoints,
} from '../fetch/chain/checkpoints.ts';
import type { Lake } from '../land/lake.ts';
import { lowestWithHalf } from '../land/rows/split-walk.ts';
import { axisSettings } from '../pipeline/axis-settings.ts';
import type { HeadsByAxis, Plan } from '../plan/plan.ts';
import type { ChainCheck, Job } from './run-job.ts';

/**
 * Records do not name their parent block, so runs store block hash checkpoints in the log of every
 * table they commit to. When the hash at a height differs from its checkpoint, coverage above the
 * highest checkpoint that still matches is no longer proven.
 */

type ChainReading = Pick<Job, 'lake' | 'connection' | 'pipeline'> & {
  readonly signal?: AbortSignal | undefined;
};

const AXES = ['primary', 'zone'] as const;

/**
 * Compares the checkpoints of the pipeline's tables with the chains. Sends one request per axis if
 * nothing has changed and all tables have the same newest checkpoint. Throws Fault('lake') for
 * another chain.
 */
export async function checkChains(context: ChainReading, heads: HeadsByAxis): Promise<ChainCheck> {
  const { lake, pipeline } = context;
  const changed = new Map<string, number>();
  const checkpoints: { -readonly [A in keyof CheckpointsByAxis]: CheckpointsByAxis[A] } = {};
  const hashes: { -readonly [A in keyof ChainCheck['hashes']]: ChainCheck['hashes'][A] } = {};
  const datasets = new Set(pipeline.requests.map(({ dataset }) => dataset));
  for (const axis of AXES) {
    const head = heads[axis]?.head;
    if (head === undefined) continue;
    const read = hashesOf(context, axis);
    const matching = new Map<number, BlockCheckpoint>();
    for (const table of await lake.tables()) {
      if (table.dataset.axis !== axis || !datasets.has(table.dataset.name)) continue;
      const { blockCheckpoints } = await table.snapshot();
      const from = await changedFrom(read.at, blockCheckpoints, head);
      if (from !== undefined) changed.set(table.dataset.name, from);
      for (const checkpoint of blockCheckpoints)
        if (checkpoint.height < (from ?? Infinity)) matching.set(checkpoint.height, checkpoint);
    }
    checkpoints[axis] = [...matching.values()].sort((a, b) => a.height - b.height);
    hashes[axis] = read;
  }
  return { changed: await withHalves(lake, changed), checkpoints, hashes };
}

/**
 * The changed heights, with those of records whose halves on the other chain are at changed ones.
 * Their tables come first: after a kill, the next run finds the change again.
 */
export async function withHalves(
  lake: Lake,
  changed: ChainCheck['changed'],
): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (const axis of AXES) {
    const heights = [...changed].flatMap(([name, height]) => {
      return datasetNamed(name).axis === axis ? [height] : [];
    });
    if (heights.length === 0) continue;
    for (const table of await lake.tables()) {
      const height = await lowestWithHalf(table, axis, Math.min(...heights));
      const { name } = table.dataset;
      if (height !== undefined) all.set(name, Math.min(height, all.get(name) ?? height));
    }
  }
  for (const [name, height] of changed) all.set(name, Math.min(height, all.get(name) ?? height));
  return all;
}

/** Records the changed heights in the logs of the tables, in their order. */
export async function recordChanges(
  { lake, connection }: Pick<Job, 'lake'> & { connection: Pick<Job['connection'], 'facts'> },
  { changed }: ChainCheck,
): Promise<void> {
  // A question about a removed block would make the service suspect of false empty answers.
  if (changed.size > 0) connection.facts.forgetRecords();
  for (const [dataset, height] of changed) await lake.table(dataset).reorganised(height);
}

/**
 * The checkpoints that a run of the plan stores; undefined when a chain has changed since
 * `chainCheck`. Sends up to three requests for each axis of the plan.
 */
export async function checkpointsFor(
  context: ChainReading,
  chainCheck: ChainCheck,
  plan: Plan,
): Promise<CheckpointsByAxis | undefined> {
  const taken: { -readonly [A in keyof CheckpointsByAxis]: CheckpointsByAxis[A] } = {};
  for (const axis of axesOf(plan)) {
    const hashes = chainCheck.hashes[axis];
    const heads = plan.heads[axis];
    if (hashes === undefined || heads === undefined) continue;
    const matches = chainCheck.checkpoints[axis] ?? [];
    const reading = (): BlockHashes => hashesOf(context, axis);
    const checkpoints = await takeCheckpoints({ matches, hashes, reading, ...heads });
    if (checkpoints === undefined) return undefined;
    taken[axis] = checkpoints;
  }
  return taken;
}

/** Number of block hash requests that a run of the plan sends at its start and its end. */
export function checkpointRequests({ hashes, checkpoints }: ChainCheck, plan: Plan): number {
  let requests = 0;
  for (const axis of axesOf(plan)) {
    const read = hashes[axis];
    const safe = plan.heads[axis]?.safe ?? 0;
    if (read === undefined || safe === 0) continue;
    requests += requestsToTake({ matches: checkpoints[axis] ?? [], hashes: read, safe }) + 1;
  }
  return requests;
}

function hashesOf({ connection, pipeline, signal }: ChainReading, axis: Axis): BlockHashes {
  return blockHashes(connection.caller, {
    axis,
    chain: axisSettings(pipeline, axis).chain,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The axes of the slices that the plan fetches. */
function axesOf(plan: Plan): Axis[] {
  const fetched = new Set(
    plan.slices
      .filter(({ unreachable }) => unreachable === undefined)
      .map(({ list }) => list.entry.axis),
  );
  return AXES.filter((axis) => fetched.has(axis));
}
