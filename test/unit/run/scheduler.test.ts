import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/pipeline/schedule.ts';
import { runOnSchedule } from '../../../src/run/scheduler.ts';
import { virtualClock } from '../../fixtures/virtual-clock.ts';

/** Goal: runs begin at the times of the schedule, whatever the clock and the runs do. */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);
const HOURLY: Schedule = {
  cron: '0 * * * *',
  timeZone: 'UTC',
  jitterMs: 0,
  onOverlap: 'skip',
  timeoutMs: undefined,
};

interface Played {
  /** Start of each run. */
  readonly begun: string[];
  readonly notes: string[];
  /** Runs whose open slices were finished early. */
  readonly interrupted: string[];
}

interface RunLength {
  readonly ms: number;
}

/** Plays a schedule under a virtual clock; `shiftMs` is added to the clock that runs see. */
async function play(
  schedule: Partial<Schedule>,
  options: {
    readonly startMs?: number;
    readonly forMs: number;
    /** How long the n-th run takes. */
    readonly run?: (nth: number) => RunLength;
    readonly shiftMs?: (elapsedMs: number) => number;
    readonly seed?: number;
  },
): Promise<Played> {
  const { startMs = START_MS, forMs, run = (): RunLength => ({ ms: 0 }) } = options;
  const clock = virtualClock(options.seed ?? 1, startMs);
  const shift = options.shiftMs ?? (() => 0);
  const now = (): number => clock.now() + shift(clock.now() - startMs);
  const stop = new AbortController();
  const played: Played = { begun: [], notes: [], interrupted: [] };
  const ended = runOnSchedule({
    schedule: { ...HOURLY, ...schedule },
    effects: { ...clock, now },
    softStop: stop.signal,
    hardStop: new AbortController().signal,
    note: (text) => void played.notes.push(text),
    start: async ({ softStop }) => {
      played.begun.push(new Date(now()).toISOString().slice(5, 16));
      await clock.sleep(run(played.begun.length).ms, softStop).catch(() => {
        played.interrupted.push(new Date(now()).toISOString().slice(5, 16));
      });
    },
  });
  await clock.pass(forMs);
  stop.abort();
  await clock.run(ended);
  return played;
}

/** The notes of times without a run of their own. */
const warnings = ({ notes }: Played): string[] =>
  notes.filter((text) => !text.startsWith('The next run begins at '));

describe('a scheduler', () => {
  it('runs at each time, and waits between them', async () => {
    const played = await play({}, { forMs: 3 * HOUR_MS });
    expect(played.begun).toEqual(['01-01T01:00', '01-01T02:00', '01-01T03:00']);
    expect(played.notes[0]).toBe('The next run begins at 2026-01-01 01:00:00 UTC.');
  });

  it('adds jitter up to its bound', async () => {
    const starts = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const { begun } = await play({ jitterMs: 10 * MINUTE_MS }, { forMs: 2 * HOUR_MS, seed });
      expect(begun[0]).toMatch(/^01-01T01:0\d$/);
      for (const start of begun) starts.add(start);
    }
    expect(starts.size).toBeGreaterThan(5);
  });

  it('leaves out the times that come during a run, or queues one run for them', async () => {
    const run = (nth: number) => ({ ms: nth === 1 ? 2.5 * HOUR_MS : 0 });
    const skipping = await play({}, { forMs: 5 * HOUR_MS, run });
    expect(skipping.begun).toEqual(['01-01T01:00', '01-01T04:00', '01-01T05:00']);
    const skipped = (hour: number) =>
      `No run at 2026-01-01 0${hour}:00:00 UTC: the last one was still under way.`;
    expect(warnings(skipping)).toEqual([skipped(2), skipped(3)]);
    const queueing = await play({ onOverlap: 'queue' }, { forMs: 5 * HOUR_MS, run });
    expect(queueing.begun).toEqual(['01-01T01:00', '01-01T03:30', '01-01T04:00', '01-01T05:00']);
    const late = 'The run of 2026-01-01 03:00:00 UTC begins late: the last one was under way.';
    expect(warnings(queueing)).toEqual([late]);
  });

  it('interrupts a run at its time limit', async () => {
    const limit = { timeoutMs: 10 * MINUTE_MS };
    const run = () => ({ ms: 2 * HOUR_MS });
    const played = await play(limit, { forMs: 2.5 * HOUR_MS, run });
    expect(played.begun).toEqual(['01-01T01:00', '01-01T02:00']);
    expect(played.interrupted).toEqual(['01-01T01:10', '01-01T02:10']);
    expect(warnings(played)).toHaveLength(2);
    expect(warnings(played)[1]).toBe('The run is interrupted after 10 min (schedule.timeout).');
  });

  it('stops at once while it waits, and lets a run finish its open slices', async () => {
    const waiting = await play({}, { forMs: 90 * MINUTE_MS });
    expect(waiting.begun).toEqual(['01-01T01:00']);
    const running = await play({}, { forMs: 90 * MINUTE_MS, run: () => ({ ms: 5 * HOUR_MS }) });
    expect(running.interrupted).toEqual(['01-01T01:30']);
  });
});

describe('a clock', () => {
  it('that jumps ahead over several times gives one run', async () => {
    const shiftMs = (elapsedMs: number) => (elapsedMs < 90 * MINUTE_MS ? 0 : 3 * HOUR_MS);
    for (const onOverlap of ['skip', 'queue'] as const) {
      const { begun } = await play({ onOverlap }, { forMs: 3 * HOUR_MS, shiftMs });
      expect(begun).toEqual(['01-01T01:00', '01-01T04:30', '01-01T05:00', '01-01T06:00']);
    }
  });

  it('that goes back repeats no run', async () => {
    const shiftMs = (elapsedMs: number) => (elapsedMs < 130 * MINUTE_MS ? 0 : -HOUR_MS);
    // It goes back while the second run is under way.
    const run = () => ({ ms: 20 * MINUTE_MS });
    const { begun } = await play({}, { forMs: 4.5 * HOUR_MS, shiftMs, run });
    expect(begun).toEqual(['01-01T01:00', '01-01T02:00', '01-01T03:00']);
  });

  it('of a zone with daylight saving gives one run a day', async () => {
    const nightly = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const spring = { startMs: Date.UTC(2026, 2, 28), forMs: 72 * HOUR_MS };
    // 2:30 does not exist on 29 March: the clocks go from 2:00 to 3:00, at 1:00 UTC.
    expect((await play(nightly, spring)).begun).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ]);
    const autumn = { startMs: Date.UTC(2026, 9, 24), forMs: 72 * HOUR_MS };
    // 2:30 exists twice on 25 October.
    expect((await play(nightly, autumn)).begun).toEqual([
      '10-24T00:30',
      '10-25T00:30',
      '10-26T01:30',
    ]);
  });
});
