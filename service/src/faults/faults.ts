import type { Effects } from '../../../src/effects.ts';
import { JSON_TYPE, type ServiceResponse } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import type { FaultPlan } from '../settings/fault-schema.ts';
import { appliesToOf } from '../settings/fault-times.ts';
import type { PlanLimit, RateLimit, Rejection } from '../settings/rate-limits-schema.ts';
import { type FullSettings, type KeyHolder, settingsUnder } from '../settings/settings.ts';
import { type Answerer, type EndpointRequest, withFault } from './answers.ts';
import { chainMoves } from './chain.ts';
import { createLimiter, type Limiter } from './rate-limits.ts';

/** The active plan of faults, and the means to replace it. */
export interface FaultControl {
  readonly plan: FaultPlan;
  /** How often each fault of the active plan was applied. */
  readonly struck: readonly number[];
  /** How many requests were rejected by rate limits of the active plan. */
  readonly rejected: number;
  /**
   * Puts another plan in force and resets all counts to 0. Throws a Fault('configuration') for a
   * plan that the source cannot follow, and keeps the old plan.
   */
  replace(plan: FaultPlan): void;
}

export interface Faults extends FaultControl {
  /** The rejection of a request with this key; undefined if the request is granted and counted. */
  rejection(holder: KeyHolder | undefined): ServiceResponse | undefined;
  /** Answers a granted request with `answer`, changed by the faults that apply to it. */
  around(call: Omit<EndpointRequest, 'settings'>, answer: Answerer): Promise<ServiceResponse>;
}

interface InForce {
  readonly plan: FaultPlan;
  readonly settings: FullSettings;
  readonly gates: Gates;
  rejected: number;
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly appliesTo: (path: string) => boolean;
  readonly play: (next: Answerer) => Answerer;
  struck: number;
}

/** The faults of the settings' plan, until another plan is in force. */
export function createFaults(
  settings: FullSettings,
  source: Source,
  effects: Pick<Effects, 'now'>,
): Faults {
  const moves = chainMoves(source);
  const gatesOfHolder = gatesOfKeys(effects.now());
  const begun = (plan: FaultPlan): InForce => {
    moves.follow(plan);
    return {
      plan,
      settings: settingsUnder(settings, plan),
      gates: gatesOfPlan(plan.limits, effects.now()),
      rejected: 0,
      rules: plan.faults.map((rule, place) => ({
        appliesTo: appliesToOf(rule, place, plan.seed),
        play: (next) => withFault(rule, next, source),
        struck: 0,
      })),
    };
  };
  let inForce = begun(settings.faults);

  return {
    get plan() {
      return inForce.plan;
    },
    get struck() {
      return inForce.rules.map(({ struck }) => struck);
    },
    get rejected() {
      return inForce.rejected;
    },
    replace: (plan) => {
      inForce = begun(plan);
    },
    rejection: (holder) => {
      const gates = [...gatesOfHolder(holder), ...inForce.gates(holder)];
      const rejection = rejectionAt(gates, effects.now());
      if (rejection !== undefined) inForce.rejected += 1;
      return rejection;
    },
    around: (call, answer) => {
      moves.requested();
      const struck = inForce.rules.filter((rule) => rule.appliesTo(call.endpoint.path));
      for (const rule of struck) rule.struck += 1;
      const faulty = struck.reduceRight((next, rule) => rule.play(next), answer);
      return faulty({ ...call, settings: inForce.settings });
    },
  };
}

/** A limiter and the form of its rejections. */
interface Gate {
  readonly limiter: Limiter;
  readonly reject: Rejection;
}

/** The gates that limit a key's requests. `holder` is undefined if requests need no key. */
type Gates = (holder: KeyHolder | undefined) => readonly Gate[];

/** The limits of individual keys. Each one counts the requests of its key alone. */
function gatesOfKeys(startMs: number): Gates {
  return byHolder((holder) => (holder?.limit === undefined ? [] : [gate(holder.limit, startMs)]));
}

/** The limits of a plan: for the whole service, or for each key separately. */
function gatesOfPlan(limits: readonly PlanLimit[], startMs: number): Gates {
  const shared = limits
    .filter(({ each }) => each === 'service')
    .map((limit) => gate(limit, startMs));
  const apart = limits.filter(({ each }) => each === 'key');
  const gatesOf = byHolder(() => apart.map((limit) => gate(limit, startMs)));
  return (holder) => [...shared, ...gatesOf(holder)];
}

/**
 * The rejection of a request; undefined if all gates grant it. Every gate counts a granted request.
 * Only the closed gates count a rejected request, as a rejection.
 */
function rejectionAt(gates: readonly Gate[], nowMs: number): ServiceResponse | undefined {
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
    const gates = made.get(holder) ?? make(holder);
    made.set(holder, gates);
    return gates;
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
