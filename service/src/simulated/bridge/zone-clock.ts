import { blockTimeMs } from '../primitives/block-time.ts';
import type { SeedWords } from '../primitives/random.ts';

/** The times of the zone chain's blocks, in milliseconds since the Unix epoch. */
export interface ZoneClock {
  timeMs(zoneHeight: number): number;
  /** The newest zone height at `timeMs` or earlier; negative before the zone chain begins. */
  heightAt(timeMs: number): number;
  /**
   * The newest zone height that is visible at this height of the primary chain; -1 if there is
   * none. It is one minute back, so that both legs of every visible crossing exist.
   */
  headAt(primaryHeight: number): number;
}

export const ZONE_BLOCK_TIME_MS = 100;
/**
 * A withdrawal is paid at most 41 seconds after its zone leg, and primary blocks are at most 16
 * seconds apart. The delay is longer than both, so no record refers to a later block.
 */
const SETTLING_MS = 60_000;

/** The clock of a zone chain whose first block is visible at the primary block `zoneStart`. */
export function zoneClock(words: SeedWords, zoneStart: number): ZoneClock {
  const birthMs = blockTimeMs(words, zoneStart) - SETTLING_MS;
  const heightAt = (timeMs: number): number => Math.floor((timeMs - birthMs) / ZONE_BLOCK_TIME_MS);
  return {
    timeMs: (zoneHeight) => birthMs + zoneHeight * ZONE_BLOCK_TIME_MS,
    heightAt,
    headAt: (primaryHeight) => {
      return Math.max(-1, heightAt(blockTimeMs(words, primaryHeight) - SETTLING_MS));
    },
  };
}
