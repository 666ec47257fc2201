import { type Effects, later, pause, untilAny } from '../effects.ts';
import type { Schedule } from '../pipeline/schedule.ts';
import { nextCronMs } from '../pipeline/syntax/cron.ts';
import type { Stops } from './interruption.ts';

export interface SchedulerOptions extends Stops {
  readonly schedule: Schedule;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'random'>;
  /** Runs the pipeline once; an error that it throws ends the scheduler. */
  readonly start: (run: Stops) => Promise<void>;
  /** Called when a time is waited for, or has no run of its own. */
  readonly watch: (event: SchedulerEvent) => void;
}

export type SchedulerEvent =
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'skipped' | 'queued'; readonly dueMs: number }
  | { readonly kind: 'overdue'; readonly afterMs: number };

/** Sleeps are cut, so that a clock that is set to another time is noticed within this time. */
const LOOK_MS = 30_000;

/**
 * Runs a pipeline at the times of its schedule, one run at a time, until `softStop` or until there
 * are no more times. Several times that pass at once, as after a suspended machine, give one run. A
 * time before the last one that gave a run gives none, so a clock that goes back repeats nothing.
 */
export async function runOnSchedule(options: SchedulerOptions): Promise<void> {
  const { schedule, effects, watch, softStop } = options;
  let lastMs = effects.now();
  let isQueued = false;
  while (!softStop.aborted) {
    if (isQueued) {
      isQueued = false;
    } else {
      const dueMs = nextCronMs(schedule, lastMs);
      if (dueMs === undefined) return;
      const jitterMs = Math.floor(schedule.jitterMs * effects.random());
      watch({ kind: 'waiting', untilMs: dueMs + jitterMs });
      if (!(await waited(options, dueMs + jitterMs))) return;
      lastMs = timesBetween(schedule, dueMs, effects.now()).at(-1) ?? dueMs;
    }
    await overseen(options);
    const missed = timesBetween(schedule, lastMs, effects.now());
    const newest = missed.at(-1);
    if (newest === undefined) continue;
    lastMs = newest;
    isQueued = schedule.onOverlap === 'queue';
    if (isQueued) watch({ kind: 'queued', dueMs: newest });
    else for (const dueMs of missed) watch({ kind: 'skipped', dueMs });
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
async function overseen({ schedule, effects, start, watch, ...stops }: SchedulerOptions) {
  const { timeoutMs } = schedule;
  const soft = new AbortController();
  const overdue = (): void => {
    watch({ kind: 'overdue', afterMs: timeoutMs ?? 0 });
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
