import type { Effects } from '../../effects.ts';
import { EMPTY_REPLY, type Outcome, type RefusedReply, SILENT_EMPTY } from './envelope.ts';
import type { MustHaveRecords } from './false-empties.ts';

/** A call, with the refusals of its attempts so far. */
export interface RefusableCall extends MustHaveRecords {
  readonly endpoint: { readonly path: string };
  readonly abort: AbortController;
  refusals: Refusals | undefined;
}

interface Refusals {
  readonly sinceMs: number;
  /** Requests that the service had granted before the first refusal. */
  readonly grantsBefore: number;
  count: number;
  /** The refusals before which the service granted another request, sent after the previous one. */
  lone: number;
  lastMs: number;
  retryAfterMs: number;
  /** Whether all of them were empty lists without a page. */
  isSilent: boolean;
}

/** Refusals of the first such call come again for this long: longer than limits per minute. */
const LASTS_MS = 60_000;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;
/** A refusal lasts when the probability that the rate caused all its attempts is below this. */
const BELIEVED = 1e-6;
/** Weight of the past in the share of refused attempts, applied once per granted call. */
const FORGETTING = 0.98;
const EMPTY: Outcome = { outcome: 'reply', reply: EMPTY_REPLY };

/**
 * Tells refusals of one request from throttling, which slower requests end. A refusal is lone where
 * another request was granted since the previous attempt. After enough lone refusals the request
 * fails alone; an empty list without a page then counts as an empty answer, which other answers
 * have to corroborate like every empty answer.
 */
export class LastingRefusals<Call extends RefusableCall> {
  readonly #effects: Pick<Effects, 'now' | 'random' | 'sleep'>;
  #grants = 0;
  #grantedMs = Number.NEGATIVE_INFINITY;
  /** Attempts of granted calls, and the refused ones among them; older ones count less. */
  #attempts = 0;
  #refused = 0;
  /** Codes of refusals that lasted. */
  readonly #lasting = new Set<string>();
  /** The form of empty answers by endpoint path: a page object, or none. */
  readonly #emptyForms = new Map<string, 'page' | 'bare'>();
  #witness: Call | undefined;
  #witnessing: Promise<unknown> | undefined;

  constructor(effects: Pick<Effects, 'now' | 'random' | 'sleep'>) {
    this.#effects = effects;
  }

  /** The meaning of an answer, with the earlier answers to the same request in mind. */
  judge(call: Call, outcome: Outcome, sentMs: number): Outcome {
    const { path } = call.endpoint;
    if (outcome.outcome === 'reply') this.#granted(call, outcome.reply.records.length > 0, sentMs);
    if (outcome.outcome !== 'throttle') return outcome;
    const isSilent = outcome.code === SILENT_EMPTY;
    if (isSilent && this.#emptyForms.get(path) === 'bare') return EMPTY;
    const refusals = this.#count(call, outcome);
    if (!this.#isLasting(refusals, outcome.code)) return outcome;
    this.#lasting.add(outcome.code);
    if (refusals.isSilent && this.#emptyForms.get(path) !== 'page') {
      if (call.onFalseEmpty === undefined) this.#emptyForms.set(path, 'bare');
      return EMPTY;
    }
    const others = this.#grants - refusals.grantsBefore;
    const about = `refused ${refusals.count} times while ${others} other requests were granted`;
    const message = outcome.message === '' ? about : `${about}: ${outcome.message}`;
    return { outcome: 'lasting', code: outcome.code, message };
  }

  /** Whether other requests are granted meanwhile, so that the rate is not the likely cause. */
  isLone({ refusals }: Call, { code }: Pick<RefusedReply, 'code'>): boolean {
    if (refusals === undefined) return false;
    return refusals.lone > 0 || (refusals.count === 1 && this.#lasting.has(code));
  }

  /**
   * Waits before the next attempt, longer after each lone refusal. Where no other request was
   * granted since the last one, `send` repeats the latest request that had records. After a first
   * refusal it does so only if the service named a time to wait.
   */
  async pause(call: Call, send: (witness: Call) => Promise<unknown>): Promise<void> {
    const { abort, refusals } = call;
    if (refusals === undefined) return;
    const delayMs = this.#delayMs(refusals);
    if (delayMs > 0) await this.#effects.sleep(delayMs, abort.signal);
    const witness = this.#witness;
    const isFirst = refusals.count === 1 && refusals.retryAfterMs === 0;
    const isWitnessed = isFirst || this.#grantedMs >= refusals.lastMs;
    if (witness === undefined || isWitnessed) return;
    const answers = { onFalseEmpty: () => undefined, falseEmpties: 0, refusals: undefined };
    this.#witnessing ??= send({ ...witness, abort, ...answers })
      .catch(() => undefined)
      .finally(() => {
        this.#witnessing = undefined;
      });
    await this.#witnessing;
  }

  #delayMs({ lone, retryAfterMs }: Refusals): number {
    if (lone === 0) return 0;
    const jitter = 0.75 + 0.5 * this.#effects.random();
    const delayMs = jitter * FIRST_DELAY_MS * 2 ** (lone - 1);
    return Math.min(LONGEST_DELAY_MS, Math.max(delayMs, retryAfterMs));
  }

  #granted(call: Call, hasRecords: boolean, sentMs: number): void {
    // A false empty answer is a way of throttling, too.
    if (!hasRecords && call.onFalseEmpty !== undefined) return;
    const count = call.refusals?.count ?? 0;
    this.#grants += 1;
    this.#grantedMs = Math.max(this.#grantedMs, sentMs);
    this.#attempts = FORGETTING * this.#attempts + 1 + count;
    this.#refused = FORGETTING * this.#refused + count;
    if (hasRecords) this.#witness = call;
    else this.#emptyForms.set(call.endpoint.path, 'page');
  }

  #count(call: Call, { code, retryAfterMs = 0 }: RefusedReply): Refusals {
    const nowMs = this.#effects.now();
    const refusals = call.refusals ?? {
      sinceMs: nowMs,
      grantsBefore: this.#grants,
      count: 0,
      lone: 0,
      lastMs: Number.POSITIVE_INFINITY,
      retryAfterMs,
      isSilent: true,
    };
    call.refusals = refusals;
    refusals.count += 1;
    if (this.#grantedMs >= refusals.lastMs) refusals.lone += 1;
    refusals.lastMs = nowMs;
    refusals.retryAfterMs = retryAfterMs;
    refusals.isSilent &&= code === SILENT_EMPTY;
    return refusals;
  }

  #isLasting({ lone, sinceMs }: Refusals, code: string): boolean {
    const leastMs = this.#lasting.has(code) ? 0 : LASTS_MS;
    const share = (this.#refused + 1) / (this.#attempts + 1);
    return share ** lone < BELIEVED && this.#effects.now() - sinceMs >= leastMs;
  }
}
