import { blockTimeMs } from '../primitives/block-time.ts';
import type { SeedWords } from '../primitives/random.ts';

/** When the blocks of the zone chain are made. All times are milliseconds since the Unix epoch. */
export interface ZoneClock {
  timeMs(zoneHeight: number): number;
  /** The newest zone height not later than `timeMs`; negative before the birth. */
  heightAt(timeMs: number): number;
  /**
   * The newest zone height that is known when the primary chain is at this height; -1 where there
   * is none. It lies a minute back, so that whatever crossed has both its legs by then.
   */
  headAt(primaryHeight: number): number;
}

export const ZONE_BLOCK_TIME_MS = 100;
/**
 * A withdrawal is paid at most 41 seconds after its zone leg, and primary blocks are at most 16
 * seconds apart: also between two of them no record names a block that is still to come.
 */
const SETTLING_MS = 60_000;

/** The clock of the zone chain whose first block is known with the primary block `zoneStart`. */
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
