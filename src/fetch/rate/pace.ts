import type { PaceRecord } from './pace-record.ts';
import * as tuned from './pace-tuning.ts';
import {
  countInStep,
  goodBelow,
  hasProbeSent,
  isProbeOver,
  newProbe,
  type RateProbe,
  type SentRequest,
} from './rate-probe.ts';
import { countGrant, goodput } from './throughput.ts';

/**
 * Controls the request rate for a source with an unknown rate limit. The functions change the pace
 * in place.
 */

/** The settings and the chance of the process that changes the pace. */
export interface PaceOptions {
  readonly startPerSecond: number;
  /** The user's limit, up to which this process raises the rate. */
  readonly maxPerSecond: number;
  readonly random: () => number;
}

interface Rejection {
  readonly retryAfterMs?: number;
  /** Below this rate, the rate is not the cause. */
  readonly floorPerSecond?: number;
  readonly random: () => number;
}

/**
 * Up to this rate no two requests are sent together; above it timers are too coarse to separate
 * them.
 */
const STRICT_PER_SECOND = 500;
const CREDIT_MS = 8;

/** Earliest time to send a request, without spacing; in the far future while a trial is out. */
export function openAtMs(pace: PaceRecord): number {
  if (pace.state !== 'wait') return pace.blockedUntilMs;
  return Math.max(pace.blockedUntilMs, pace.waitUntilMs, pace.trialUntilMs);
}

/**
 * The scheduled time of a request that is sent now. A late timer shortens the next spacing, but
 * never lets two requests leave at once.
 */
export function scheduledMs(lastMs: number, ratePerSecond: number, nowMs: number): number {
  const spacingMs = 1000 / ratePerSecond;
  const isStrict = ratePerSecond <= STRICT_PER_SECOND;
  const creditMs = isStrict ? Math.min(spacingMs / 2, CREDIT_MS) : CREDIT_MS;
  return Math.max(lastMs + spacingMs, nowMs - creditMs);
}

/** Grows to `nowMs`. Called only while requests wait, so the rate does not rise unused. */
export function grow(pace: PaceRecord, nowMs: number, options: PaceOptions): void {
  const seconds = Math.min(1, Math.max(0, nowMs - pace.grownMs) / 1000);
  pace.grownMs = nowMs;
  if (pace.state === 'start') climb(pace, nowMs, seconds, options);
  else if (pace.state === 'recover') {
    pace.rate = Math.min(pace.target, pace.rate * tuned.RECOVER_GROWTH_PER_SECOND ** seconds);
    if (pace.rate >= pace.target) hold(pace, nowMs);
  } else if (pace.state === 'hold') probeWhenDue(pace, nowMs, options);
  else if (pace.probe !== null) goOnProbing(pace, pace.probe, nowMs, options);
}

/** Takes the next place for a request, to be sent at `atMs`. */
export function take(pace: PaceRecord, atMs: number): SentRequest {
  if (pace.state === 'wait') pace.trialUntilMs = atMs + tuned.TRIAL_MS;
  pace.lastMs = scheduledMs(pace.lastMs, pace.rate, atMs);
  return { atMs, epoch: pace.epoch, ratePerSecond: pace.rate };
}

export function granted(
  pace: PaceRecord,
  nowMs: number,
  sent: SentRequest,
  latencyMs: number,
): void {
  countGrant(pace.throughput, nowMs, latencyMs);
  pace.grantedInCycle += 1;
  pace.grantsOwed = Math.max(0, pace.grantsOwed - 1);
  if (sent.epoch !== pace.epoch) return;
  if (pace.probe !== null) countInStep(pace.probe, sent);
  if (pace.state === 'wait') resume(pace, nowMs);
}

export function rejected(
  pace: PaceRecord,
  nowMs: number,
  sent: SentRequest,
  { retryAfterMs, floorPerSecond = 0, random }: Rejection,
): void {
  pace.floor = Math.max(tuned.LOWEST_PER_SECOND, floorPerSecond);
  if (retryAfterMs !== undefined) {
    pace.blockedUntilMs = Math.max(pace.blockedUntilMs, nowMs + retryAfterMs);
  }
  if (nowMs < pace.blameUntilMs) blame(pace, nowMs);
  if (sent.epoch !== pace.epoch) return;
  if (pace.state === 'wait') waitLonger(pace, nowMs, random);
  else if (pace.probe !== null && hasProbeSent(pace.probe, sent)) {
    endProbeRejected(pace, pace.probe, sent, nowMs, random);
  } else cut(pace, nowMs, random);
}

/** The request failed without an answer, which carries no information about the limit. */
export function failed(
  pace: PaceRecord,
  nowMs: number,
  sent: SentRequest,
  random: () => number,
): void {
  if (sent.epoch === pace.epoch && pace.state === 'wait') waitLonger(pace, nowMs, random);
}

function climb(
  pace: PaceRecord,
  nowMs: number,
  seconds: number,
  { startPerSecond, maxPerSecond }: PaceOptions,
): void {
  const lead = tuned.START_LEAD * goodput(pace.throughput, nowMs, 1000);
  const bound = Math.max(lead, 2 * startPerSecond);
  const climbed = Math.min(bound, pace.rate * tuned.START_GROWTH_PER_SECOND ** seconds);
  pace.rate = Math.max(pace.rate, Math.min(climbed, maxPerSecond));
  if (pace.rate < tuned.HOLD_BELOW_CEILING * pace.ceiling) return;
  pace.rate = tuned.HOLD_BELOW_CEILING * pace.ceiling;
  hold(pace, nowMs);
}

function hold(pace: PaceRecord, nowMs: number): void {
  pace.state = 'hold';
  pace.probe = null;
  pace.probeAtMs = nowMs + pace.probeAfterMs;
}

function probeWhenDue(pace: PaceRecord, nowMs: number, { maxPerSecond }: PaceOptions): void {
  if (nowMs < pace.probeAtMs || pace.grantsOwed > 0 || pace.rate >= maxPerSecond) return;
  pace.state = 'probe';
  pace.probe = newProbe(pace.ceiling, maxPerSecond, nowMs);
  pace.rate = pace.probe.ratePerSecond;
}

function goOnProbing(
  pace: PaceRecord,
  probe: RateProbe,
  nowMs: number,
  { maxPerSecond }: PaceOptions,
): void {
  if (isProbeOver(probe, nowMs, pace.throughput.medianLatencyMs, maxPerSecond)) {
    pace.ceiling = probe.good;
    pace.rate = tuned.HOLD_BELOW_GOOD * pace.ceiling;
    hold(pace, nowMs);
  } else pace.rate = probe.ratePerSecond;
}

/** Returns to the last good rate through RECOVER: the source still counts the excess requests. */
function endProbeRejected(
  pace: PaceRecord,
  probe: RateProbe,
  sent: SentRequest,
  nowMs: number,
  random: () => number,
): void {
  pace.ceiling = goodBelow(probe, sent);
  const isRaised = pace.longStallMs === 0 && pace.ceiling > tuned.RAISED * probe.ceilingBefore;
  pace.probeAfterMs = isRaised
    ? tuned.PROBE_AFTER_MS
    : Math.min(tuned.PROBE_AFTER_MAX_MS, 2 * pace.probeAfterMs);
  pace.probeFailedAtMs = nowMs;
  pace.ceilingBeforeProbe = probe.ceilingBefore;
  pace.grantsOwed = 0;
  blame(pace, nowMs);
  stall(pace, nowMs, tuned.HOLD_BELOW_GOOD, random);
}

function blame(pace: PaceRecord, nowMs: number): void {
  pace.grantsOwed = Math.min(tuned.GRANTS_OWED_MAX, pace.grantsOwed + tuned.GRANTS_PER_REJECTION);
  pace.blameUntilMs = nowMs + tuned.BLAME_MS + pace.waitMs;
}

function cut(pace: PaceRecord, nowMs: number, random: () => number): void {
  const lowered = Math.max(pace.floor, lowerCeiling(pace, nowMs));
  pace.ceiling = Math.min(pace.ceiling, lowered);
  pace.cutAtMs = nowMs;
  stall(pace, nowMs, tuned.HOLD_BELOW_CEILING, random);
}

function lowerCeiling(pace: PaceRecord, nowMs: number): number {
  if (pace.ceiling === Number.POSITIVE_INFINITY) {
    const lately = goodput(pace.throughput, nowMs, tuned.START_GOODPUT_MS);
    return lately === 0 ? pace.rate : Math.min(pace.rate, tuned.GOODPUT_MARGIN * lately);
  }
  if (nowMs - pace.cutAtMs < tuned.QUICK_CUT_MS) return tuned.QUICK_CUT * pace.ceiling;
  // Right after a probe the ceiling before it is tried again. A first cut also goes no lower than
  // the recently granted rate: a limit that has really fallen causes another rejection.
  const probeLed = nowMs - pace.probeFailedAtMs < tuned.QUICK_CUT_MS;
  const lowered = probeLed ? pace.ceilingBeforeProbe : tuned.CUT * pace.ceiling;
  return Math.min(pace.ceiling, Math.max(lowered, sustained(pace, nowMs)));
}

/** Requests granted per second, over a span that is long enough to exclude chance. */
function sustained(pace: PaceRecord, nowMs: number): number {
  const neededMs = (1000 * tuned.SUSTAINED_REQUESTS) / pace.ceiling;
  const spanMs = pace.longStallMs > 0 ? tuned.MINUTE_MS : Math.max(tuned.SUSTAINED_MS, neededMs);
  return goodput(pace.throughput, nowMs, Math.min(tuned.MINUTE_MS, spanMs));
}

function stall(pace: PaceRecord, nowMs: number, targetShare: number, random: () => number): void {
  pace.epoch += 1;
  pace.state = 'wait';
  pace.rate = tuned.AFTER_CUT * pace.ceiling;
  pace.target = targetShare * pace.ceiling;
  pace.probe = null;
  pace.trialUntilMs = 0;
  pace.stalledSinceMs = nowMs;
  pace.grantedBefore = goodput(pace.throughput, nowMs, tuned.MINUTE_MS);
  const expectedMs = Math.min(
    tuned.LONG_STALL_WAIT_MAX_MS,
    pace.longStallMs * tuned.LONG_STALL_SHARE,
  );
  pace.waitMs = Math.max(tuned.WAIT_MIN_MS, expectedMs);
  pace.waitUntilMs = nowMs + tuned.PAUSE_MIN_MS + tuned.PAUSE_SPREAD_MS * random();
}

function waitLonger(pace: PaceRecord, nowMs: number, random: () => number): void {
  pace.trialUntilMs = 0;
  pace.grantedBefore = goodput(pace.throughput, nowMs, tuned.MINUTE_MS);
  pace.waitUntilMs = nowMs + pace.waitMs * (0.75 + 0.5 * random());
  pace.waitMs = Math.min(tuned.WAIT_MAX_MS, 2 * pace.waitMs);
}

function resume(pace: PaceRecord, nowMs: number): void {
  pace.trialUntilMs = 0;
  pace.state = 'recover';
  const stalledMs = nowMs - pace.stalledSinceMs;
  if (stalledMs < tuned.LONG_STALL_MS) return;
  // A stall this long ends when a long rate window restarts. The requests granted since the
  // previous restart, or in the minute before, show how many the window allows.
  pace.longStallMs = stalledMs;
  const cycle = (1000 * pace.grantedInCycle) / (nowMs - pace.cycleSinceMs);
  const windowRate = Math.max(pace.floor, cycle, pace.grantedBefore);
  pace.ceiling = Math.min(pace.ceiling, windowRate);
  pace.target = tuned.HOLD_BELOW_CEILING * pace.ceiling;
  pace.rate = Math.min(pace.rate, tuned.AFTER_CUT * pace.ceiling);
  pace.cycleSinceMs = nowMs;
  pace.grantedInCycle = 0;
}
