import { expect, test } from 'vitest';
import { parseMoment } from '../../../../src/pipeline/syntax/moment.ts';

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:05', '2026-01-31T12:00:05.000Z'],
  ['2026-01-31 12:00:05 UTC', '2026-01-31T12:00:05.000Z'],
  ['2026-01-31T12:00:05.123Z', '2026-01-31T12:00:05.123Z'],
  ['2026-01-31T12:00+02:00', '2026-01-31T10:00:00.000Z'],
])('%s is a time', (text, iso) => {
  expect(new Date(parseMoment(text, '--as-of')).toISOString()).toBe(iso);
});

test.each(['', 'x', '2026', '2026-02-30', '2026-13-01', '2026-01-31T25:00', '1700000000', '7d'])(
  '%j is none',
  (text) => {
    expect(() => parseMoment(text, '--as-of')).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `--as-of is not a time (${text}).`,
        advice: expect.stringMatching(
          /^Give a date or a time in UTC, e.g. 2026-01-31 or 2026-01-31T/,
        ),
      }),
    );
  },
);
