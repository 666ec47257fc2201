import type { Axis } from '../catalogue/entry.ts';
import type { Anchor, AnchorsByAxis } from '../coverage/checkpoints.ts';
import {
  type BlockHashes,
  blockHashes,
  changedFrom,
  checkpointRequests,
  readCheckpoints,
} from '../fetch/chain/checkpoints.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Lake } from '../land/lake.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { HeadsByAxis, Plan } from '../plan/plan.ts';

/**
 * Records do not name the block before theirs, so runs remember hashes of blocks (anchors) in the
 * log of every table they commit to. Where a hash is another one now, what was landed above the
 * last one that still stands proves nothing any more.
 */

/** How the chains stand to what the lake holds of them. */
export interface Standing {
  /** By dataset: the height from which on the chain has changed since its table was landed. */
  readonly changed: ReadonlyMap<string, number>;
  /** Remembered, and still standing; in order of height. */
  readonly anchors: AnchorsByAxis;
  readonly hashes: Readonly<Partial<Record<Axis, BlockHashes>>>;
}

interface Asked {
  readonly lake: Lake;
  readonly connection: Connection;
  readonly pipeline: Pipeline;
  readonly signal?: AbortSignal | undefined;
}

const AXES = ['primary', 'zone'] as const;

/**
 * Compares the anchors of the pipeline's tables with the chains: one request an axis where nothing
 * has changed and all tables were landed together. Throws Fault('lake') for another chain.
 */
export async function readStanding(of: Asked, heads: HeadsByAxis): Promise<Standing> {
  const { lake, pipeline } = of;
  const changed = new Map<string, number>();
  const anchors: { -readonly [A in keyof AnchorsByAxis]: AnchorsByAxis[A] } = {};
  const hashes: { -readonly [A in keyof Standing['hashes']]: Standing['hashes'][A] } = {};
  const datasets = new Set(pipeline.requests.map(({ dataset }) => dataset));
  for (const axis of AXES) {
    const head = heads[axis]?.head;
    if (head === undefined) continue;
    const read = hashesOf(of, axis);
    const standing = new Map<number, Anchor>();
    for (const table of await lake.tables()) {
      if (table.dataset.axis !== axis || !datasets.has(table.dataset.name)) continue;
      const { anchors: known } = await table.snapshot();
      const from = await changedFrom(read.at, known, head);
      if (from !== undefined) changed.set(table.dataset.name, from);
      for (const anchor of known)
        if (anchor.height < (from ?? Infinity)) standing.set(anchor.height, anchor);
    }
    anchors[axis] = [...standing.values()].sort((a, b) => a.height - b.height);
    hashes[axis] = read;
  }
  return { changed, anchors, hashes };
}

/** Notes in the tables what has changed; what is planned from then on is read again. */
export async function recordChanges(lake: Lake, { changed }: Standing): Promise<void> {
  for (const [dataset, height] of changed) await lake.table(dataset).reorganised(height);
}

/**
 * The anchors that a run of the plan remembers; undefined where a chain changed since it was looked
 * at. Up to three requests for each axis that it fetches from.
 */
export async function anchorsFor(
  of: Asked,
  standing: Standing,
  plan: Plan,
): Promise<AnchorsByAxis | undefined> {
  const taken: { -readonly [A in keyof AnchorsByAxis]: AnchorsByAxis[A] } = {};
  for (const axis of axesOf(plan)) {
    const hashes = standing.hashes[axis];
    const heads = plan.heads[axis];
    if (hashes === undefined || heads === undefined) continue;
    const known = standing.anchors[axis] ?? [];
    const reading = (): BlockHashes => hashesOf(of, axis);
    const anchors = await readCheckpoints({ known, hashes, reading, ...heads });
    if (anchors === undefined) return undefined;
    taken[axis] = anchors;
  }
  return taken;
}

/** Requests for anchors that a run of the plan will send, when it begins and when it ends. */
export function anchorRequests({ hashes, anchors }: Standing, plan: Plan): number {
  let requests = 0;
  for (const axis of axesOf(plan)) {
    const read = hashes[axis];
    const safe = plan.heads[axis]?.safe ?? 0;
    if (read === undefined || safe === 0) continue;
    requests += checkpointRequests({ known: anchors[axis] ?? [], hashes: read, safe }) + 1;
  }
  return requests;
}

function hashesOf({ connection, pipeline, signal }: Asked, axis: Axis): BlockHashes {
  const { chain, zoneChain } = pipeline.source;
  return blockHashes(connection.caller, {
    axis,
    chain: axis === 'primary' ? chain : zoneChain,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The axes that a plan fetches from. */
function axesOf(plan: Plan): Axis[] {
  const fetched = new Set(
    plan.slices
      .filter(({ unreachable }) => unreachable === undefined)
      .map(({ list }) => list.entry.axis),
  );
  return AXES.filter((axis) => fetched.has(axis));
}
