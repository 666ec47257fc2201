import type { Effects } from '../../src/effects.ts';

/**
 * A clock that may be wrong, and calls `passed` at each half hour of true time, half past the hour
 * included. Sleeps take no real time.
 */
export function monthClock(startMs: number, passed: (half: number) => void) {
  const HALF_MS = 1_800_000;
  let trueMs = startMs - HALF_MS;
  let shiftMs = 0;
  let half = -1;
  const effects: Effects = {
    now: () => trueMs + shiftMs,
    sleep: async (delayMs) => {
      trueMs += delayMs;
      while (startMs + (half + 1) * HALF_MS <= trueMs) {
        half += 1;
        passed(half);
      }
    },
    random: () => 0.5,
    log: () => undefined,
    reached: () => undefined,
  };
  return {
    effects,
    half: () => half,
    set: (errorMs: number) => {
      shiftMs = errorMs;
    },
  };
}
