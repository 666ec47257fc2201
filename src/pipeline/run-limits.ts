import type { z } from 'zod';
import { durationField, durationMsIn } from './syntax/duration.ts';
import { mapping, oneOf, wholeNumberField } from './syntax/fields.ts';

/** The bounds of each run of a pipeline; absent bounds do not apply. */
export interface RunLimits {
  readonly maxRequests?: number;
  readonly forMs?: number;
  /** The longest wait for a lock, a quota or a throttled service. */
  readonly maxWaitMs?: number;
  /** The longest time from an interruption until slices under way are cut off. */
  readonly stopWithinMs: number;
  /** From 1 to 9. Runs with a higher one get the rate and a free data root first. */
  readonly priority: number;
  /** Whether a run waits for a data root that another run holds; default: fail. */
  readonly onLocked: 'wait' | 'fail';
}

const DEFAULT_PRIORITY = 5;
const DEFAULT_STOP_WITHIN = '30s';

/** Fewer requests do not pay for the beginning of a run. */
export const LEAST_REQUESTS = 20;
export const MOST_REQUESTS = 1_000_000_000;

/** The `limits` of a pipeline. */
export const limitsSchema = mapping({
  maxRequests: wholeNumberField(
    LEAST_REQUESTS,
    MOST_REQUESTS,
    'Most requests of a run, with retries; the next run continues',
  ).optional(),
  for: durationField('Longest time of a run; the next run continues').optional(),
  maxWait: durationField(
    'Longest wait for a lock, a quota or a throttled service before the run gives up',
  ).optional(),
  stopWithin: durationField(
    'Longest time for open slices after an interruption; then they are cut off',
  ).default(DEFAULT_STOP_WITHIN),
  priority: wholeNumberField(
    1,
    9,
    'Runs with a higher priority get a free data root first',
  ).default(DEFAULT_PRIORITY),
  onLocked: oneOf(
    ['fail', 'wait'],
    'wait: the run waits while another run holds the data root, up to maxWait',
  ).default('fail'),
});

export function toLimits(source: z.infer<typeof limitsSchema>): RunLimits {
  const { maxRequests, for: time = '', maxWait = '', stopWithin, priority, onLocked } = source;
  const [forMs, maxWaitMs] = [time, maxWait].map((text) => durationMsIn(text));
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(forMs === undefined ? {} : { forMs }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    stopWithinMs: durationMsIn(stopWithin) ?? 0,
    priority,
    onLocked,
  };
}
