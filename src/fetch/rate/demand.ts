/** A process may send this much more than lately before it has to wait. */
const SPARE = 1.25;
const LEAST = 0.02;

/** The share of a rate that a process would use, from its requests since the last question. */
export class Demand {
  #sinceMs: number | undefined;
  #requests = 0;
  #hasWaited = false;

  /** A request waits for the rate alone. */
  waits(): void {
    this.#hasWaited = true;
  }

  sent(): void {
    this.#requests += 1;
  }

  /** From 0 to 1; 1 if a request had to wait, or if nothing is known yet. */
  shareOf(ratePerSecond: number, nowMs: number): number {
    const seconds = (nowMs - (this.#sinceMs ?? nowMs)) / 1000;
    const used = seconds > 0 ? this.#requests / seconds / ratePerSecond : 1;
    const share = this.#hasWaited ? 1 : Math.min(1, SPARE * used + LEAST);
    this.#sinceMs = nowMs;
    this.#requests = 0;
    this.#hasWaited = false;
    return share;
  }
}
