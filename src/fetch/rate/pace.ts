import { Probe, type Sent } from './rate-probe.ts';
import { createMeter } from './throughput.ts';

/**
 * How fast to send to a source whose rate limit is hidden. Time and chance come in as arguments.
 *
 * START climbs steeply until the first rejection. A rejection CUTs the ceiling, once for all the
 * requests that were already on their way, and leads to WAIT: one request at a time finds out when
 * the source grants again. RECOVER climbs to just below the ceiling, HOLD stays there, and PROBE
 * tries now and then whether the limit lies higher.
 */
export type PaceState = 'start' | 'wait' | 'recover' | 'hold' | 'probe';

export interface PaceOptions {
  readonly startPerSecond: number;
  /** What the user allows; never exceeded. */
  readonly maxPerSecond: number;
  /** Learned in an earlier run: START ends just below it. */
  readonly ceilingPerSecond?: number;
  readonly nowMs: number;
  readonly random: () => number;
}

const START_GROWTH_PER_SECOND = 1.6;
/** START never runs further ahead of what was granted in the last second than this. */
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
/** Where stalls are long, the first trials would be in vain: this share of the last one passes. */
const LONG_STALL_SHARE = 1 / 8;
const LONG_STALL_WAIT_MAX_MS = 4000;
const RECOVER_GROWTH_PER_SECOND = 1.1;
const HOLD_BELOW_CEILING = 0.97;
const HOLD_BELOW_GOOD = 0.98;
const PROBE_AFTER_MS = 12_000;
const PROBE_AFTER_MAX_MS = 60_000;
/** A probe that gained this much met a limit that was raised, and the next follows soon. */
const RAISED = 1.3;
/** Granted requests that make good one rejection a probe has led to: about 2 % of rejections. */
const GRANTS_PER_REJECTION = 45;
const GRANTS_OWED_MAX = 200;
const BLAME_MS = 15_000;
const SUSTAINED_MS = 15_000;
const SUSTAINED_REQUESTS = 20;
const MINUTE_MS = 60_000;
/** Below one request a minute a source counts as down, which is for its caller to notice. */
const LOWEST_PER_SECOND = 1 / 60;

export class Pace {
  readonly #options: PaceOptions;
  readonly #meter = createMeter();
  #state: PaceState = 'start';
  #rate: number;
  #ceiling: number;
  /** Where RECOVER ends. */
  #target = Number.POSITIVE_INFINITY;
  #atMs: number;

  /** Counts rejections acted on: a request sent before the last one tells nothing new. */
  #epoch = 0;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  /** Retry-After: no request leaves before this, whatever the state. */
  #blockedUntilMs = Number.NEGATIVE_INFINITY;

  /** No stall puts the ceiling below this rate: the last rejection would come there, too. */
  #floor = LOWEST_PER_SECOND;
  #waitUntilMs = 0;
  #waitMs = WAIT_MIN_MS;
  #trialIsOut = false;
  #stalledSinceMs = 0;
  #longStallMs = 0;
  /** Granted per second in the minute before the last rejection of the stall. */
  #grantedBefore = 0;
  #cycleSinceMs: number;
  #grantedInCycle = 0;

  #probe: Probe | undefined;
  #probeAtMs = Number.POSITIVE_INFINITY;
  #probeAfterMs = PROBE_AFTER_MS;
  #probeFailedAtMs = Number.NEGATIVE_INFINITY;
  #ceilingBeforeProbe = 0;
  /** Until then a rejection counts as a consequence of the last probe. */
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

  /** Infinity while no rejection was ever met. */
  get ceilingPerSecond(): number {
    return this.#ceiling;
  }

  get ratePerSecond(): number {
    return Math.min(this.#rate, this.#options.maxPerSecond);
  }

  get medianLatencyMs(): number {
    return this.#meter.medianLatencyMs();
  }

  /** Earliest time a request may leave, spacing aside; Infinity while a trial is under way. */
  get openAtMs(): number {
    if (this.#state !== 'wait') return this.#blockedUntilMs;
    if (this.#trialIsOut) return Number.POSITIVE_INFINITY;
    return Math.max(this.#blockedUntilMs, this.#waitUntilMs);
  }

  /** Lets time pass. Called only while requests wait to be sent, so nothing climbs unused. */
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

  sent(nowMs: number): Sent {
    if (this.#state === 'wait') this.#trialIsOut = true;
    return { atMs: nowMs, epoch: this.#epoch, ratePerSecond: this.#rate };
  }

  granted(nowMs: number, sent: Sent, latencyMs: number): void {
    this.#meter.granted(nowMs, latencyMs);
    this.#grantedInCycle += 1;
    this.#grantsOwed = Math.max(0, this.#grantsOwed - 1);
    if (sent.epoch !== this.#epoch) return;
    this.#probe?.granted(sent);
    if (this.#state === 'wait') this.#resume(nowMs);
  }

  rejected(nowMs: number, sent: Sent, retryAfterMs: number | undefined, floor = 0): void {
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

  /** The request came to nothing, which says nothing about the limit. */
  failed(nowMs: number, sent: Sent): void {
    if (sent.epoch === this.#epoch && this.#state === 'wait') this.#waitLonger(nowMs);
  }

  #climb(nowMs: number, seconds: number): void {
    const lead = START_LEAD * this.#meter.goodput(nowMs, 1000);
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
    this.#probe = new Probe(this.#ceiling, maxPerSecond, nowMs);
    this.#rate = this.#probe.ratePerSecond;
  }

  #goOnProbing(probe: Probe, nowMs: number): void {
    if (probe.isOver(nowMs, this.medianLatencyMs)) {
      this.#ceiling = probe.goodPerSecond;
      this.#rate = HOLD_BELOW_GOOD * this.#ceiling;
      this.#hold(nowMs);
    } else this.#rate = probe.ratePerSecond;
  }

  /** Back to what was good, by way of RECOVER, because the source has yet to forget the excess. */
  #endProbeRejected(probe: Probe, sent: Sent, nowMs: number): void {
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
      const goodput = this.#meter.goodput(nowMs, START_GOODPUT_MS);
      return goodput === 0 ? this.#rate : Math.min(this.#rate, GOODPUT_MARGIN * goodput);
    }
    if (nowMs - this.#cutAtMs < QUICK_CUT_MS) return QUICK_CUT * this.#ceiling;
    // Right after a probe, what had held before it is tried again. And a first cut goes no lower
    // than what was granted lately: a limit that really fell shows itself by the next rejection.
    const probeLed = nowMs - this.#probeFailedAtMs < QUICK_CUT_MS;
    const lowered = probeLed ? this.#ceilingBeforeProbe : CUT * this.#ceiling;
    return Math.min(this.#ceiling, Math.max(lowered, this.#sustained(nowMs)));
  }

  /** Granted per second over as long as it takes to be no accident: a minute for long windows. */
  #sustained(nowMs: number): number {
    const neededMs = (1000 * SUSTAINED_REQUESTS) / this.#ceiling;
    const spanMs = this.#longStallMs > 0 ? MINUTE_MS : Math.max(SUSTAINED_MS, neededMs);
    return this.#meter.goodput(nowMs, Math.min(MINUTE_MS, spanMs));
  }

  #stall(nowMs: number, targetShare: number): void {
    this.#epoch += 1;
    this.#state = 'wait';
    this.#rate = AFTER_CUT * this.#ceiling;
    this.#target = targetShare * this.#ceiling;
    this.#probe = undefined;
    this.#trialIsOut = false;
    this.#stalledSinceMs = nowMs;
    this.#grantedBefore = this.#meter.goodput(nowMs, MINUTE_MS);
    const expectedMs = Math.min(LONG_STALL_WAIT_MAX_MS, this.#longStallMs * LONG_STALL_SHARE);
    this.#waitMs = Math.max(WAIT_MIN_MS, expectedMs);
    this.#waitUntilMs = nowMs + PAUSE_MIN_MS + PAUSE_SPREAD_MS * this.#options.random();
  }

  #waitLonger(nowMs: number): void {
    this.#trialIsOut = false;
    this.#grantedBefore = this.#meter.goodput(nowMs, MINUTE_MS);
    this.#waitUntilMs = nowMs + this.#waitMs * (0.75 + 0.5 * this.#options.random());
    this.#waitMs = Math.min(WAIT_MAX_MS, 2 * this.#waitMs);
  }

  #resume(nowMs: number): void {
    this.#trialIsOut = false;
    this.#state = 'recover';
    const stalledMs = nowMs - this.#stalledSinceMs;
    if (stalledMs < LONG_STALL_MS) return;
    // A stall this long ends when a long window of the source begins anew. What was granted since
    // the last such end, or in the minute before, is what the window holds.
    this.#longStallMs = stalledMs;
    const cycle = (1000 * this.#grantedInCycle) / (nowMs - this.#cycleSinceMs);
    const held = Math.max(this.#floor, cycle, this.#grantedBefore);
    this.#ceiling = Math.min(this.#ceiling, held);
    this.#target = HOLD_BELOW_CEILING * this.#ceiling;
    this.#rate = Math.min(this.#rate, AFTER_CUT * this.#ceiling);
    this.#cycleSinceMs = nowMs;
    this.#grantedInCycle = 0;
  }
}
