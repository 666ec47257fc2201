/** The state when a request was sent, needed to judge its outcome. */
export interface SentRequest {
  readonly atMs: number;
  readonly epoch: number;
  readonly ratePerSecond: number;
  /** Requests of all processes for each one of this process; 1 where it is alone. */
  readonly weight: number;
}

const STEP = 0.02;
const STEP_GROWTH = 1.5;
const STEP_MAX = 0.25;
const STEP_MS = 4000;
/** At low rates a step takes longer, because a few requests are no evidence. */
const STEP_REQUESTS = 5;
/** A step proves nothing if fewer than this share of its requests were granted. */
const USED = 0.8;

/** One search for a higher limit, in growing steps from the ceiling while requests are granted. */
export class RateProbe {
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

  /** Highest rate that was granted for a whole step, or the initial ceiling. */
  get goodPerSecond(): number {
    return this.#good;
  }

  granted(sent: SentRequest): void {
    if (sent.atMs >= this.#stepSinceMs) this.#grantedInStep += sent.weight;
  }

  /**
   * Moves to the next step when the current one has lasted long enough; true when the search is
   * over.
   */
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

  /** Whether the request was sent during the probe rather than before it. */
  hasSent(sent: SentRequest): boolean {
    return sent.atMs >= this.#sinceMs;
  }

  /** The highest good rate after `sent` was rejected; it may be a request of the previous step. */
  goodBelow(sent: SentRequest): number {
    return sent.ratePerSecond > this.#good ? this.#good : this.#goodBefore;
  }
}
