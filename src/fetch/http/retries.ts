/** Attempts of one call, including the first, before a transient failure is final. */
export const MAX_ATTEMPTS = 5;
/**
 * Retries are sent before new calls of the same priority, so that started walks are finished first.
 */
export const RETRY_PRIORITY = 0.5;

const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/**
 * Full jitter: a random delay up to the doubled bound, so that failed calls do not return together.
 */
export function retryDelayMs(failures: number, random: () => number): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1));
}

const FULL_TOKENS = 100;
const RETRY_TOKENS = 5;
const TIMEOUT_TOKENS = 10;

/**
 * The retry budget that all calls of a source share. Successes refill it, so a source that mostly
 * fails does not receive five times the requests.
 */
export class RetryBudget {
  #tokens = FULL_TOKENS;

  /** Takes the price of one retry; false when too few tokens are left. */
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
