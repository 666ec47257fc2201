/**
 * Effects as one argument: the clock, sleep, random numbers and the log. Every function that is not
 * pure takes an `Effects`; tests pass their own, so no test sleeps.
 */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  log(level: LogLevel, message: string): void;
  /**
   * Called at every named step at which a crash must be harmless (see `land/storage/disk.ts`). Does
   * nothing in production; fault tests kill the process here.
   */
  reached(step: string): void;
}

export type LogLevel = 'debug' | 'info' | 'warn';
