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
