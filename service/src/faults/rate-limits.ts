import type { Algorithm, RateLimit } from '../settings/rate-limits-schema.ts';

/**
 * Rate limits as counters over a clock that is passed in. They never wait, and their memory use
 * does not grow with the number of requests. If the clock is set back, a limiter forgets its counts
 * and does not block clients.
 */
export interface Limiter {
  /** Milliseconds until a request may be granted; 0 if it may be granted at this time. */
  waitMs(nowMs: number): number;
  /** Counts a granted request. */
  granted(nowMs: number): void;
  /** Counts a rejected request. */
  rejected(nowMs: number): void;
}

/** The number of requests that the limit grants at a time. */
type RequestsAt = (nowMs: number) => number;
type Counter = Omit<Limiter, 'rejected'>;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** Tolerance for rounding errors in sums of fractions of a request. */
const ROUNDING = 1e-9;

/** A limiter that starts at `startMs`: its changes and its first tokens count from that time. */
export function createLimiter(limit: RateLimit, startMs: number): Limiter {
  const counter = counterOf(limit, requestsOf(limit, startMs), startMs);
  return limit.ban === undefined ? { ...counter, rejected: () => {} } : banning(counter, limit.ban);
}

function requestsOf({ requests, changes = [] }: RateLimit, startMs: number): RequestsAt {
  return (nowMs) => {
    const afterSeconds = (nowMs - startMs) / SECOND_MS;
    return changes.findLast((change) => afterSeconds >= change.afterSeconds)?.requests ?? requests;
  };
}

function counterOf(limit: RateLimit, requestsAt: RequestsAt, startMs: number): Counter {
  switch (limit.rule) {
    case 'token-bucket':
      return tokenBucket(limit, requestsAt, startMs);
    case 'fixed-window':
      return fixedWindow(limit.seconds * SECOND_MS, requestsAt);
    case 'sliding-window': {
      const most = [limit, ...(limit.changes ?? [])].map(({ requests }) => requests);
      return slidingWindow(limit.seconds * SECOND_MS, requestsAt, Math.max(...most));
    }
    case 'per-minute':
      return fixedWindow(MINUTE_MS, requestsAt);
  }
}

/** Refills steadily, holds at most `burst` tokens, and starts full. */
function tokenBucket(
  { seconds, burst }: Algorithm<'token-bucket'>,
  requestsAt: RequestsAt,
  startMs: number,
): Counter {
  const capacityAt = (nowMs: number): number => burst ?? Math.max(1, requestsAt(nowMs));
  const perMs = (nowMs: number): number => requestsAt(nowMs) / (seconds * SECOND_MS);
  let tokens = Number.POSITIVE_INFINITY;
  let atMs = startMs;
  const refilled = (nowMs: number): number =>
    nowMs < atMs
      ? capacityAt(nowMs)
      : Math.min(capacityAt(nowMs), tokens + (nowMs - atMs) * perMs(nowMs));
  return {
    waitMs: (nowMs) => {
      const missing = 1 - refilled(nowMs);
      return missing <= ROUNDING ? 0 : Math.ceil((missing - ROUNDING) / perMs(nowMs));
    },
    granted: (nowMs) => {
      tokens = refilled(nowMs) - 1;
      atMs = nowMs;
    },
  };
}

/** Restarts its count at every multiple of its length. */
function fixedWindow(windowMs: number, requestsAt: RequestsAt): Counter {
  let window = -1;
  let count = 0;
  const counted = (nowMs: number): number => (windowAt(nowMs) === window ? count : 0);
  const windowAt = (nowMs: number): number => Math.floor(nowMs / windowMs);
  return {
    waitMs: (nowMs) =>
      counted(nowMs) < requestsAt(nowMs) ? 0 : Math.ceil((windowAt(nowMs) + 1) * windowMs - nowMs),
    granted: (nowMs) => {
      count = counted(nowMs) + 1;
      window = windowAt(nowMs);
    },
  };
}

/**
 * Bounds the requests in every interval of its length, by the times of the newest `most` requests.
 */
function slidingWindow(windowMs: number, requestsAt: RequestsAt, most: number): Counter {
  const times = newestTimes(most);
  return {
    waitMs: (nowMs) => {
      const allowed = requestsAt(nowMs);
      return Math.ceil(times.restMs(allowed, windowMs, nowMs));
    },
    granted: times.add,
  };
}

/** Applies the counter, and rejects all requests for a while after too many rejections. */
function banning(counter: Counter, ban: NonNullable<RateLimit['ban']>): Limiter {
  const withinMs = ban.withinSeconds * SECOND_MS;
  let rejections = newestTimes(ban.rejections);
  let bannedAtMs = Number.NEGATIVE_INFINITY;
  const banMs = (nowMs: number): number => {
    const passedMs = nowMs - bannedAtMs;
    return passedMs < 0 ? 0 : Math.max(0, ban.seconds * SECOND_MS - passedMs);
  };
  return {
    waitMs: (nowMs) => banMs(nowMs) || counter.waitMs(nowMs),
    granted: counter.granted,
    rejected: (nowMs) => {
      // Rejections during a ban do not extend it, or it would never end.
      if (banMs(nowMs) > 0) return;
      rejections.add(nowMs);
      if (rejections.restMs(ban.rejections, withinMs, nowMs) === 0) return;
      bannedAtMs = nowMs;
      rejections = newestTimes(ban.rejections);
    },
  };
}

/** A ring buffer of the newest `most` times. */
function newestTimes(most: number) {
  const times: number[] = [];
  let next = 0;
  return {
    add: (nowMs: number): void => {
      times[next] = nowMs;
      next = (next + 1) % most;
    },
    /** Milliseconds until the last `count` times lie outside the interval; 0 if they already do. */
    restMs: (count: number, stretchMs: number, nowMs: number): number => {
      const oldest = times[(next - count + most) % most];
      if (oldest === undefined || oldest > nowMs) return 0;
      return Math.max(0, oldest + stretchMs - nowMs);
    },
  };
}
