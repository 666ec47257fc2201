import type { Endpoint } from '../../catalogue/entry.ts';
import type { Refused } from '../limits/admission.ts';
import type { LimitReached } from '../limits/request-limits.ts';
import { TransportFailure, type TransportFailureKind } from '../transport/failures.ts';
import type { PageReply } from './caller.ts';
import type { RefusedReply } from './envelope.ts';

/** The outcome of one attempt to send a request. */
export type Attempt =
  | { readonly outcome: 'reply'; readonly reply: PageReply }
  /** The next attempt is signed with another time or another key. */
  | { readonly outcome: 'signature' }
  /** Not sent. */
  | Refused
  | (RefusedReply & { readonly cause?: unknown });

/** Failures that another attempt would meet again; after `stop`, no request would fare better. */
const FINAL: Partial<Record<TransportFailureKind, 'permanent' | 'stop'>> = {
  redirect: 'permanent',
  'too-large': 'permanent',
  // Repeated wrong passwords may lock the account.
  'proxy-login': 'stop',
  unsendable: 'stop',
};

/** The outcome of a request without an answer. */
export function unanswered(error: unknown): Attempt {
  const kind = error instanceof TransportFailure ? error.kind : 'network';
  const message = error instanceof TransportFailure ? error.message : 'the connection failed';
  return { outcome: FINAL[kind] ?? 'transient', code: kind, message, cause: error };
}

export type FailureOutcome = Exclude<RefusedReply['outcome'], 'empty'>;

interface FailedCall {
  readonly code: string;
  readonly endpoint: string;
  readonly detail: string;
  /** The URL of the request, without its query. */
  readonly url?: string | undefined;
  /** A sentence without a full stop. */
  readonly remedy?: string;
}

/** The failure of a call. After `auth` and `stop` the source ends: no later call is sent. */
export class CallFailure extends Error {
  readonly outcome: FailureOutcome;
  /** The service's code, or a name such as `refused`, `timeout` or `http-404`. */
  readonly code: string;
  readonly endpoint: string;
  /** The message of the service or the connection, without secrets; may be ''. */
  readonly detail: string;

  constructor(outcome: FailureOutcome, about: FailedCall, cause?: unknown) {
    const detail = about.detail === '' ? '' : `${about.detail} `;
    const remedy = about.remedy === undefined ? '' : `. ${about.remedy}`;
    super(`${about.url ?? about.endpoint}: ${detail}(${about.code})${remedy}`, { cause });
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
  url?: string,
): CallFailure {
  const { code, message, cause } = refusal;
  // An empty reply is not a failure, so no refusal of that class reaches this function.
  const outcome = refusal.outcome === 'empty' ? 'permanent' : refusal.outcome;
  const isRemedied = refusal.isUnknown === true && endpoint.list !== undefined;
  const meaning = 'If this code means that there are no records, set codes:';
  const remedy = isRemedied ? { remedy: `${meaning} { "${code}": empty } in source` } : {};
  const about = { code, endpoint: endpoint.path, detail: message, url, ...remedy };
  return new CallFailure(outcome, about, cause);
}

/** The failure code of calls that a limit of the run ends. */
export const LIMIT_REACHED = 'limit-reached';

export function limitFailure({ path }: Endpoint, { message }: LimitReached): CallFailure {
  return new CallFailure('stop', { code: LIMIT_REACHED, endpoint: path, detail: message });
}

/** Whether the service refuses this request alone, so that other slices can be fetched. */
export function isOfRequest({ outcome }: CallFailure): boolean {
  return outcome === 'permanent' || outcome === 'lasting';
}

/** undefined where the service refused this request only (`permanent`); throws all other errors. */
export function unlessRefused(error: unknown): undefined {
  if (!(error instanceof CallFailure) || error.outcome !== 'permanent') throw error;
  return undefined;
}
