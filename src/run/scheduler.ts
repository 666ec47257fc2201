import { type Effects, later, pause, untilAny } from '../effects.ts';
import type { Schedule } from '../pipeline/schedule.ts';
import { nextCronMs } from '../pipeline/syntax/cron.ts';
import { durationText, momentText } from '../pipeline/syntax/duration.ts';
import type { Stops } from './interruption.ts';

export interface SchedulerOptions extends Stops {
  readonly schedule: Schedule;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'random'>;
  /** Runs the pipeline once; an error that it throws ends the scheduler. */
  readonly start: (run: Stops) => Promise<void>;
  /** Receives the time that is waited for, and a warning of each that has no run of its own. */
  readonly note: (text: string, level?: 'warn') => void;
}

/** Sleeps are cut, so that a clock that is set to another time is noticed within this time. */
const LOOK_MS = 30_000;

/**
 * Runs a pipeline at the times of its schedule, one run at a time, until `softStop` or until there
 * are no more times. Several times that pass at once, as after a suspended machine, give one run. A
 * time before the last one that gave a run gives none, so a clock that goes back repeats nothing.
 */
export async function runOnSchedule(options: SchedulerOptions): Promise<void> {
  const { schedule, effects, note, softStop } = options;
  let lastMs = effects.now();
  let isQueued = false;
  while (!softStop.aborted) {
    if (isQueued) {
      isQueued = false;
    } else {
      const dueMs = nextCronMs(schedule, lastMs);
      if (dueMs === undefined) return;
      const jitterMs = Math.floor(schedule.jitterMs * effects.random());
      note(`The next run begins at ${momentText(dueMs + jitterMs)}.`);
      if (!(await waited(options, dueMs + jitterMs))) return;
      lastMs = timesBetween(schedule, dueMs, effects.now()).at(-1) ?? dueMs;
    }
    await overseen(options);
    const missed = timesBetween(schedule, lastMs, effects.now());
    const newest = missed.at(-1);
    if (newest === undefined) continue;
    lastMs = newest;
    isQueued = schedule.onOverlap === 'queue';
    for (const dueMs of isQueued ? [newest] : missed) {
      const text = isQueued
        ? `The run of ${momentText(dueMs)} begins late: the last one was under way.`
        : `No run at ${momentText(dueMs)}: the last one was still under way.`;
      note(text, 'warn');
    }
  }
}

/** Sleeps until a time of the clock; false if the scheduler was stopped before. */
async function waited({ effects, softStop }: SchedulerOptions, untilMs: number): Promise<boolean> {
  while (effects.now() < untilMs) {
    await pause(effects, Math.min(LOOK_MS, untilMs - effects.now()), softStop);
    if (softStop.aborted) return false;
  }
  return true;
}

/** The run, interrupted at the time limit of the schedule. */
async function overseen({ schedule, effects, start, note, ...stops }: SchedulerOptions) {
  const { timeoutMs } = schedule;
  const soft = new AbortController();
  const overdue = (): void => {
    const limit = durationText(timeoutMs ?? 0);
    note(`The run is interrupted after ${limit} (schedule.timeout).`, 'warn');
    // The run itself cuts off its open slices after a while.
    soft.abort(new Error('interrupted'));
  };
  const cancel = timeoutMs === undefined ? undefined : later(effects, timeoutMs, overdue);
  await untilAny([stops.softStop, soft.signal], (softStop) =>
    start({ softStop, hardStop: stops.hardStop }),
  ).finally(cancel);
}

/** Times that a schedule is asked for at once, such as those that a suspended machine missed. */
const MAX_TIMES = 1_000;

/** The times after `fromMs` up to `toMs`; of very many, the first. */
function timesBetween(schedule: Schedule, fromMs: number, toMs: number): number[] {
  const times: number[] = [];
  let dueMs = nextCronMs(schedule, fromMs);
  while (dueMs !== undefined && dueMs <= toMs && times.length < MAX_TIMES) {
    times.push(dueMs);
    dueMs = nextCronMs(schedule, dueMs);
  }
  return times;
}
