import type { Effects } from '../../../effects.ts';
import type { Alert } from '../rules/alert-state.ts';

/** Delivers one alert, once. Throws a DeliveryFailure. */
export type Deliver = (alert: Alert) => Promise<void>;

/** A failed attempt. Its message names no secret and no URL. */
export class DeliveryFailure extends Error {
  /** False where the next attempt would fail in the same way. */
  readonly isRetryable: boolean;
  /** The wait that the receiver asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    more: { readonly isRetryable: boolean; readonly retryAfterMs?: number | undefined },
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'DeliveryFailure';
    this.isRetryable = more.isRetryable;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/**
 * An alert as a JSON document, for webhooks and commands. Receivers of chat messages, as of Slack,
 * show `text`.
 */
export function alertDocument(alert: Alert): string {
  const { id, on, rule, pipeline, atMs, sinceMs, text, run, exitCode, details } = alert;
  return JSON.stringify({
    schemaVersion: 1,
    text,
    id,
    on,
    rule,
    pipeline,
    at: new Date(atMs).toISOString(),
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    run,
    exitCode,
    details,
  });
}

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
