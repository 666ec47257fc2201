import { Fault } from '../../fault.ts';
import { says, textField } from './fields.ts';
import { shown } from './problem.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DURATION = /^([0-9]{1,6})([smhd])$/;
/** Below the limit of timers, which is 24.8 days. */
const LONGEST_MS = 20 * 86_400_000;

/**
 * Milliseconds of a duration such as `90s`, `15m`, `2h` or `1d`, up to 20 days by default;
 * undefined for any other text.
 */
export function durationMsIn(text: string, longestMs = LONGEST_MS): number | undefined {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  const durationMs = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return count !== '' && durationMs <= longestMs ? durationMs : undefined;
}

/** Those milliseconds; throws a usage fault that names the option for any other text. */
export function parseDuration(text: string, option: string, longestMs = LONGEST_MS): number {
  const durationMs = durationMsIn(text, longestMs);
  if (durationMs !== undefined) return durationMs;
  throw new Fault('usage', `${option} is not a duration (${shown(text)}).`, {
    advice: `Give a whole number and a unit, up to ${longestMs / 86_400_000} days: 15m, 2h or 1d.`,
  });
}

/** A duration in a file, as text of the form that `parseDuration` takes. */
export function durationWords(meaning: string) {
  const advice = 'Write a whole number and a unit, up to 20 days: 90s, 15m, 2h or 1d.';
  return textField(DURATION, 'is not a duration', advice, meaning).refine(
    (text) => durationMsIn(text) !== undefined,
    says('is longer than 20 days', advice),
  );
}

/** Such a duration in milliseconds. */
export function durationField(meaning: string) {
  return durationWords(meaning).transform((text) => durationMsIn(text) ?? 0);
}

/** A duration in its two largest units, rounded up to seconds: `45 s`, `2 min 5 s`, `1 d 3 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `2026-01-02 03:04:05 UTC`. */
export function momentText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
