import { type SeedWords, wordAt } from './random.ts';

/** The times of the primary chain's blocks. */

const GENESIS_TIME_MS = Date.UTC(2024, 0, 1);
const BLOCK_TIME_MS = 12_000;
/** No block is earlier or later than this. */
const LATENESS_MS = 2000;
const STREAM = 12;

/** 12 seconds per block, plus or minus 2, in whole seconds. Times always increase. */
export function blockTimeMs(words: SeedWords, height: number): number {
  const lateMs = (wordAt(words, STREAM, height) % 5) * 1000 - LATENESS_MS;
  return GENESIS_TIME_MS + (height + 1) * BLOCK_TIME_MS + lateMs;
}

/**
 * A range of heights that includes all blocks from `fromMs` to `toMs`, inclusive, and at most one
 * more at either end.
 */
export function heightsBetween(fromMs: number, toMs: number): { first: number; last: number } {
  const heightAt = (timeMs: number): number => (timeMs - GENESIS_TIME_MS) / BLOCK_TIME_MS - 1;
  return {
    first: Math.max(0, Math.ceil(heightAt(fromMs - LATENESS_MS))),
    last: Math.floor(heightAt(toMs + LATENESS_MS)),
  };
}
