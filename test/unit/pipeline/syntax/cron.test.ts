import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronTimes, isTimeZone, nextCronMs } from '../../../../src/pipeline/syntax/cron.ts';

const seed = Number(process.env['SEED'] ?? 20_260_101);
process.stdout.write(`cron expressions: seed ${seed}\n`);

describe('a cron expression', () => {
  it.each([
    ['* * * *', 'has 4 fields instead of 5'],
    ['@daily', 'has 1 fields instead of 5'],
    ['60 * * * *', 'has a wrong minute (60)'],
    ['* 24 * * *', 'has a wrong hour (24)'],
    ['* * 0 * *', 'has a wrong day of the month (0)'],
    ['* * * 13 *', 'has a wrong month (13)'],
    ['* * * * 8', 'has a wrong day of the week (8)'],
    ['5-1 * * * *', 'has a wrong minute (5-1)'],
    ['*/0 * * * *', 'has a wrong minute (*/0)'],
    ['5/10 * * * *', 'has a wrong minute (5/10)'],
    ['1,,2 * * * *', 'has a wrong minute (1,,2)'],
    ['* * */2 * 0', 'has a step of all days beside days of the other kind'],
    ['* * L * *', 'has a wrong day of the month (L)'],
    ['* * * * mon#1', 'has a wrong day of the week (mon#1)'],
  ])('%s is refused', (text, problem) => {
    expect(cronTimes(text)).toBe(problem);
  });

  it('takes lists, ranges, steps and names', () => {
    expect(cronTimes('*/20 1,5-6 1-7/3 Jan,DEC sun-tue,7')).toEqual({
      minutes: [0, 20, 40],
      hours: [1, 5, 6],
      days: [1, 4, 7],
      months: [1, 12],
      weekdays: [0, 1, 2],
      isEitherDay: true,
    });
  });

  it('has exactly the times of its fields', () => {
    const value = (min: number, max: number) => fc.integer({ min, max });
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        value(min, max).map(String),
        value(2, 7).map((step) => `*/${step}`),
        fc.tuple(value(min, max), value(min, max)).map(([a, b]) => {
          return `${Math.min(a, b)}-${Math.max(a, b)}`;
        }),
      );
    const expression = fc.tuple(
      field(0, 59),
      field(0, 23),
      field(1, 28),
      field(1, 12),
      field(0, 6),
    );
    const DAY_MS = 86_400_000;
    fc.assert(
      fc.property(expression, value(0, 1_000), (fields, day) => {
        const cron = fields.join(' ');
        const afterMs = Date.UTC(2025, 0, 1) + day * DAY_MS + 1;
        const times = cronTimes(cron);
        fc.pre(times !== 'has a step of all days beside days of the other kind');
        if (typeof times === 'string') throw new Error(times);
        const isDue = (ms: number): boolean => {
          const at = new Date(ms);
          const isDay = times.days.includes(at.getUTCDate());
          const isWeekday = times.weekdays.includes(at.getUTCDay());
          return (
            times.minutes.includes(at.getUTCMinutes()) &&
            times.hours.includes(at.getUTCHours()) &&
            times.months.includes(at.getUTCMonth() + 1) &&
            (times.isEitherDay ? isDay || isWeekday : isDay && isWeekday)
          );
        };
        const nextMs = nextCronMs({ cron, timeZone: 'UTC' }, afterMs);
        let wantedMs = Math.ceil(afterMs / 60_000) * 60_000;
        const lastMs = wantedMs + 40 * DAY_MS;
        while (wantedMs < lastMs && !isDue(wantedMs)) wantedMs += 60_000;
        if (wantedMs < lastMs) expect(nextMs, cron).toBe(wantedMs);
        else expect(nextMs ?? Number.POSITIVE_INFINITY, cron).toBeGreaterThanOrEqual(lastMs);
      }),
      { seed, numRuns: 100 },
    );
  });
});

it('time zones are those of the runtime', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true);
  expect(isTimeZone('Europe/Atlantis')).toBe(false);
});
