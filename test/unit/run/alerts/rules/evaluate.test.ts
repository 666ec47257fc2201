import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  HOUR,
  observed,
  outcomeAt,
  played,
  ruleOf,
  runAt,
} from '../../../../fixtures/alert-rules.ts';

/** Goal: alerts and recoveries are exactly those that the rules define. */

const RECOVERED = ruleOf('recovered');

test('a failure has one alert a day while it lasts, and one recovery', () => {
  const hours = Array.from({ length: 60 }, (_, hour) => hour);
  const history = hours.map((hour) =>
    observed(outcomeAt(hour, hour >= 5 && hour < 40 ? 'failed' : 'complete')),
  );
  const { lines, texts } = played([ruleOf('failed'), RECOVERED], history);
  expect(lines).toEqual(['5: failed', '29: failed', '40: recovered']);
  expect(texts[0]).toBe(`nightly: run ${runAt(5)} failed: The service does not answer.`);
  expect(texts[1]).toContain('This is so since 1970-01-01 05:00:00 UTC.');
  expect(texts[2]).toBe('nightly: recovered from failed after 1 d 11 h.');
});

test('an episode within the interval is counted, and has neither an alert nor a recovery', () => {
  const ends = ['failed', 'complete', 'failed', 'complete', 'failed'] as const;
  const history = [...ends.map((end, hour) => observed(outcomeAt(hour, end)))];
  history.push(observed(outcomeAt(24, 'failed')));
  const { lines, texts } = played([ruleOf('failed'), RECOVERED], history);
  expect(lines).toEqual(['0: failed', '1: recovered', '24: failed']);
  expect(texts[2]).toContain('It is the 2nd time since the last alert of this rule.');
});

test('stale needs no run, and ends with a successful one', () => {
  const rules = [ruleOf('stale', { afterMs: 26 * HOUR }), RECOVERED];
  const { lines, texts } = played(rules, [
    observed(outcomeAt(1, 'complete')),
    { atMs: 27 * HOUR },
    { atMs: 27 * HOUR + 1 },
    { atMs: 28 * HOUR },
    observed(outcomeAt(29, 'partial')),
    observed(outcomeAt(30, 'complete')),
  ]);
  expect(lines.map((line) => line.replace(/\..*:/, '.x:'))).toEqual([
    '27.x: stale',
    '30: recovered',
  ]);
  expect(texts[0]).toBe(
    'nightly: no successful run for 1 d 2 h. The last ended 1970-01-01 01:00:00 UTC.',
  );
});

test('a killed run is a failure; an interrupted one decides nothing', () => {
  const rules = [ruleOf('failed'), ruleOf('partial'), RECOVERED];
  const { lines } = played(rules, [
    observed(outcomeAt(0, 'killed')),
    observed(outcomeAt(1, 'undecided')),
    observed(outcomeAt(2, 'partial')),
    observed(outcomeAt(3, 'failed')),
    observed(outcomeAt(4, 'complete')),
  ]);
  // The failure of hour 3 is within the interval, and leaves the partial episode as it is.
  expect(lines).toEqual(['0: failed', '2: partial', '2: recovered', '4: recovered']);
});

test('checks are told by their names, and a run without checks leaves them open', () => {
  const results = { findings: { gaps: 2, duplicates: 1 } };
  const failed = outcomeAt(1, 'failed');
  const { findings: _, ...without } = failed;
  const { lines, texts } = played(
    [ruleOf('checks'), RECOVERED],
    [
      observed(outcomeAt(0, 'complete', results)),
      observed(without),
      observed(outcomeAt(2, 'complete')),
    ],
  );
  expect(lines).toEqual(['0: checks', '2: recovered']);
  expect(texts[0]).toBe('nightly: checks have findings (gaps 2, duplicates 1).');
});

test('drift names each field once; quarantine counts records until the interval has passed', () => {
  const { lines, texts } = played(
    [ruleOf('drift'), ruleOf('quarantine', { everyMs: 2 * HOUR })],
    [
      observed(outcomeAt(0, 'complete', { drift: ['list a (unknown)'], quarantined: 3 })),
      observed(outcomeAt(1, 'complete', { drift: ['list a (unknown)'], quarantined: 2 })),
      observed(outcomeAt(2, 'complete', { drift: ['list b (missing)'], quarantined: 0 })),
      observed(outcomeAt(24, 'complete', { drift: ['list b (missing)'] })),
    ],
  );
  expect(lines).toEqual(['0: drift', '0: quarantine', '2: quarantine', '24: drift']);
  expect(texts[2]).toContain('2 more records are in quarantine');
  expect(texts[3]).toBe('nightly: the fields of records changed: list b (missing).');
  const one = observed(outcomeAt(0, 'complete', { quarantined: 1 }));
  expect(played([ruleOf('quarantine')], [one]).texts[0]).toContain(': 1 more record is in quar');
});

test('a run is evaluated once, also when the clock was set back before it', () => {
  const failed = observed(outcomeAt(5, 'failed'));
  const earlier = observed(outcomeAt(4, 'failed', { atMs: 4 * HOUR }));
  const rules = [ruleOf('failed', { everyMs: 0 })];
  expect(played(rules, [failed, failed, failed]).lines).toEqual(['5: failed']);
  expect(played(rules, [failed, earlier]).lines).toEqual(['5: failed', '4: failed']);
});

test('at most one alert per rule and interval, one recovery per alert, over random histories', () => {
  const end = fc.constantFrom('complete', 'partial', 'failed', 'killed', 'undecided');
  const step = fc.record({ hours: fc.integer({ min: 1, max: 30 }), end, isRun: fc.boolean() });
  const every = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), every, (steps, hours) => {
      const everyMs = hours * HOUR;
      const rules = (['failed', 'partial', 'stale'] as const).map((on) =>
        ruleOf(on, { everyMs, afterMs: 26 * HOUR }),
      );
      let hour = 0;
      const history = steps.map(({ hours: more, end: ended, isRun }) => {
        hour += more;
        return isRun ? observed(outcomeAt(hour, ended as 'failed')) : { atMs: hour * HOUR };
      });
      const { lines, ids } = played([...rules, RECOVERED], history);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id } of rules) {
        const parts = lines.filter((line) => line.endsWith(`: ${id}`)).map(Number.parseFloat);
        parts.forEach((at, i) => {
          if (i > 0) expect(at - (parts[i - 1] ?? 0)).toBeGreaterThanOrEqual(hours);
        });
      }
      const recovered = lines.filter((line) => line.endsWith('recovered')).length;
      expect(recovered).toBeLessThanOrEqual(lines.length - recovered);
      // The same history gives the same alerts.
      expect(played([...rules, RECOVERED], history).ids).toEqual(ids);
    }),
    { seed: Number(process.env['SEED'] ?? 16) },
  );
});
