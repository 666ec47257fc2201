import type { Refused } from '../limits/admission.ts';
import { TransportFailure, type TransportFailureKind } from '../transport/failures.ts';
import type { RefusedReply, Reply } from './envelope.ts';

/** The outcome of one attempt to send a request. */
export type Attempt =
  | { readonly outcome: 'reply'; readonly reply: Reply }
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
