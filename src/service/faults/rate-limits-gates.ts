import type { ServiceResponse } from '../protocol/exchange.ts';
import { JSON_TYPE } from '../protocol/exchange.ts';
import type { PlanLimit, RateLimit, Rejection } from '../settings/rate-limits-schema.ts';
import type { KeyHolder } from '../settings/settings.ts';
import type { Limiter } from './rate-limits.ts';
import { createLimiter } from './rate-limits.ts';

/** A limiter, and what its rejections look like. */
export interface Gate {
  readonly limiter: Limiter;
  readonly reject: Rejection;
}

/** The gates that a key's requests go through. `holder` is undefined where requests need no key. */
export type Gates = (holder: KeyHolder | undefined) => readonly Gate[];

/** The limits that keys have of their own, each counting what this key asks and nothing else. */
export function gatesOfKeys(startMs: number): Gates {
  return byHolder((holder) => (holder?.limit === undefined ? [] : [gate(holder.limit, startMs)]));
}

/** The limits of a plan: of the whole service, or of each key by itself. */
export function gatesOfPlan(limits: readonly PlanLimit[], startMs: number): Gates {
  const shared = limits.filter(({ each }) => each === 'service').map((each) => gate(each, startMs));
  const apart = limits.filter(({ each }) => each === 'key');
  const own = byHolder(() => apart.map((each) => gate(each, startMs)));
  return (holder) => [...shared, ...own(holder)];
}

/**
 * The rejection of a request; undefined where all gates grant it. A granted request is counted by
 * every gate; a rejected one only by the closed gates, as a rejection.
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
  // A ban may have begun with this very request.
  return rejection(first.reject, Math.max(...closed.map(({ limiter }) => limiter.waitMs(nowMs))));
}

function gate(limit: RateLimit, startMs: number): Gate {
  return { limiter: createLimiter(limit, startMs), reject: limit.reject };
}

/** Gates are made once for each key. Only keys of the settings come here, so they are few. */
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
