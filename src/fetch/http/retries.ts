/** Attempts of one call, the first included, before a transient failure is final. */
export const MAX_ATTEMPTS = 5;

const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/** Full jitter: anything up to the doubled delay, so that failed calls do not return together. */
export function retryDelayMs(failures: number, random: () => number): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1));
}

const FULL_TOKENS = 100;
const RETRY_TOKENS = 5;
const TIMEOUT_TOKENS = 10;

/**
 * What all calls of a source may spend on retries. A source that mostly fails is not asked five
 * times as often: successes earn the retries.
 */
export class RetryBudget {
  #tokens = FULL_TOKENS;

  /** Pays for one retry; false when there is not enough left. */
  pay(reason: 'failure' | 'timeout'): boolean {
    const price = reason === 'timeout' ? TIMEOUT_TOKENS : RETRY_TOKENS;
    if (this.#tokens < price) return false;
    this.#tokens -= price;
    return true;
  }

  earn(): void {
    this.#tokens = Math.min(FULL_TOKENS, this.#tokens + 1);
  }
}
