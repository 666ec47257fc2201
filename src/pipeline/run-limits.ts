import type { z } from 'zod';
import { durationField } from './syntax/duration.ts';
import { mapping, oneOf, wholeNumberField } from './syntax/fields.ts';

/** Fewer requests do not pay for the beginning of a run. */
export const LEAST_REQUESTS = 20;
export const MOST_REQUESTS = 1_000_000_000;

/** The `limits` of a pipeline, the bounds of each run. Absent bounds do not apply. */
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
  ).prefault('30s'),
  priority: wholeNumberField(
    1,
    9,
    'Runs with a higher priority get a free data root first',
  ).default(5),
  onLocked: oneOf(
    ['fail', 'wait'],
    'wait: the run waits while another run holds the data root, up to maxWait',
  ).default('fail'),
}).transform(({ for: forMs, maxWait: maxWaitMs, stopWithin: stopWithinMs, ...rest }) => {
  return { ...rest, forMs, maxWaitMs, stopWithinMs };
});

export type RunLimits = Readonly<z.infer<typeof limitsSchema>>;
