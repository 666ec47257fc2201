import type { ServiceResponse } from '../protocol/exchange.ts';
import { JSON_TYPE } from '../protocol/exchange.ts';
import type { PlanLimit, RateLimit, Rejection } from '../settings/rate-limits-schema.ts';
import type { KeyHolder } from '../settings/settings.ts';
import type { Limiter } from './rate-limits.ts';
import { createLimiter } from './rate-limits.ts';

/** A limiter and the form of its rejections. */
export interface Gate {
  readonly limiter: Limiter;
  readonly reject: Rejection;
}

/** The gates that limit a key's requests. `holder` is undefined if requests need no key. */
export type Gates = (holder: KeyHolder | undefined) => readonly Gate[];

/** The limits of individual keys. Each one counts the requests of its key alone. */
export function gatesOfKeys(startMs: number): Gates {
  return byHolder((holder) => (holder?.limit === undefined ? [] : [gate(holder.limit, startMs)]));
}

/** The limits of a plan: for the whole service, or for each key separately. */
export function gatesOfPlan(limits: readonly PlanLimit[], startMs: number): Gates {
  const shared = limits.filter(({ each }) => each === 'service').map((each) => gate(each, startMs));
  const apart = limits.filter(({ each }) => each === 'key');
  const own = byHolder(() => apart.map((each) => gate(each, startMs)));
  return (holder) => [...shared, ...own(holder)];
}

/**
 * The rejection of a request; undefined if all gates grant it. Every gate counts a granted request.
 * Only the closed gates count a rejected request, as a rejection.
 */
export function rejectionAt(gates: readonly Gate[], nowMs: number): ServiceResponse | undefined {
  const waits = gates.map(({ limiter }) => limiter.waitMs(nowMs));
  const closed = gates.filter((_, i) => (waits[i] ?? 0) > 0);
  const [first] = closed;
  if (first === undefined) {
    for (const { limiter } of gates) limiter.granted(nowMs);
    return undefined;
  }
  for (const { limiter } of closed) limiter.rejected(nowMs);
  // This request itself may have started a ban.
  return rejection(first.reject, Math.max(...closed.map(({ limiter }) => limiter.waitMs(nowMs))));
}

function gate(limit: RateLimit, startMs: number): Gate {
  return { limiter: createLimiter(limit, startMs), reject: limit.reject };
}

/** Gates are created once for each key. Only keys of the settings arrive here, so there are few. */
function byHolder(make: Gates): Gates {
  const made = new Map<KeyHolder | undefined, readonly Gate[]>();
  return (holder) => {
    const known = made.get(holder) ?? make(holder);
    made.set(holder, known);
    return known;
  };
}

function rejection(
  { status, code, message, data, retryAfter }: Rejection,
  waitMs: number,
): ServiceResponse {
  const body = JSON.stringify({ code, msg: message, ...(data === 'list' ? { data: [] } : {}) });
  const after = retryAfter ? { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } : {};
  return { status, headers: { 'content-type': JSON_TYPE, ...after }, body };
}
