import type { Effects } from '../../../src/effects.ts';
import type { ServiceResponse } from '../protocol/exchange.ts';
import type { FaultPlan } from '../settings/fault-schema.ts';
import { appliesToOf } from '../settings/fault-times.ts';
import type { FullSettings, KeyHolder } from '../settings/settings.ts';
import { settingsUnder } from '../settings/settings.ts';
import type { Answerer, EndpointRequest } from './answers.ts';
import { withFault } from './answers.ts';
import type { MovableSource } from './chain.ts';
import { chainMoves } from './chain.ts';
import type { Gates } from './rate-limits-gates.ts';
import { gatesOfKeys, gatesOfPlan, rejectionAt } from './rate-limits-gates.ts';

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
  around(asked: Omit<EndpointRequest, 'settings'>, answer: Answerer): Promise<ServiceResponse>;
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
  source: MovableSource,
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
    around: (asked, answer) => {
      moves.requested();
      const struck = inForce.rules.filter((rule) => rule.appliesTo(asked.of.path));
      for (const rule of struck) rule.struck += 1;
      const faulty = struck.reduceRight((next, rule) => rule.play(next), answer);
      return faulty({ ...asked, settings: inForce.settings });
    },
  };
}
