import { blockTimeMs } from './block-time.ts';
import type { SeedWords } from './random.ts';

/** When the blocks of the zone chain are made. All times are milliseconds since the Unix epoch. */
export interface ZoneClock {
  timeMs(zoneHeight: number): number;
  /** The newest zone height not later than `timeMs`; negative before the birth. */
  heightAt(timeMs: number): number;
  /** The newest zone height not later than this primary block; -1 before the birth. */
  headAt(primaryHeight: number): number;
}

export const ZONE_BLOCK_TIME_MS = 100;

/** The clock of the zone chain that is born with the primary block `zoneStart`. */
export function zoneClock(words: SeedWords, zoneStart: number): ZoneClock {
  const birthMs = blockTimeMs(words, zoneStart);
  const heightAt = (timeMs: number): number => Math.floor((timeMs - birthMs) / ZONE_BLOCK_TIME_MS);
  return {
    timeMs: (zoneHeight) => birthMs + zoneHeight * ZONE_BLOCK_TIME_MS,
    heightAt,
    headAt: (primaryHeight) => Math.max(-1, heightAt(blockTimeMs(words, primaryHeight))),
  };
}
