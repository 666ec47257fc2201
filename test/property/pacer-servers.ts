/** Servers with a hidden rate limit, as pure counters of the requests that reach them. */

interface Verdict {
  readonly granted: boolean;
  readonly retryAfterMs?: number;
}

export interface Server {
  setLimit(perSecond: number): void;
  receive(nowMs: number): Verdict;
}

type MakeServer = (perSecond: number) => Server;

const GRANTED: Verdict = { granted: true };
const REJECTED: Verdict = { granted: false };

/** The state of a server is in `receive`; only its limit can change from outside. */
function server(limit: number, receive: (nowMs: number, perSecond: number) => Verdict): Server {
  let perSecond = limit;
  return {
    setLimit: (next) => {
      perSecond = next;
    },
    receive: (nowMs) => receive(nowMs, perSecond),
  };
}

/** Refills steadily and holds what `capacitySeconds` bring, and at least two. */
function bucket(capacitySeconds: number): MakeServer {
  return (limit) => {
    let tokens = Number.POSITIVE_INFINITY;
    let atMs = 0;
    return server(limit, (nowMs, perSecond) => {
      const capacity = Math.max(2, perSecond * capacitySeconds);
      tokens = Math.min(capacity, tokens + ((nowMs - atMs) * perSecond) / 1000);
      atMs = nowMs;
      if (tokens < 1) return REJECTED;
      tokens -= 1;
      return GRANTED;
    });
  };
}

/** Counts anew at every multiple of `windowMs`. */
function fixedWindow(windowMs: number, saysWhen: boolean): MakeServer {
  return (limit) => {
    let window = -1;
    let count = 0;
    return server(limit, (nowMs, perSecond) => {
      const current = Math.floor(nowMs / windowMs);
      if (current !== window) count = 0;
      window = current;
      if (count + 1 <= (perSecond * windowMs) / 1000) {
        count += 1;
        return GRANTED;
      }
      const restMs = (window + 1) * windowMs - nowMs;
      return saysWhen
        ? { granted: false, retryAfterMs: 1000 * Math.ceil(restMs / 1000) }
        : REJECTED;
    });
  };
}

/** Never more than the limit in any stretch of `windowMs`. */
function slidingLog(windowMs: number): MakeServer {
  return (limit) => {
    let log: number[] = [];
    let head = 0;
    return server(limit, (nowMs, perSecond) => {
      while (head < log.length && (log[head] ?? 0) <= nowMs - windowMs) head += 1;
      if (head > 4096) {
        log = log.slice(head);
        head = 0;
      }
      if (log.length - head + 1 > (perSecond * windowMs) / 1000) return REJECTED;
      log.push(nowMs);
      return GRANTED;
    });
  };
}

/** The count of this window, and the part of the last one that a sliding window still covers. */
function slidingCounter(windowMs: number): MakeServer {
  return (limit) => {
    let window = -1;
    let count = 0;
    let before = 0;
    return server(limit, (nowMs, perSecond) => {
      const current = Math.floor(nowMs / windowMs);
      if (current !== window) {
        before = current === window + 1 ? count : 0;
        count = 0;
        window = current;
      }
      const covered = Math.floor(before * (1 - (nowMs - current * windowMs) / windowMs));
      if (covered + count + 1 > (perSecond * windowMs) / 1000) return REJECTED;
      count += 1;
      return GRANTED;
    });
  };
}

export interface Kind {
  readonly name: string;
  readonly make: MakeServer;
  readonly isPerMinute: boolean;
  /** Gate on what is granted over what would be. */
  readonly minRatio: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

const kind = (name: string, make: MakeServer, minRatio: number, isPerMinute = false): Kind => ({
  name,
  make,
  minRatio,
  isPerMinute,
});

export const KINDS: readonly Kind[] = [
  kind('bucket of a fifth', bucket(0.2), 0.95),
  kind('bucket of a second', bucket(1), 0.95),
  kind('fixed second', fixedWindow(SECOND_MS, false), 0.95),
  kind('fixed second, Retry-After', fixedWindow(SECOND_MS, true), 0.95),
  kind('sliding log', slidingLog(SECOND_MS), 0.9),
  kind('sliding counter', slidingCounter(SECOND_MS), 0.9),
  kind('fixed minute', fixedWindow(MINUTE_MS, false), 0.9, true),
  kind('sliding minute', slidingLog(MINUTE_MS), 0.9, true),
];

/** Gate on the rejections after the warm-up. */
export function maxRejections(rule: Kind, limitPerSecond: number): number {
  return rule.isPerMinute || limitPerSecond <= 2 ? 0.02 : 0.01;
}
