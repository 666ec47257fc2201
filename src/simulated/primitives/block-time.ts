import type { SeedWords } from './random.ts';
import { wordAt } from './random.ts';

/** The times of the primary chain's blocks. */

const GENESIS_TIME_MS = Date.UTC(2024, 0, 1);
const BLOCK_TIME_MS = 12_000;
/** Largest deviation of a block from its schedule, in either direction. */
const LATENESS_MS = 2000;
const STREAM = 12;

/**
 * A block every twelve seconds, up to two early or late, in whole seconds; times always increase.
 */
export function blockTimeMs(words: SeedWords, height: number): number {
  const lateMs = (wordAt(words, STREAM, height) % 5) * 1000 - LATENESS_MS;
  return GENESIS_TIME_MS + (height + 1) * BLOCK_TIME_MS + lateMs;
}

/**
 * The heights whose blocks may have times from `fromMs` to `toMs`, both included: all that do, and
 * at most one more at either end.
 */
export function heightsBetween(fromMs: number, toMs: number): { first: number; last: number } {
  const heightAt = (timeMs: number): number => (timeMs - GENESIS_TIME_MS) / BLOCK_TIME_MS - 1;
  return {
    first: Math.max(0, Math.ceil(heightAt(fromMs - LATENESS_MS))),
    last: Math.floor(heightAt(toMs + LATENESS_MS)),
  };
}
