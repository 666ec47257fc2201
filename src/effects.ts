/**
 * The outside world as one argument: time, waiting, chance and the log.
 * Everything that is not pure takes an `Effects`; tests pass their own, so no test sleeps.
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
   * Called at every named step whose crash must be harmless (see `land/disk.ts`). Does nothing in
   * production; fault tests kill the process here.
   */
  reached(step: string): void;
}

export type LogLevel = 'debug' | 'info' | 'warn';
