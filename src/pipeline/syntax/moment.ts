import { Fault } from '../../fault.ts';
import { shown } from './problem.ts';

/** A date, or a date and a time with an optional zone; without a zone it is UTC. */
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?) ?(Z|UTC|[+-]\d{2}:\d{2})?)?$/;

/**
 * Milliseconds since the Unix epoch of a time such as `2026-01-31`, `2026-01-31T12:00` or
 * `2026-01-31 12:00:00 UTC`. A date alone is its first moment. Throws a usage fault that names the
 * option for any other text.
 */
export function parseMoment(text: string, option: string): number {
  const [, date = '', time = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const ms = Date.parse(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`);
  // Date.parse takes the 31st of a shorter month for the 1st of the next.
  const day = new Date(`${date}T00:00Z`);
  if (!Number.isNaN(ms) && day.toISOString().startsWith(date)) return ms;
  throw new Fault('usage', `${option} is not a time (${shown(text)}).`, {
    advice: {
      text:
        'Give a date or a time in UTC, e.g. 2026-01-31 or 2026-01-31T12:00, a version of a raw ' +
        'table, e.g. transactions@12, or the name of a run.',
      command: 'windrow runs',
    },
  });
}
