/** The constants of the pace, found over the servers of test/property/pacer-servers.ts. */

export const START_GROWTH_PER_SECOND = 1.6;
/** In START the rate is at most this multiple of the requests granted in the last second. */
export const START_LEAD = 2.5;
export const START_GOODPUT_MS = 2000;
export const GOODPUT_MARGIN = 1.02;
export const CUT = 0.93;
export const QUICK_CUT = 0.84;
export const QUICK_CUT_MS = 8000;
export const AFTER_CUT = 0.75;
export const PAUSE_MIN_MS = 150;
export const PAUSE_SPREAD_MS = 150;
export const WAIT_MIN_MS = 250;
export const WAIT_MAX_MS = 60_000;
export const LONG_STALL_MS = 3000;
/** After a long stall, the first trial waits for this share of the previous stall's length. */
export const LONG_STALL_SHARE = 1 / 8;
export const LONG_STALL_WAIT_MAX_MS = 4000;
export const RECOVER_GROWTH_PER_SECOND = 1.1;
export const HOLD_BELOW_CEILING = 0.97;
export const HOLD_BELOW_GOOD = 0.98;
export const PROBE_AFTER_MS = 12_000;
export const PROBE_AFTER_MAX_MS = 60_000;
/** A probe that raised the ceiling by this factor found a raised limit; the next follows soon. */
export const RAISED = 1.3;
/** Granted requests due for each rejection that a probe caused: about 2 % rejections. */
export const GRANTS_PER_REJECTION = 45;
export const GRANTS_OWED_MAX = 200;
export const BLAME_MS = 15_000;
export const SUSTAINED_MS = 15_000;
export const SUSTAINED_REQUESTS = 20;
export const MINUTE_MS = 60_000;
/** At less than one request per minute a source counts as down; the caller handles that. */
export const LOWEST_PER_SECOND = 1 / 60;
/** A trial without an outcome for this long is repeated: its process may have been killed. */
export const TRIAL_MS = 15_000;
