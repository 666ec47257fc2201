import { availableParallelism, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Effects, LogLevel } from './effects.ts';

/** Signals that ask a process to end. SIGHUP says that its terminal or session has gone. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Timers of Node that are longer end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn'];

/**
 * The real clock, timers and random numbers. `print` gets the lines of the log from `level` up; by
 * default it writes to stderr.
 *
 * For crash tests, `WINDROW_KILL_AT=<n>` makes the process kill itself with SIGKILL at the n-th
 * named step, and `WINDROW_TRACE_STEPS=1` prints the steps.
 */
export function systemEffects(
  level: LogLevel,
  env: NodeJS.ProcessEnv = process.env,
  print: (line: string, level: LogLevel) => void = (line) => void process.stderr.write(`${line}\n`),
): Effects {
  const killAt = Number(env['WINDROW_KILL_AT'] ?? 0);
  const isTraced = env['WINDROW_TRACE_STEPS'] === '1';
  let steps = 0;
  return {
    now: () => Date.now(),
    sleep: async (delayMs, signal) => {
      const ms = Math.min(delayMs, LONGEST_TIMER_MS);
      await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error) => {
        // Callers expect the signal's reason instead of Node's AbortError.
        signal?.throwIfAborted();
        throw error;
      });
    },
    random: () => Math.random(),
    every: (periodMs, work) => {
      const timer = setInterval(work, periodMs).unref();
      return () => clearInterval(timer);
    },
    log: (at, message) => {
      if (LEVELS.indexOf(at) >= LEVELS.indexOf(level)) print(message, at);
    },
    collect: () => {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
    },
    reached: (step) => {
      steps += 1;
      if (isTraced) process.stderr.write(`step ${steps}: ${step}\n`);
      if (steps !== killAt) return;
      process.stderr.write(`killed at step ${steps}: ${step}\n`);
      process.kill(process.pid, 'SIGKILL');
    },
  };
}

/**
 * Makes V8 collect old objects when its heap has doubled; by default, a small heap grows to four
 * times its size. Landing 541,000 rows then takes 552 instead of 722 MB, and 5 % more CPU time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/**
 * Gives DuckDB's allocator (jemalloc) one arena for four cores instead of one per core. Each arena
 * keeps freed memory of its own for a second, so that curating 10 million raw rows on two cores
 * takes a sixth less memory, and less time in the system. DuckDB reads the setting when its library
 * is loaded; later it has no effect. A setting of the user stands.
 */
export function limitArenas(): void {
  process.env['DUCKDB_JE_MALLOC_CONF'] ??= `narenas:${Math.ceil(availableParallelism() / 4)}`;
}

/** Memory of the machine in bytes, or the memory limit of its container. */
export function memoryBytes(): number {
  // 0 means that there is no known limit.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
