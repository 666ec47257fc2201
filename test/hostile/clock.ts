/** A clock that is never waited for: it jumps to the next sleeper when nothing else can happen. */
export interface Clock {
  now(): number;
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Turns of the event loop that pass before time does: replies and promises come first. */
const TURNS = 2;

export function jumpingClock(startMs: number): Clock {
  const sleepers: Sleeper[] = [];
  let nowMs = startMs;
  let order = 0;
  let isTicking = false;

  const tick = (turns: number): void => {
    if (turns > 0) {
      setImmediate(tick, turns - 1);
      return;
    }
    const next = sleepers.shift();
    if (next === undefined) {
      isTicking = false;
      return;
    }
    nowMs = Math.max(nowMs, next.atMs);
    next.wake();
    setImmediate(tick, TURNS);
  };

  const insert = (sleeper: Sleeper): void => {
    let at = sleepers.length;
    while (at > 0) {
      const before = sleepers[at - 1];
      if (before === undefined || before.atMs <= sleeper.atMs) break;
      at -= 1;
    }
    sleepers.splice(at, 0, sleeper);
    if (isTicking) return;
    isTicking = true;
    setImmediate(tick, TURNS);
  };

  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      order += 1;
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { atMs: nowMs + Math.max(0, Math.round(delayMs)), order, wake };
      const onAbort = (): void => {
        const at = sleepers.indexOf(sleeper);
        if (at >= 0) sleepers.splice(at, 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      insert(sleeper);
    });

  return { now: () => nowMs, sleep };
}
