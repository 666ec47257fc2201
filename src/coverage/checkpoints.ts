import type { Axis } from '../catalogue/entry.ts';

/** Blocks whose hashes are remembered, because records do not name the block before theirs. */
export interface BlockCheckpoint {
  readonly height: number;
  /** Lower-case. */
  readonly hash: string;
}

/** In order of height. */
export type CheckpointsByAxis = Readonly<Partial<Record<Axis, readonly BlockCheckpoint[]>>>;

/** Deeper than chains are reorganised: the checkpoint so far below the newest one still stands. */
export const CHECKPOINT_DEPTH_BLOCKS = 512;

/**
 * The heights whose hashes a run remembers, highest first: that of the last final block, and one
 * that a reorganisation of the last final block does not reach. A checkpoint that is not much deeper
 * is used again, so that a run that follows another one reads one hash and not two.
 */
export function checkpointHeights(safe: number, known: readonly BlockCheckpoint[]): number[] {
  const top = safe - 1;
  if (top < 0) return [];
  const due = Math.max(0, top - CHECKPOINT_DEPTH_BLOCKS);
  const least = Math.max(0, top - 4 * CHECKPOINT_DEPTH_BLOCKS);
  const old = known.findLast(({ height }) => height <= due && height >= least);
  return [...new Set([top, old?.height ?? due])];
}
