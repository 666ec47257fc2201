import type { Effects } from '../../../effects.ts';
import { DeliveryFailure } from './receiver.ts';

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Tries up to five times until `deadlineMs`, with growing waits or the wait that the receiver asks
 * for. Returns the message of the last failure, or undefined after a success.
 */
export async function attempts(
  attempt: () => Promise<void>,
  effects: Effects,
  deadlineMs: number,
): Promise<string | undefined> {
  for (let failures = 1; ; failures += 1) {
    try {
      await attempt();
      return undefined;
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      const growing = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.75 + 0.5 * effects.random());
      const waitMs = Math.min(LONGEST_WAIT_MS, error.retryAfterMs ?? growing);
      const isLast = failures >= MAX_ATTEMPTS || effects.now() + waitMs > deadlineMs;
      if (!error.isRetryable || isLast) return error.message;
      await effects.sleep(waitMs);
    }
  }
}
