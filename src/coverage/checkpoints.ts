import type { Axis } from '../catalogue/entry.ts';

/** The hash of a block, stored because records do not name their parent block. */
export interface BlockCheckpoint {
  readonly height: number;
  /** Lower-case. */
  readonly hash: string;
}

/** In order of height. */
export type CheckpointsByAxis = Readonly<Partial<Record<Axis, readonly BlockCheckpoint[]>>>;

/** Distance between the two checkpoints of a run: more blocks than a reorganisation replaces. */
export const CHECKPOINT_DEPTH_BLOCKS = 512;

/**
 * The heights whose hashes a run stores, highest first: the last final block, and a block at least
 * CHECKPOINT_DEPTH_BLOCKS below it. A known checkpoint up to four times as deep is reused for the
 * second, so a run that follows another one reads one hash instead of two.
 */
export function checkpointHeights(safe: number, checkpoints: readonly BlockCheckpoint[]): number[] {
  const top = safe - 1;
  if (top < 0) return [];
  const due = Math.max(0, top - CHECKPOINT_DEPTH_BLOCKS);
  const least = Math.max(0, top - 4 * CHECKPOINT_DEPTH_BLOCKS);
  const old = checkpoints.findLast(({ height }) => height <= due && height >= least);
  return [...new Set([top, old?.height ?? due])];
}

/** The checkpoints that are not known yet. */
export function newCheckpoints(
  checkpoints: readonly BlockCheckpoint[],
  knownCheckpoints: readonly BlockCheckpoint[],
): BlockCheckpoint[] {
  const hashes = new Map(knownCheckpoints.map(({ height, hash }) => [height, hash]));
  return checkpoints.filter(({ height, hash }) => hashes.get(height) !== hash);
}
