import type { Axis } from '../catalogue/entry.ts';

/**
 * An anchor is a block hash checkpoint in the log: the hash of a block at the time of a commit. A
 * run compares anchors with the chain to detect reorganisations, because records do not contain the
 * hash of the parent block.
 */
export interface Anchor {
  readonly height: number;
  /** Lower-case. */
  readonly hash: string;
}

/** Anchors by axis, in order of height. */
export type AnchorsByAxis = Readonly<Partial<Record<Axis, readonly Anchor[]>>>;

/** Distance between the two anchors, in blocks. Assumes that no reorganisation is as deep. */
export const ANCHOR_DEPTH_BLOCKS = 512;

/**
 * The heights of a run's anchors, highest first: the last final block, and a block at least
 * `ANCHOR_DEPTH_BLOCKS` deeper. The deeper one reuses a known anchor up to four times as deep, so
 * that the next run reads one hash instead of two.
 */
export function anchorHeights(safe: number, known: readonly Anchor[]): number[] {
  const top = safe - 1;
  if (top < 0) return [];
  const due = Math.max(0, top - ANCHOR_DEPTH_BLOCKS);
  const least = Math.max(0, top - 4 * ANCHOR_DEPTH_BLOCKS);
  const old = known.findLast(({ height }) => height <= due && height >= least);
  return [...new Set([top, old?.height ?? due])];
}
