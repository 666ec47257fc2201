import type { Effects } from '../src/effects.ts';

/**
 * An `Effects` whose time is counted, not waited for: it jumps to the next sleeper as soon as
 * nothing else can happen. The same seed gives the same run, so no test depends on the machine.
 */
export interface VirtualClock extends Effects {
  /** Everything logged so far, as `level: message`. */
  readonly logged: readonly string[];
  /** Every step reached so far, in order. */
  readonly steps: readonly string[];
  /** Lets time pass until `work` settles; throws when nothing sleeps and it still has not. */
  run<T>(work: Promise<T> | (() => Promise<T>)): Promise<T>;
  /** Lets `durationMs` pass, waking every sleeper due in it. */
  pass(durationMs: number): Promise<void>;
}

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  wake(): void;
  cancelled: boolean;
}

/** Rounds of real work, such as a reply from disk, that `run` waits for before it gives up. */
const PATIENCE_ROUNDS = 1000;

export function virtualClock(seed = 1, startMs = Date.UTC(2025, 0, 1)): VirtualClock {
  const sleepers = sleeperHeap();
  const logged: string[] = [];
  const steps: string[] = [];
  const random = seededRandom(seed);
  let nowMs = startMs;
  let order = 0;

  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const cancel = (): void => {
        sleeper.cancelled = true;
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      order += 1;
      const sleeper = { atMs: nowMs + Math.max(0, delayMs), order, wake, cancelled: false };
      signal?.addEventListener('abort', cancel, { once: true });
      sleepers.push(sleeper);
    });

  /** Wakes the next sleeper due by `untilMs`; false when there is none. */
  const wakeNext = (untilMs: number): boolean => {
    const next = sleepers.popBy(untilMs);
    if (next === undefined) return false;
    nowMs = next.atMs;
    next.wake();
    return true;
  };

  return {
    now: () => nowMs,
    sleep,
    random,
    log: (level, message) => logged.push(`${level}: ${message}`),
    reached: (step) => steps.push(step),
    logged,
    steps,
    run: async (work) => {
      const outcome = observed(typeof work === 'function' ? work() : work);
      let idleRounds = 0;
      for (;;) {
        await everythingElse();
        if (outcome.settled) return outcome.promise;
        idleRounds = wakeNext(Number.POSITIVE_INFINITY) ? 0 : idleRounds + 1;
        if (idleRounds > PATIENCE_ROUNDS) throw new Error('nothing sleeps, and the work waits');
      }
    },
    pass: async (durationMs) => {
      const untilMs = nowMs + durationMs;
      do await everythingElse();
      while (wakeNext(untilMs));
      nowMs = untilMs;
    },
  };
}

/** Resolves once every promise that can settle without time passing has settled. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function observed<T>(promise: Promise<T>): { promise: Promise<T>; settled: boolean } {
  const state = { promise, settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

/** Mulberry32: numbers in [0, 1), the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A binary heap by time, then by order of arrival, so equal times wake in the order asked. */
function sleeperHeap() {
  const heap: Sleeper[] = [];
  const before = (a: Sleeper, b: Sleeper): boolean =>
    a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

  const push = (sleeper: Sleeper): void => {
    let at = heap.push(sleeper) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !before(sleeper, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = sleeper;
  };

  const pop = (): void => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below !== undefined && right !== undefined && before(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !before(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  };

  /** The earliest sleeper due by `untilMs`, taken out; the cancelled are dropped on the way. */
  const popBy = (untilMs: number): Sleeper | undefined => {
    for (;;) {
      const first = heap[0];
      if (first === undefined || (!first.cancelled && first.atMs > untilMs)) return undefined;
      pop();
      if (!first.cancelled) return first;
    }
  };

  return { push, popBy };
}
