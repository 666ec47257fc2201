import { z } from 'zod';

/** The state when a request was sent, needed to judge its outcome. */
export interface SentRequest {
  readonly atMs: number;
  readonly epoch: number;
  readonly ratePerSecond: number;
}

const STEP = 0.02;
const STEP_GROWTH = 1.5;
const STEP_MAX = 0.25;
const STEP_MS = 4000;
/** A step above the limit lasts until it has emptied a bucket of this time: the next is refused. */
const HIDDEN_MS = 250;
/** At low rates a step takes longer, because a few requests are no evidence. */
const STEP_REQUESTS = 5;
/** A step proves nothing if fewer than this share of its requests were granted. */
const USED = 0.8;

export const probeSchema = z.object({
  ceilingBefore: z.number(),
  sinceMs: z.number(),
  /** Highest rate that was granted for a whole step, or the initial ceiling. */
  good: z.number(),
  goodBefore: z.number(),
  step: z.number(),
  ratePerSecond: z.number().positive(),
  stepSinceMs: z.number(),
  grantedInStep: z.number(),
});
/** One search for a higher limit, in growing steps from the ceiling while requests are granted. */
export type RateProbe = z.infer<typeof probeSchema>;

export function newProbe(ceiling: number, maxPerSecond: number, nowMs: number): RateProbe {
  return {
    ceilingBefore: ceiling,
    sinceMs: nowMs,
    good: ceiling,
    goodBefore: ceiling,
    step: STEP,
    ratePerSecond: Math.min(maxPerSecond, ceiling * (1 + STEP)),
    stepSinceMs: nowMs,
    grantedInStep: 0,
  };
}

export function countInStep(probe: RateProbe, sent: SentRequest): void {
  if (sent.atMs >= probe.stepSinceMs) probe.grantedInStep += 1;
}

/** Moves to the next step when this one has lasted long enough; true when the search is over. */
export function isProbeOver(
  probe: RateProbe,
  nowMs: number,
  latencyMs: number,
  maxPerSecond: number,
): boolean {
  const elapsedMs = nowMs - probe.stepSinceMs - latencyMs;
  const due = (probe.ratePerSecond * elapsedMs) / 1000;
  const stepMs = Math.max(STEP_MS, HIDDEN_MS / probe.step);
  if (elapsedMs < stepMs || due < STEP_REQUESTS) return false;
  if (probe.grantedInStep < USED * due) return true;
  probe.goodBefore = probe.good;
  probe.good = probe.ratePerSecond;
  if (probe.ratePerSecond >= maxPerSecond) return true;
  probe.step = Math.min(STEP_MAX, probe.step * STEP_GROWTH);
  probe.ratePerSecond = Math.min(maxPerSecond, probe.good * (1 + probe.step));
  probe.stepSinceMs = nowMs;
  probe.grantedInStep = 0;
  return false;
}

/** Whether the request was sent during the probe rather than before it. */
export function hasProbeSent(probe: RateProbe, sent: SentRequest): boolean {
  return sent.atMs >= probe.sinceMs;
}

/** The highest good rate after `sent` was rejected; it may be a request of the previous step. */
export function goodBelow(probe: RateProbe, sent: SentRequest): number {
  return sent.ratePerSecond > probe.good ? probe.good : probe.goodBefore;
}
