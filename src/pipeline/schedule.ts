import { z } from 'zod';
import { cronTimes, isTimeZone } from './syntax/cron.ts';
import { durationField } from './syntax/duration.ts';
import { asText, mapping, oneOf, says, soundText } from './syntax/fields.ts';

const cron = asText(
  soundText(
    says('is not a cron expression', 'Write five fields in quotes, as in "0 3 * * *".'),
    (expression) => {
      const message = cronTimes(expression);
      const advice =
        'Write minute, hour, day of the month, month and day of the week, as in "0 3 * * *".';
      return typeof message === 'string' ? { message, advice } : undefined;
    },
  ),
).describe('Cron expression of five fields, in quotes: "0 3 * * *" is every day at 3:00');

const timeZone = z
  .string(says('is not the name of a time zone', 'Write it as in Europe/Berlin, or UTC.'))
  .refine(isTimeZone, says('is not a known time zone', 'Write it as in Europe/Berlin, or UTC.'))
  .describe('Time zone of the cron expression');

/** The `schedule` of a pipeline. */
export const scheduleSchema = mapping({
  cron,
  timeZone: timeZone.default('UTC'),
  jitter: durationField('Each run begins up to this much later, at random').prefault('0s'),
  onOverlap: oneOf(
    ['skip', 'queue'],
    'Whether a time that comes during a run is left out, or is run after it',
  ).default('skip'),
  timeout: durationField(
    'A run that takes longer is interrupted; the next one continues it',
  ).optional(),
}).transform(({ jitter: jitterMs, timeout: timeoutMs, ...rest }) => {
  return { ...rest, jitterMs, timeoutMs };
});

/** The times at which a pipeline runs. */
export type Schedule = Readonly<z.infer<typeof scheduleSchema>>;
