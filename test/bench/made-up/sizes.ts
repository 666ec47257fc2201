/**
 * Sizes of a made-up lake. All records belong to segments of 10 blocks, so every part of the lake
 * can be computed alone, and a larger lake begins with the blocks of a smaller one.
 */

export const SEGMENT_BLOCKS = 10;
export const SEGMENT_TRANSACTIONS = 50;
export const SEGMENT_TRANSFERS = 100;
export const SEGMENT_INTERNALS = 20;
/** Every 25th transaction is the main leg of a crossing. */
export const CROSSING_TRANSACTIONS = 25;
/** Zone transactions that do not cross. */
export const SEGMENT_ZONE_ACTIONS = 3;

const FULL_SEGMENTS = 100_000;
/** Segments per data file: 500,000 transactions, or 1,000,000 token transfers. */
const CHUNK_SEGMENTS = 10_000;

export const FIRST_BLOCK = 10_000_000;
export const BLOCK_SECONDS = 12;
/** 2025-01-01 00:00:00 UTC: the time of the first block. */
export const START_SECONDS = 1_735_689_600;

export const FIRST_ZONE_BLOCK = 5_000_000;
/** The zone chain begins an hour before the first block and has a block every second. */
export const ZONE_LEAD_SECONDS = 3600;

/** Windows of endpoints whose span is limited. */
const WINDOW_BLOCKS = 10_000;
export const KEYS_PER_REQUEST = 20;

export const FOLLOWED = 200;
export const TOKENS = 300;
/** Numbers of accounts that are neither followed nor ordinary. */
export const RELAYER = 200;
export const BRIDGE = 201;
/** Ordinary accounts have numbers from here on. */
export const FIRST_OUTSIDER = 202;

/** Inclusive heights. */
export interface Heights {
  readonly from: number;
  readonly to: number;
}

export interface Chunk {
  readonly firstSegment: number;
  /** Not included. */
  readonly endSegment: number;
  readonly heights: Heights;
}

export interface Sizes {
  readonly scale: number;
  readonly segments: number;
  readonly outsiders: number;
  readonly chunks: readonly Chunk[];
  readonly heights: Heights;
  /** Heights of the newest blocks whose details were read. */
  readonly detailed: Heights;
  readonly zoneHeights: Heights;
  readonly zoneDetailed: Heights;
  readonly head: number;
  readonly zoneHead: number;
}

/** The sizes of a lake; scale 1 has 5 million transactions and 10 million token transfers. */
export function sizesOf(scale: number): Sizes {
  const segments = Math.max(10, Math.round(FULL_SEGMENTS * scale));
  const chunks: Chunk[] = [];
  for (let firstSegment = 0; firstSegment < segments; firstSegment += CHUNK_SEGMENTS) {
    const endSegment = Math.min(segments, firstSegment + CHUNK_SEGMENTS);
    const heights = {
      from: FIRST_BLOCK + firstSegment * SEGMENT_BLOCKS,
      to: FIRST_BLOCK + endSegment * SEGMENT_BLOCKS - 1,
    };
    chunks.push({ firstSegment, endSegment, heights });
  }
  const last = FIRST_BLOCK + segments * SEGMENT_BLOCKS - 1;
  const zoneSeconds = ZONE_LEAD_SECONDS + segments * SEGMENT_BLOCKS * BLOCK_SECONDS + 600;
  const zoneLast = FIRST_ZONE_BLOCK + zoneSeconds - 1;
  const newest = (to: number, part: number): Heights => {
    return { from: to - Math.max(100, Math.round(part * scale)) + 1, to };
  };
  return {
    scale,
    segments,
    outsiders: Math.max(1000, Math.round(300_000 * scale)),
    chunks,
    heights: { from: FIRST_BLOCK, to: last },
    detailed: newest(last, 20_000),
    zoneHeights: { from: FIRST_ZONE_BLOCK, to: zoneLast },
    zoneDetailed: newest(zoneLast, 200_000),
    head: last + 64,
    zoneHead: zoneLast + 600,
  };
}

/** The parts of the heights in aligned windows. */
export function windowsOf({ from, to }: Heights, windowBlocks = WINDOW_BLOCKS): Heights[] {
  const windows: Heights[] = [];
  for (let start = from - (from % windowBlocks); start <= to; start += windowBlocks) {
    windows.push({ from: Math.max(from, start), to: Math.min(to, start + windowBlocks - 1) });
  }
  return windows;
}
