import { z } from 'zod';
import * as tuned from './pace-tuning.ts';
import { probeSchema } from './rate-probe.ts';
import { newThroughput, throughputSchema } from './throughput.ts';

/** Infinity where it is null or absent: JSON writes Infinity as null. */
const orInfinity = z
  .number()
  .nullish()
  .transform((value) => value ?? Number.POSITIVE_INFINITY);

/**
 * START raises the rate steeply until the first rejection. A rejection cuts the ceiling, once for
 * all requests in flight, and leads to WAIT: single requests test when the source grants again.
 * RECOVER raises the rate to just below the ceiling, HOLD keeps it, and PROBE tests whether the
 * limit is higher.
 */
const stateSchema = z.enum(['start', 'wait', 'recover', 'hold', 'probe']);
export type PaceState = z.infer<typeof stateSchema>;

const zero = z.number().default(0);
/** Milliseconds since the Unix epoch, up to the last time of a Date; 0 where nothing happened. */
const time = z.number().max(8.64e15).default(0);

const paceSchema = z.object({
  state: stateSchema.default('start'),
  rate: z.number().positive(),
  /** Infinity until the first rejection. */
  ceiling: orInfinity,
  /** The rate at which RECOVER ends. */
  target: orInfinity,
  /** Scheduled time of the last request, from which the next one is spaced. */
  lastMs: time,
  /** Time until which the rate has grown. */
  grownMs: time,
  /** Last visit of a process. */
  visitedMs: time,

  /** Changes with each rejection that changes the rate; requests sent before are not evidence. */
  epoch: z.number(),
  cutAtMs: time,
  /** End of the Retry-After, before which no request is sent in any state. */
  blockedUntilMs: time,

  /** A stall keeps the ceiling at this rate or above; lower rates would be rejected, too. */
  floor: z.number().default(tuned.LOWEST_PER_SECOND),
  waitUntilMs: time,
  waitMs: z.number().default(tuned.WAIT_MIN_MS),
  /** While a trial is in flight, the time at which it counts as lost. */
  trialUntilMs: time,
  stalledSinceMs: time,
  longStallMs: zero,
  /** Requests granted per second in the minute before the stall's last rejection. */
  grantedBefore: zero,
  cycleSinceMs: time,
  grantedInCycle: zero,

  probe: probeSchema.nullable().default(null),
  probeAtMs: time,
  probeAfterMs: z.number().default(tuned.PROBE_AFTER_MS),
  probeFailedAtMs: time,
  ceilingBeforeProbe: zero,
  /** Rejections until this time count as caused by the last probe. */
  blameUntilMs: time,
  grantsOwed: zero,

  throughput: throughputSchema,
});
/** The rate of a key with everything learned about its limit, which all its processes share. */
export type PaceRecord = z.infer<typeof paceSchema>;

/** Throws if the JSON value is not a pace. */
export const paceIn = (json: unknown): PaceRecord => paceSchema.parse(json);

/** A pace that begins now; START ends just below a ceiling that was learned before. */
export function newPace(
  rate: number,
  ceiling = Number.POSITIVE_INFINITY,
  nowMs: number,
): PaceRecord {
  const times = { grownMs: nowMs, visitedMs: nowMs, cycleSinceMs: nowMs, epoch: nowMs };
  return { ...paceSchema.parse({ rate, ...times, throughput: newThroughput() }), ceiling };
}
