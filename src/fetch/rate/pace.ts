import * as tuned from './pace-tuning.ts';
import { RateProbe, type SentRequest } from './rate-probe.ts';
import { type CommonPace, RateShare } from './rate-share.ts';
import { createThroughput } from './throughput.ts';

/**
 * Controls the request rate for a source with an unknown rate limit. Effects are arguments.
 *
 * START raises the rate steeply until the first rejection. A rejection cuts the ceiling, once for
 * all requests in flight, and leads to WAIT: single requests test when the source grants again.
 * RECOVER raises the rate to just below the ceiling, HOLD keeps it, and PROBE tests whether the
 * limit is higher.
 */
export type PaceState = 'start' | 'wait' | 'recover' | 'hold' | 'probe';

export interface PaceOptions {
  readonly startPerSecond: number;
  /** The user's limit; never exceeded. */
  readonly maxPerSecond: number;
  /** Learned in an earlier run; START ends just below it. */
  readonly ceilingPerSecond?: number;
  readonly nowMs: number;
  readonly random: () => number;
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #throughput = createThroughput();
  readonly #shared: RateShare;
  #state: PaceState = 'start';
  #rate: number;
  #ceiling: number;
  /** The rate at which RECOVER ends. */
  #target = Number.POSITIVE_INFINITY;
  #atMs: number;

  /**
   * Counts rejections that changed the rate; requests sent before the last one are not evidence.
   */
  #epoch = 0;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  /** End of the Retry-After, before which no request is sent in any state. */
  #blockedUntilMs = Number.NEGATIVE_INFINITY;

  /** A stall keeps the ceiling at this rate or above; lower rates would be rejected, too. */
  #floor = tuned.LOWEST_PER_SECOND;
  #waitUntilMs = 0;
  #waitMs = tuned.WAIT_MIN_MS;
  #trialIsOut = false;
  #stalledSinceMs = 0;
  #longStallMs = 0;
  /** Requests granted per second in the minute before the stall's last rejection. */
  #grantedBefore = 0;
  #cycleSinceMs: number;
  #grantedInCycle = 0;

  #probe: RateProbe | undefined;
  #probeAtMs = Number.POSITIVE_INFINITY;
  #probeAfterMs = tuned.PROBE_AFTER_MS;
  #probeFailedAtMs = Number.NEGATIVE_INFINITY;
  #ceilingBeforeProbe = 0;
  /** Rejections until this time count as caused by the last probe. */
  #blameUntilMs = Number.NEGATIVE_INFINITY;
  #grantsOwed = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#shared = new RateShare(options.maxPerSecond);
    this.#ceiling = options.ceilingPerSecond ?? Number.POSITIVE_INFINITY;
    this.#rate = options.startPerSecond;
    this.#atMs = options.nowMs;
    this.#cycleSinceMs = options.nowMs;
  }

  get state(): PaceState {
    return this.#state;
  }

  /** Infinity until the first rejection. */
  get ceilingPerSecond(): number {
    return this.#ceiling;
  }

  /** The rate of this process. */
  get ratePerSecond(): number {
    return this.#shared.ownPerSecond(this.#rate, this.#probe);
  }

  get common(): CommonPace {
    return {
      ratePerSecond: this.#rate,
      ceilingPerSecond: Number.isFinite(this.#ceiling) ? this.#ceiling : null,
      isProbing: this.#probe !== undefined,
      blockedUntilMs: this.#blockedUntilMs,
    };
  }

  /** Takes the share of this process, and what other processes have learned. */
  share(nowMs: number, share: number, isLeader: boolean, others: CommonPace | undefined): void {
    this.#shared.set(share, isLeader, others);
    if (others === undefined) return;
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, others.blockedUntilMs);
    const ceiling = others.ceilingPerSecond ?? Number.POSITIVE_INFINITY;
    const isLearned = ceiling < Number.POSITIVE_INFINITY;
    if (!isLearned && this.#ceiling === ceiling && !isLeader) this.#rate = others.ratePerSecond;
    if (!isLearned || ceiling === this.#ceiling) return;
    const isRaised = ceiling > this.#ceiling;
    this.#ceiling = ceiling;
    this.#target = tuned.HOLD_BELOW_CEILING * ceiling;
    if (this.#state === 'hold') this.#state = 'recover';
    // After a rejection of another process, requests that were sent before are no evidence.
    if (isRaised) return;
    this.#epoch += 1;
    this.#cutAtMs = nowMs;
    this.#probe = undefined;
    this.#trialIsOut = false;
    this.#rate = Math.min(this.#rate, tuned.AFTER_CUT * this.#ceiling);
    if (this.#state !== 'wait') this.#state = 'recover';
  }

  get medianLatencyMs(): number {
    return this.#throughput.medianLatencyMs();
  }

  /** Earliest time to send a request, without spacing; Infinity while a trial is in flight. */
  get openAtMs(): number {
    if (this.#state !== 'wait') return this.#blockedUntilMs;
    if (this.#trialIsOut) return Number.POSITIVE_INFINITY;
    return Math.max(this.#blockedUntilMs, this.#waitUntilMs);
  }

  /** Advances to `nowMs`. Called only while requests wait, so the rate does not rise unused. */
  advance(nowMs: number): void {
    const seconds = Math.min(1, Math.max(0, nowMs - this.#atMs) / 1000);
    this.#atMs = nowMs;
    if (this.#state === 'start') this.#climb(nowMs, seconds);
    else if (this.#state === 'recover') {
      this.#rate = Math.min(this.#target, this.#rate * tuned.RECOVER_GROWTH_PER_SECOND ** seconds);
      if (this.#rate >= this.#target) this.#hold(nowMs);
    } else if (this.#state === 'hold') this.#probeWhenDue(nowMs);
    else if (this.#probe !== undefined) this.#goOnProbing(this.#probe, nowMs);
  }

  sent(nowMs: number): SentRequest {
    if (this.#state === 'wait') this.#trialIsOut = true;
    const weight = this.#shared.weightOf(this.#rate, this.#probe);
    return { atMs: nowMs, epoch: this.#epoch, ratePerSecond: this.#rate, weight };
  }

  granted(nowMs: number, sent: SentRequest, latencyMs: number): void {
    this.#throughput.granted(nowMs, latencyMs, sent.weight);
    this.#grantedInCycle += sent.weight;
    this.#grantsOwed = Math.max(0, this.#grantsOwed - 1);
    if (sent.epoch !== this.#epoch) return;
    this.#probe?.granted(sent);
    if (this.#state === 'wait') this.#resume(nowMs);
  }

  rejected(nowMs: number, sent: SentRequest, retryAfterMs: number | undefined, floor = 0): void {
    this.#floor = Math.max(tuned.LOWEST_PER_SECOND, floor);
    if (retryAfterMs !== undefined) {
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + retryAfterMs);
    }
    if (nowMs < this.#blameUntilMs) this.#blame(nowMs);
    if (sent.epoch !== this.#epoch) return;
    if (this.#state === 'wait') this.#waitLonger(nowMs);
    else if (this.#shared.isOtherProbing) this.#stall(nowMs, tuned.HOLD_BELOW_CEILING);
    else if (this.#probe?.hasSent(sent) === true) this.#endProbeRejected(this.#probe, sent, nowMs);
    else this.#cut(nowMs);
  }

  /** The request failed without an answer, which carries no information about the limit. */
  failed(nowMs: number, sent: SentRequest): void {
    if (sent.epoch === this.#epoch && this.#state === 'wait') this.#waitLonger(nowMs);
  }

  #climb(nowMs: number, seconds: number): void {
    if (this.#shared.isFollower && this.#ceiling === Number.POSITIVE_INFINITY) return;
    const lead = tuned.START_LEAD * this.#throughput.goodput(nowMs, 1000);
    const bound = Math.max(lead, 2 * this.#options.startPerSecond);
    const climbed = Math.min(bound, this.#rate * tuned.START_GROWTH_PER_SECOND ** seconds);
    this.#rate = Math.max(this.#rate, Math.min(climbed, this.#shared.maxPerSecond));
    if (this.#rate < tuned.HOLD_BELOW_CEILING * this.#ceiling) return;
    this.#rate = tuned.HOLD_BELOW_CEILING * this.#ceiling;
    this.#hold(nowMs);
  }

  #hold(nowMs: number): void {
    this.#state = 'hold';
    this.#probe = undefined;
    this.#probeAtMs = nowMs + this.#probeAfterMs;
  }

  #probeWhenDue(nowMs: number): void {
    const { maxPerSecond, isFollower } = this.#shared;
    if (isFollower || nowMs < this.#probeAtMs || this.#grantsOwed > 0 || this.#rate >= maxPerSecond)
      return;
    this.#state = 'probe';
    this.#probe = new RateProbe(this.#ceiling, maxPerSecond, nowMs);
    this.#rate = this.#probe.ratePerSecond;
  }

  #goOnProbing(probe: RateProbe, nowMs: number): void {
    if (probe.isOver(nowMs, this.medianLatencyMs)) {
      this.#ceiling = probe.goodPerSecond;
      this.#rate = tuned.HOLD_BELOW_GOOD * this.#ceiling;
      this.#hold(nowMs);
    } else this.#rate = probe.ratePerSecond;
  }

  /** Returns to the last good rate through RECOVER: the source still counts the excess requests. */
  #endProbeRejected(probe: RateProbe, sent: SentRequest, nowMs: number): void {
    this.#ceiling = probe.goodBelow(sent);
    const isRaised = this.#longStallMs === 0 && this.#ceiling > tuned.RAISED * probe.ceilingBefore;
    this.#probeAfterMs = isRaised
      ? tuned.PROBE_AFTER_MS
      : Math.min(tuned.PROBE_AFTER_MAX_MS, 2 * this.#probeAfterMs);
    this.#probeFailedAtMs = nowMs;
    this.#ceilingBeforeProbe = probe.ceilingBefore;
    this.#grantsOwed = 0;
    this.#blame(nowMs);
    this.#stall(nowMs, tuned.HOLD_BELOW_GOOD);
  }

  #blame(nowMs: number): void {
    this.#grantsOwed = Math.min(
      tuned.GRANTS_OWED_MAX,
      this.#grantsOwed + tuned.GRANTS_PER_REJECTION,
    );
    this.#blameUntilMs = nowMs + tuned.BLAME_MS + this.#waitMs;
  }

  #cut(nowMs: number): void {
    const lowered = Math.max(this.#floor, this.#lowerCeiling(nowMs));
    this.#ceiling = Math.min(this.#ceiling, lowered);
    this.#cutAtMs = nowMs;
    this.#stall(nowMs, tuned.HOLD_BELOW_CEILING);
  }

  #lowerCeiling(nowMs: number): number {
    if (this.#ceiling === Number.POSITIVE_INFINITY) {
      const goodput = this.#throughput.goodput(nowMs, tuned.START_GOODPUT_MS);
      return goodput === 0 ? this.#rate : Math.min(this.#rate, tuned.GOODPUT_MARGIN * goodput);
    }
    if (nowMs - this.#cutAtMs < tuned.QUICK_CUT_MS) return tuned.QUICK_CUT * this.#ceiling;
    // Right after a probe the ceiling before it is tried again. A first cut also goes no lower than
    // the recently granted rate: a limit that has really fallen causes another rejection.
    const probeLed = nowMs - this.#probeFailedAtMs < tuned.QUICK_CUT_MS;
    const lowered = probeLed ? this.#ceilingBeforeProbe : tuned.CUT * this.#ceiling;
    return Math.min(this.#ceiling, Math.max(lowered, this.#sustained(nowMs)));
  }

  /** Requests granted per second, over a span that is long enough to exclude chance. */
  #sustained(nowMs: number): number {
    const neededMs = (1000 * tuned.SUSTAINED_REQUESTS) / this.#ceiling;
    const spanMs = this.#longStallMs > 0 ? tuned.MINUTE_MS : Math.max(tuned.SUSTAINED_MS, neededMs);
    return this.#throughput.goodput(nowMs, Math.min(tuned.MINUTE_MS, spanMs));
  }

  #stall(nowMs: number, targetShare: number): void {
    this.#epoch += 1;
    this.#state = 'wait';
    this.#rate = tuned.AFTER_CUT * this.#ceiling;
    this.#target = targetShare * this.#ceiling;
    this.#probe = undefined;
    this.#trialIsOut = false;
    this.#stalledSinceMs = nowMs;
    this.#grantedBefore = this.#throughput.goodput(nowMs, tuned.MINUTE_MS);
    const expectedMs = Math.min(
      tuned.LONG_STALL_WAIT_MAX_MS,
      this.#longStallMs * tuned.LONG_STALL_SHARE,
    );
    this.#waitMs = Math.max(tuned.WAIT_MIN_MS, expectedMs);
    this.#waitUntilMs = nowMs + tuned.PAUSE_MIN_MS + tuned.PAUSE_SPREAD_MS * this.#options.random();
  }

  #waitLonger(nowMs: number): void {
    this.#trialIsOut = false;
    this.#grantedBefore = this.#throughput.goodput(nowMs, tuned.MINUTE_MS);
    this.#waitUntilMs = nowMs + this.#waitMs * (0.75 + 0.5 * this.#options.random());
    this.#waitMs = Math.min(tuned.WAIT_MAX_MS, 2 * this.#waitMs);
  }

  #resume(nowMs: number): void {
    this.#trialIsOut = false;
    this.#state = 'recover';
    const stalledMs = nowMs - this.#stalledSinceMs;
    if (stalledMs < tuned.LONG_STALL_MS) return;
    // A stall this long ends when a long rate window restarts. The requests granted since the
    // previous restart, or in the minute before, show how many the window allows.
    this.#longStallMs = stalledMs;
    const cycle = (1000 * this.#grantedInCycle) / (nowMs - this.#cycleSinceMs);
    const windowRate = Math.max(this.#floor, cycle, this.#grantedBefore);
    this.#ceiling = Math.min(this.#ceiling, windowRate);
    this.#target = tuned.HOLD_BELOW_CEILING * this.#ceiling;
    this.#rate = Math.min(this.#rate, tuned.AFTER_CUT * this.#ceiling);
    this.#cycleSinceMs = nowMs;
    this.#grantedInCycle = 0;
  }
}
