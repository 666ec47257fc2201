import { RateProbe, type SentRequest } from './rate-probe.ts';
import { createThroughput } from './throughput.ts';

/**
 * Controls the request rate for a source with an unknown rate limit. Time and randomness are
 * arguments.
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

const START_GROWTH_PER_SECOND = 1.6;
/** In START the rate is at most this multiple of the requests granted in the last second. */
const START_LEAD = 2.5;
const START_GOODPUT_MS = 2000;
const GOODPUT_MARGIN = 1.02;
const CUT = 0.93;
const QUICK_CUT = 0.84;
const QUICK_CUT_MS = 8000;
const AFTER_CUT = 0.75;
const PAUSE_MIN_MS = 150;
const PAUSE_SPREAD_MS = 150;
const WAIT_MIN_MS = 250;
const WAIT_MAX_MS = 60_000;
const LONG_STALL_MS = 3000;
/** After a long stall, the first trial waits for this share of the previous stall's length. */
const LONG_STALL_SHARE = 1 / 8;
const LONG_STALL_WAIT_MAX_MS = 4000;
const RECOVER_GROWTH_PER_SECOND = 1.1;
const HOLD_BELOW_CEILING = 0.97;
const HOLD_BELOW_GOOD = 0.98;
const PROBE_AFTER_MS = 12_000;
const PROBE_AFTER_MAX_MS = 60_000;
/**
 * A probe that raised the ceiling by this factor found a raised limit; the next one follows soon.
 */
const RAISED = 1.3;
/** Granted requests due for each rejection that a probe caused: about 2 % rejections. */
const GRANTS_PER_REJECTION = 45;
const GRANTS_OWED_MAX = 200;
const BLAME_MS = 15_000;
const SUSTAINED_MS = 15_000;
const SUSTAINED_REQUESTS = 20;
const MINUTE_MS = 60_000;
/** At less than one request per minute a source counts as down; the caller handles that. */
const LOWEST_PER_SECOND = 1 / 60;

export class Pace {
  readonly #options: PaceOptions;
  readonly #throughput = createThroughput();
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
  #floor = LOWEST_PER_SECOND;
  #waitUntilMs = 0;
  #waitMs = WAIT_MIN_MS;
  #trialIsOut = false;
  #stalledSinceMs = 0;
  #longStallMs = 0;
  /** Requests granted per second in the minute before the stall's last rejection. */
  #grantedBefore = 0;
  #cycleSinceMs: number;
  #grantedInCycle = 0;

  #probe: RateProbe | undefined;
  #probeAtMs = Number.POSITIVE_INFINITY;
  #probeAfterMs = PROBE_AFTER_MS;
  #probeFailedAtMs = Number.NEGATIVE_INFINITY;
  #ceilingBeforeProbe = 0;
  /** Rejections until this time count as caused by the last probe. */
  #blameUntilMs = Number.NEGATIVE_INFINITY;
  #grantsOwed = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
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

  get ratePerSecond(): number {
    return Math.min(this.#rate, this.#options.maxPerSecond);
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
      this.#rate = Math.min(this.#target, this.#rate * RECOVER_GROWTH_PER_SECOND ** seconds);
      if (this.#rate >= this.#target) this.#hold(nowMs);
    } else if (this.#state === 'hold') this.#probeWhenDue(nowMs);
    else if (this.#probe !== undefined) this.#goOnProbing(this.#probe, nowMs);
  }

  sent(nowMs: number): SentRequest {
    if (this.#state === 'wait') this.#trialIsOut = true;
    return { atMs: nowMs, epoch: this.#epoch, ratePerSecond: this.#rate };
  }

  granted(nowMs: number, sent: SentRequest, latencyMs: number): void {
    this.#throughput.granted(nowMs, latencyMs);
    this.#grantedInCycle += 1;
    this.#grantsOwed = Math.max(0, this.#grantsOwed - 1);
    if (sent.epoch !== this.#epoch) return;
    this.#probe?.granted(sent);
    if (this.#state === 'wait') this.#resume(nowMs);
  }

  rejected(nowMs: number, sent: SentRequest, retryAfterMs: number | undefined, floor = 0): void {
    this.#floor = Math.max(LOWEST_PER_SECOND, floor);
    if (retryAfterMs !== undefined) {
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + retryAfterMs);
    }
    if (nowMs < this.#blameUntilMs) this.#blame(nowMs);
    if (sent.epoch !== this.#epoch) return;
    if (this.#state === 'wait') this.#waitLonger(nowMs);
    else if (this.#probe?.hasSent(sent) === true) this.#endProbeRejected(this.#probe, sent, nowMs);
    else this.#cut(nowMs);
  }

  /** The request failed without an answer, which carries no information about the limit. */
  failed(nowMs: number, sent: SentRequest): void {
    if (sent.epoch === this.#epoch && this.#state === 'wait') this.#waitLonger(nowMs);
  }

  #climb(nowMs: number, seconds: number): void {
    const lead = START_LEAD * this.#throughput.goodput(nowMs, 1000);
    const bound = Math.max(lead, 2 * this.#options.startPerSecond);
    const climbed = Math.min(bound, this.#rate * START_GROWTH_PER_SECOND ** seconds);
    this.#rate = Math.max(this.#rate, Math.min(climbed, this.#options.maxPerSecond));
    if (this.#rate < HOLD_BELOW_CEILING * this.#ceiling) return;
    this.#rate = HOLD_BELOW_CEILING * this.#ceiling;
    this.#hold(nowMs);
  }

  #hold(nowMs: number): void {
    this.#state = 'hold';
    this.#probe = undefined;
    this.#probeAtMs = nowMs + this.#probeAfterMs;
  }

  #probeWhenDue(nowMs: number): void {
    const { maxPerSecond } = this.#options;
    if (nowMs < this.#probeAtMs || this.#grantsOwed > 0 || this.#rate >= maxPerSecond) return;
    this.#state = 'probe';
    this.#probe = new RateProbe(this.#ceiling, maxPerSecond, nowMs);
    this.#rate = this.#probe.ratePerSecond;
  }

  #goOnProbing(probe: RateProbe, nowMs: number): void {
    if (probe.isOver(nowMs, this.medianLatencyMs)) {
      this.#ceiling = probe.goodPerSecond;
      this.#rate = HOLD_BELOW_GOOD * this.#ceiling;
      this.#hold(nowMs);
    } else this.#rate = probe.ratePerSecond;
  }

  /** Returns to the last good rate through RECOVER: the source still counts the excess requests. */
  #endProbeRejected(probe: RateProbe, sent: SentRequest, nowMs: number): void {
    this.#ceiling = probe.goodBelow(sent);
    const isRaised = this.#longStallMs === 0 && this.#ceiling > RAISED * probe.ceilingBefore;
    this.#probeAfterMs = isRaised
      ? PROBE_AFTER_MS
      : Math.min(PROBE_AFTER_MAX_MS, 2 * this.#probeAfterMs);
    this.#probeFailedAtMs = nowMs;
    this.#ceilingBeforeProbe = probe.ceilingBefore;
    this.#grantsOwed = 0;
    this.#blame(nowMs);
    this.#stall(nowMs, HOLD_BELOW_GOOD);
  }

  #blame(nowMs: number): void {
    this.#grantsOwed = Math.min(GRANTS_OWED_MAX, this.#grantsOwed + GRANTS_PER_REJECTION);
    this.#blameUntilMs = nowMs + BLAME_MS + this.#waitMs;
  }

  #cut(nowMs: number): void {
    const lowered = Math.max(this.#floor, this.#lowerCeiling(nowMs));
    this.#ceiling = Math.min(this.#ceiling, lowered);
    this.#cutAtMs = nowMs;
    this.#stall(nowMs, HOLD_BELOW_CEILING);
  }

  #lowerCeiling(nowMs: number): number {
    if (this.#ceiling === Number.POSITIVE_INFINITY) {
      const goodput = this.#throughput.goodput(nowMs, START_GOODPUT_MS);
      return goodput === 0 ? this.#rate : Math.min(this.#rate, GOODPUT_MARGIN * goodput);
    }
    if (nowMs - this.#cutAtMs < QUICK_CUT_MS) return QUICK_CUT * this.#ceiling;
    // Right after a probe the ceiling before it is tried again. A first cut also goes no lower than
    // the recently granted rate: a limit that has really fallen causes another rejection.
    const probeLed = nowMs - this.#probeFailedAtMs < QUICK_CUT_MS;
    const lowered = probeLed ? this.#ceilingBeforeProbe : CUT * this.#ceiling;
    return Math.min(this.#ceiling, Math.max(lowered, this.#sustained(nowMs)));
  }

  /** Requests granted per second, over a span that is long enough to exclude chance. */
  #sustained(nowMs: number): number {
    const neededMs = (1000 * SUSTAINED_REQUESTS) / this.#ceiling;
    const spanMs = this.#longStallMs > 0 ? MINUTE_MS : Math.max(SUSTAINED_MS, neededMs);
    return this.#throughput.goodput(nowMs, Math.min(MINUTE_MS, spanMs));
  }

  #stall(nowMs: number, targetShare: number): void {
    this.#epoch += 1;
    this.#state = 'wait';
    this.#rate = AFTER_CUT * this.#ceiling;
    this.#target = targetShare * this.#ceiling;
    this.#probe = undefined;
    this.#trialIsOut = false;
    this.#stalledSinceMs = nowMs;
    this.#grantedBefore = this.#throughput.goodput(nowMs, MINUTE_MS);
    const expectedMs = Math.min(LONG_STALL_WAIT_MAX_MS, this.#longStallMs * LONG_STALL_SHARE);
    this.#waitMs = Math.max(WAIT_MIN_MS, expectedMs);
    this.#waitUntilMs = nowMs + PAUSE_MIN_MS + PAUSE_SPREAD_MS * this.#options.random();
  }

  #waitLonger(nowMs: number): void {
    this.#trialIsOut = false;
    this.#grantedBefore = this.#throughput.goodput(nowMs, MINUTE_MS);
    this.#waitUntilMs = nowMs + this.#waitMs * (0.75 + 0.5 * this.#options.random());
    this.#waitMs = Math.min(WAIT_MAX_MS, 2 * this.#waitMs);
  }

  #resume(nowMs: number): void {
    this.#trialIsOut = false;
    this.#state = 'recover';
    const stalledMs = nowMs - this.#stalledSinceMs;
    if (stalledMs < LONG_STALL_MS) return;
    // A stall this long ends when a long rate window restarts. The requests granted since the
    // previous restart, or in the minute before, show how many the window allows.
    this.#longStallMs = stalledMs;
    const cycle = (1000 * this.#grantedInCycle) / (nowMs - this.#cycleSinceMs);
    const windowRate = Math.max(this.#floor, cycle, this.#grantedBefore);
    this.#ceiling = Math.min(this.#ceiling, windowRate);
    this.#target = HOLD_BELOW_CEILING * this.#ceiling;
    this.#rate = Math.min(this.#rate, AFTER_CUT * this.#ceiling);
    this.#cycleSinceMs = nowMs;
    this.#grantedInCycle = 0;
  }
}
