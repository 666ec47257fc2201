import { type Effects, pause } from '../effects.ts';
import { Fault, type FaultKind } from '../fault.ts';
import { HeadMemory } from '../fetch/chain/head-memory.ts';
import { KeyDensity } from '../fetch/corroborate/key-density.ts';
import { removeStaging } from '../land/storage/staging.ts';
import { captureThroughout } from './capture/capture.ts';
import { type RunResult, run } from './run.ts';
import type { Job, Session } from './run-job.ts';

/** A connection and a lake, opened for many runs. */
export interface FollowedJob extends Omit<Job, 'watch' | 'intent' | 'session'> {
  close(): Promise<void>;
}

export interface FollowOptions {
  /** Opens the job: at the start, and again after a failure. */
  readonly open: () => Promise<FollowedJob>;
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'random'>;
  /** Time from the start of one run to the start of the next. */
  readonly everyMs: number;
  /** Aborted when no other run may begin; the job has its own signal for runs under way. */
  readonly softStop: AbortSignal;
  readonly watch: FollowWatch;
}

export interface FollowWatch {
  /** After each run. */
  caughtUp(cycle: FollowCycle): Promise<void> | void;
  /** After a failure; the next run begins after `delayMs`. */
  failed(fault: Fault, delayMs: number): void;
}

/** One run of a follower. */
export interface FollowCycle {
  /** Counted from 1. */
  readonly number: number;
  readonly ran: RunResult;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Waits after failures in a row: twice as long each time, up to this. */
const LONGEST_DELAY_MS = 300_000;
const FIRST_DELAY_MS = 1_000;

/**
 * The files of the lake are maintained in every 50th run; each run adds a few per table. The first
 * of these is drawn from the first 50: a follower that is restarted often is maintained as often.
 */
const UPKEEP_EVERY = 50;

/** Faults that another try does not change. */
const FINAL: readonly FaultKind[] = ['usage', 'configuration', 'authentication', 'lake'];

/**
 * Runs a pipeline again and again, so that the lake keeps up with the head: safe heights land once,
 * the blocks above are read again, and curated tables follow. Ends at `softStop` once open slices
 * are finished, and with the fault of a failure that another try does not change. Other failures
 * are followed by a longer and longer wait.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { effects, softStop, watch } = options;
  let number = 0;
  let failures = 0;
  while (!softStop.aborted) {
    try {
      await followUntilFailure(options, async (cycle) => {
        number += 1;
        failures = 0;
        await watch.caughtUp({ ...cycle, number });
      });
    } catch (error) {
      if (!(error instanceof Fault) || FINAL.includes(error.kind)) throw error;
      if (error.kind === 'interrupted' || error.kind === 'limited') return;
      const delayMs = delayAfter(failures, effects.random());
      failures += 1;
      watch.failed(error, delayMs);
      await pause(effects, delayMs, softStop);
    }
  }
}

/** Runs over one connection and one lake, until the stop or a failure. */
async function followUntilFailure(
  { open, effects, everyMs, softStop }: FollowOptions,
  caughtUp: (cycle: Omit<FollowCycle, 'number'>) => Promise<void>,
): Promise<void> {
  const job = await open();
  const memory = { heads: new HeadMemory(), density: new KeyDensity() };
  const upkeepAt = Math.floor(effects.random() * UPKEEP_EVERY);
  const runAll = async (stop: AbortSignal): Promise<void> => {
    for (let nth = 1; !stop.aborted; nth += 1) {
      const startedMs = effects.now();
      const session: Session = { ...memory, isUpkeepDue: nth % UPKEEP_EVERY === upkeepAt };
      // Each run has a name of its own, because records in quarantine are named by it.
      const ran = await run({ ...job, run: `${job.run}x${nth}`, session });
      const endedMs = effects.now();
      await caughtUp({ ran, startedMs, endedMs });
      await pause(effects, everyMs - (effects.now() - startedMs), stop);
    }
  };
  try {
    await captureThroughout(job, softStop, runAll);
  } finally {
    await removeStaging(job.lake.layout, job.lake.run, job.disk).catch(() => undefined);
    await job.close();
  }
}

/** The wait after a number of earlier failures in a row, with jitter of a half. */
function delayAfter(failures: number, random: number): number {
  const whole = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20));
  return Math.round(whole * (0.5 + random / 2));
}
