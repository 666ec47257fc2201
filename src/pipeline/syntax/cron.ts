import { Cron } from 'croner';

/** One field of a cron expression, with the values that it may have. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of values, from `min` on. */
  readonly names: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
export const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');

const FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS },
];

/** The values of the five fields, each sorted and unique. Sunday is 0. */
export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** Whether both kinds of days are restricted: then a day of either kind counts. */
  readonly isEitherDay: boolean;
}

/**
 * The times of a cron expression of five fields, as crontabs write them: numbers, names, lists,
 * ranges and steps. Returns the problem as a clause for any other text.
 */
export function cronTimes(expression: string): CronTimes | string {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) return `has ${texts.length} fields instead of 5`;
  const values: number[][] = [];
  for (const [i, field] of FIELDS.entries()) {
    const text = texts[i] ?? '';
    const numbers = valuesOf(text, field);
    if (numbers === undefined) return `has a wrong ${field.name} (${text})`;
    values.push(numbers);
  }
  const [minutes = [], hours = [], days = [], months = [], daysOfWeek = []] = values;
  const weekdays = [...new Set(daysOfWeek.map((day) => day % 7))].sort((a, b) => a - b);
  const isEitherDay = texts[2] !== '*' && texts[4] !== '*';
  // Some programs take days of both kinds here, others days of either kind.
  if (isEitherDay && [texts[2], texts[4]].some((text) => text?.startsWith('*/'))) {
    return 'has a step of all days beside days of the other kind';
  }
  return { minutes, hours, days, months, weekdays, isEitherDay };
}

function valuesOf(text: string, field: CronField): number[] | undefined {
  const numbers = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [, range = '', step = '1'] = /^([^/]+)(?:\/([0-9]{1,2}))?$/.exec(part) ?? [];
    const bounds = boundsOf(range, field, part.includes('/'));
    const by = Number(step);
    if (bounds === undefined || by === 0) return undefined;
    for (let value = bounds.from; value <= bounds.to; value += by) numbers.add(value);
  }
  return [...numbers].sort((a, b) => a - b);
}

function boundsOf(
  range: string,
  field: CronField,
  hasStep: boolean,
): { readonly from: number; readonly to: number } | undefined {
  const { min, max } = field;
  // Day 7 is Sunday again, so all days are 0 to 6.
  if (range === '*') return { from: min, to: Math.min(max, field.names === WEEKDAYS ? 6 : max) };
  const [first = '', last, ...more] = range.split('-');
  const from = fieldValue(first, field);
  const to = last === undefined ? from : fieldValue(last, field);
  // Crontabs differ on a step after a single value.
  if (from === undefined || to === undefined || more.length > 0 || from > to) return undefined;
  return hasStep && last === undefined ? undefined : { from, to };
}

function fieldValue(text: string, { min, max, names }: CronField): number | undefined {
  const named = names.indexOf(text);
  if (named >= 0) return min + named;
  if (!/^[0-9]{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * The first time of a cron expression after a moment, in milliseconds since the Unix epoch;
 * undefined if there is none. Where clocks go forward, a time in the gap counts once, at its end;
 * where they go back, a time that occurs twice counts once.
 */
export function nextCronMs(
  { cron, timeZone }: { readonly cron: string; readonly timeZone: string },
  afterMs: number,
): number | undefined {
  return new Cron(cron, { timezone: timeZone }).nextRun(new Date(afterMs))?.getTime();
}

/** The longest time between two of the next 5,000 times that follow each other. */
export function longestPauseMs({ cron, timeZone }: Parameters<typeof nextCronMs>[0]): number {
  const start = new Date(Date.UTC(2026, 0, 1));
  const times = new Cron(cron, { timezone: timeZone }).nextRuns(5000, start).map(Number);
  return times.slice(1).reduce((most, time, i) => Math.max(most, time - (times[i] ?? time)), 0);
}
