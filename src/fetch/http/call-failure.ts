import type { Endpoint } from '../../catalogue/entry.ts';
import type { CodeClass } from '../../pipeline/source-settings.ts';
import type { LimitReached } from '../limits/request-limits.ts';
import type { RefusedReply } from './envelope.ts';

export type FailureOutcome = Exclude<CodeClass, 'empty'>;

/** The failure of a call. After `auth` and `stop` the source ends: no later call is sent. */
export class CallFailure extends Error {
  readonly outcome: FailureOutcome;
  /** The service's code, or a name such as `refused`, `timeout` or `http-404`. */
  readonly code: string;
  readonly endpoint: string;
  /** The message of the service or the connection, without secrets; may be ''. */
  readonly detail: string;

  constructor(
    outcome: FailureOutcome,
    about: { readonly code: string; readonly endpoint: string; readonly detail: string },
    cause?: unknown,
  ) {
    const detail = about.detail === '' ? '' : `${about.detail} `;
    super(`${about.endpoint}: ${detail}(${about.code})`, { cause });
    this.name = 'CallFailure';
    this.outcome = outcome;
    this.code = about.code;
    this.endpoint = about.endpoint;
    this.detail = about.detail;
  }
}

export function failureOf(
  endpoint: Endpoint,
  refusal: RefusedReply & { readonly cause?: unknown },
): CallFailure {
  const { code, message, cause } = refusal;
  // An empty reply is not a failure, so no refusal of that class reaches this function.
  const outcome = refusal.outcome === 'empty' ? 'permanent' : refusal.outcome;
  return new CallFailure(outcome, { code, endpoint: endpoint.path, detail: message }, cause);
}

/** The failure code of calls that a limit of the run ends. */
export const LIMIT_REACHED = 'limit-reached';

export function limitFailure({ path }: Endpoint, { message }: LimitReached): CallFailure {
  return new CallFailure('stop', { code: LIMIT_REACHED, endpoint: path, detail: message });
}

/** undefined where the service refused this request only (`permanent`); throws all other errors. */
export function unlessRefused(error: unknown): undefined {
  if (!(error instanceof CallFailure) || error.outcome !== 'permanent') throw error;
  return undefined;
}
