import type { DuckDBConnection } from '@duckdb/node-api';
import { Fault } from '../../fault.ts';

export interface TimeLimits {
  /** Milliseconds after which the query is stopped. */
  readonly timeoutMs: number;
  /** Stops the query when it is aborted. */
  readonly stop?: AbortSignal;
}

/** Waits for an answer. Its errors are Faults. */
export type Guard = <T>(ask: () => Promise<T>) => Promise<T>;

/** Interval of interrupts after the time limit: the query may not have begun at the first one. */
const INTERRUPT_AGAIN_MS = 50;

/**
 * Stops the queries of a connection after the time limit. `use` asks through a guard, which throws
 * Fault('query') after the limit, Fault('interrupted') after `stop`, and otherwise the Fault that
 * `faultOf` makes of an error of DuckDB.
 */
export async function withinTime<T>(
  connection: DuckDBConnection,
  { timeoutMs, stop }: TimeLimits,
  faultOf: (error: unknown) => Fault,
  use: (guard: Guard) => Promise<T>,
): Promise<T> {
  let why: Fault | undefined;
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (reason: Fault): void => {
    why ??= reason;
    connection.interrupt();
    clearTimeout(timer);
    timer = setTimeout(interrupt, INTERRUPT_AGAIN_MS, reason);
  };
  const onStop = (): void => interrupt(interrupted());
  timer = setTimeout(() => interrupt(tookTooLong(timeoutMs)), timeoutMs);
  if (stop?.aborted === true) onStop();
  stop?.addEventListener('abort', onStop);
  const guard: Guard = async (ask) => {
    if (why !== undefined) throw why;
    const answer = await ask().catch((error: unknown) => {
      throw why ?? (error instanceof Fault ? error : faultOf(error));
    });
    // An interrupted stream ends like a complete one, without an error.
    if (why !== undefined) throw why;
    return answer;
  };
  try {
    return await use(guard);
  } finally {
    stop?.removeEventListener('abort', onStop);
    clearTimeout(timer);
  }
}

function interrupted(): Fault {
  return new Fault('interrupted', 'Interrupted: an unfinished file was removed.', {
    advice: 'Run the command again.',
  });
}

function tookTooLong(timeoutMs: number): Fault {
  return new Fault('query', `The query took longer than ${timeoutMs / 1000} s and was stopped.`, {
    advice: 'Ask for fewer blocks or addresses, or allow more time with --timeout.',
  });
}
