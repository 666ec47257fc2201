import type { SeedWords } from './random.ts';
import { wordAt } from './random.ts';

/** When the blocks of the primary chain are made. */

const GENESIS_TIME_MS = Date.UTC(2024, 0, 1);
const BLOCK_TIME_MS = 12_000;
/** No block is earlier or later than this. */
const LATENESS_MS = 2000;
const STREAM = 12;

/** Twelve seconds a block, up to two early or late, in whole seconds: always later than before. */
export function blockTimeMs(words: SeedWords, height: number): number {
  const lateMs = (wordAt(words, STREAM, height) % 5) * 1000 - LATENESS_MS;
  return GENESIS_TIME_MS + (height + 1) * BLOCK_TIME_MS + lateMs;
}

/**
 * The heights whose blocks may be made from `fromMs` to `toMs`, both included: all that are, and
 * at most one more at either end.
 */
export function heightsBetween(fromMs: number, toMs: number): { first: number; last: number } {
  const heightAt = (timeMs: number): number => (timeMs - GENESIS_TIME_MS) / BLOCK_TIME_MS - 1;
  return {
    first: Math.max(0, Math.ceil(heightAt(fromMs - LATENESS_MS))),
    last: Math.floor(heightAt(toMs + LATENESS_MS)),
  };
}
