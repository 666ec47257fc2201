import type { Effects } from '../src/effects.ts';

/** Effects for tests that neither wait nor log: the clock moves one millisecond a look. */
export function quietEffects(more: Partial<Effects> = {}): Effects {
  let nowMs = 1_700_000_000_000;
  return {
    now: () => {
      nowMs += 1;
      return nowMs;
    },
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    log: () => undefined,
    reached: () => undefined,
    ...more,
  };
}
