/** What must be known of a request to judge its outcome. */
export interface Sent {
  readonly atMs: number;
  readonly epoch: number;
  readonly ratePerSecond: number;
}

const STEP = 0.02;
const STEP_GROWTH = 1.5;
const STEP_MAX = 0.25;
const STEP_MS = 4000;
/** At low rates a step takes longer, because a few requests prove nothing. */
const STEP_REQUESTS = 5;
/** A step in which fewer were granted than this share of what was due has proven nothing. */
const USED = 0.8;

/** One search for a higher limit: ever larger steps up from a ceiling, while they are granted. */
export class Probe {
  readonly ceilingBefore: number;
  readonly #sinceMs: number;
  readonly #maxPerSecond: number;
  #good: number;
  #goodBefore: number;
  #step = STEP;
  #ratePerSecond: number;
  #stepSinceMs: number;
  #grantedInStep = 0;

  constructor(ceilingPerSecond: number, maxPerSecond: number, nowMs: number) {
    this.ceilingBefore = ceilingPerSecond;
    this.#maxPerSecond = maxPerSecond;
    this.#sinceMs = nowMs;
    this.#stepSinceMs = nowMs;
    this.#good = ceilingPerSecond;
    this.#goodBefore = ceilingPerSecond;
    this.#ratePerSecond = Math.min(maxPerSecond, ceilingPerSecond * (1 + STEP));
  }

  get ratePerSecond(): number {
    return this.#ratePerSecond;
  }

  /** Highest rate that was granted throughout a step, or the ceiling it began from. */
  get goodPerSecond(): number {
    return this.#good;
  }

  granted(sent: Sent): void {
    if (sent.atMs >= this.#stepSinceMs) this.#grantedInStep += 1;
  }

  /** Goes one step up when this one has lasted long enough; true when there is no use going on. */
  isOver(nowMs: number, latencyMs: number): boolean {
    const elapsedMs = nowMs - this.#stepSinceMs - latencyMs;
    const due = (this.#ratePerSecond * elapsedMs) / 1000;
    if (elapsedMs < STEP_MS || due < STEP_REQUESTS) return false;
    if (this.#grantedInStep < USED * due) return true;
    this.#goodBefore = this.#good;
    this.#good = this.#ratePerSecond;
    if (this.#ratePerSecond >= this.#maxPerSecond) return true;
    this.#step = Math.min(STEP_MAX, this.#step * STEP_GROWTH);
    this.#ratePerSecond = Math.min(this.#maxPerSecond, this.#good * (1 + this.#step));
    this.#stepSinceMs = nowMs;
    this.#grantedInStep = 0;
    return false;
  }

  /** Whether the probe, and not the holding before it, sent the request. */
  hasSent(sent: Sent): boolean {
    return sent.atMs >= this.#sinceMs;
  }

  /** What is known to be good once `sent` was rejected, which may be a request of the last step. */
  goodBelow(sent: Sent): number {
    return sent.ratePerSecond > this.#good ? this.#good : this.#goodBefore;
  }
}
