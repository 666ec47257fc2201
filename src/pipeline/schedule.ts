import { z } from 'zod';
import { cronTimes, isTimeZone } from './syntax/cron.ts';
import { durationMsIn } from './syntax/duration.ts';
import { asText, mapping, oneOf, says } from './syntax/fields.ts';

/** The times at which a pipeline runs. */
export interface Schedule {
  /** A cron expression of five fields. */
  readonly cron: string;
  /** IANA name, as in Europe/Berlin. */
  readonly timeZone: string;
  /** Each run begins up to this much later, at random, so that pipelines do not begin together. */
  readonly jitterMs: number;
  /** A time that comes while the last run is under way is left out, or is run after it. */
  readonly onOverlap: 'skip' | 'queue';
  /** A run that takes longer is interrupted; the next one continues it. */
  readonly timeoutMs: number | undefined;
}

const cron = asText(
  z
    .string(says('is not a cron expression', 'Write five fields in quotes, as in "0 3 * * *".'))
    .superRefine((given, context) => {
      const times = cronTimes(given);
      if (typeof times !== 'string') return;
      const advice =
        'Write minute, hour, day of the month, month and day of the week, as in "0 3 * * *".';
      context.addIssue({ code: 'custom', message: says(times, advice) });
    }),
).describe('Cron expression of five fields, in quotes: "0 3 * * *" is every day at 3:00');

const timeZone = z
  .string(says('is not the name of a time zone', 'Write it as in Europe/Berlin, or UTC.'))
  .refine(isTimeZone, says('is not a known time zone', 'Write it as in Europe/Berlin, or UTC.'))
  .describe('Time zone of the cron expression');

function duration(meaning: string) {
  const message = says('is not a duration', 'Write a whole number and a unit: 90s, 15m, 2h or 1d.');
  return z
    .string(message)
    .refine((text) => durationMsIn(text) !== undefined, message)
    .describe(meaning);
}

/** The `schedule` of a pipeline. */
export const scheduleSchema = mapping({
  cron,
  timeZone: timeZone.default('UTC'),
  jitter: duration('Each run begins up to this much later, at random').default('0s'),
  onOverlap: oneOf(
    ['skip', 'queue'],
    'Whether a time that comes during a run is left out, or is run after it',
  ).default('skip'),
  timeout: duration('A run that takes longer is interrupted; the next one continues it').optional(),
});

export function toSchedule(given: z.infer<typeof scheduleSchema>): Schedule {
  const { jitter, timeout, ...rest } = given;
  return {
    ...rest,
    jitterMs: durationMsIn(jitter) ?? 0,
    timeoutMs: timeout === undefined ? undefined : durationMsIn(timeout),
  };
}
